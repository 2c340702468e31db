import Glibc

/// Reads and replaces SQLite databases that other programs may have open.
///
/// The file alone is not the content: commits may lie in `NAME-wal`, and a copy made while somebody
/// writes is torn. So a database is read as a *snapshot*: a private copy that SQLite's backup makes
/// within one read transaction, with a header in which nothing is left that differs between equal
/// contents (``normalize(_:)``). It is replaced by a backup in the other direction, as one
/// transaction of its own, so that whoever has it open reads the old content or the new one.
///
/// Of the user's folder nothing is changed by reading: not even a `-wal` or `-shm` is made there.
package struct LiveDatabases: Sendable {
    /// A folder of our own for private copies, on a disk with room for a database.
    let scratch: String
    let patience: Patience

    package init(scratch: String, patience: Patience = Patience()) {
        self.scratch = scratch
        self.patience = patience
    }

    /// How many bytes tell a database.
    package static let headerLength = 16

    /// Whether a file that begins with these bytes is an SQLite database.
    package static func isDatabase(_ header: some Collection<UInt8>) -> Bool {
        header.prefix(headerLength).elementsEqual("SQLite format 3\0".utf8)
    }

    /// The endings of the files that SQLite keeps beside a database while it is in use. They mean
    /// nothing without it at that very moment, and are never synced.
    package static let companions = ["-wal", "-shm", "-journal"]
}

/// How long to wait for others who hold a database.
package struct Patience: Sendable {
    /// How often to ask.
    package var tries: Int
    /// Waits between two of them.
    package var pause: @Sendable () -> Void

    /// Asks for about two seconds.
    package init(tries: Int = 100, pause: @escaping @Sendable () -> Void = { usleep(20_000) }) {
        self.tries = tries
        self.pause = pause
    }
}

/// A private file that is removed with the value, unless it is open elsewhere.
package final class ScratchFile: Sendable {
    /// Where it is.
    package let path: String

    init(_ path: String) { self.path = path }

    deinit {
        for ending in [""] + LiveDatabases.companions { unlink(path + ending) }
    }
}
