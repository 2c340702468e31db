package import FilesinkiModel
import FilesinkiSystem
import Glibc

/// The manifest's file: its creation, and how it is set aside.
struct ManifestFile {
    let path: [UInt8]

    init(_ path: [UInt8]) { self.path = path }

    /// Ensures that the file exists and can be read.
    ///
    /// A file that exists is not opened: as it is closed, this process would give up the locks that its connections have
    /// on it, and a command beside it would remove the log that they use
    /// (https://www.sqlite.org/howtocorrupt.html, section 2.2).
    ///
    /// - Throws: `Failure` with code `not-found` when it is missing and must not be created.
    func ensure(create: Bool) throws(Failure) {
        if path.withCString({ access($0, R_OK) }) == 0 { return }
        let error = SystemError.last
        guard error.number == ENOENT else { throw error.failure("open the manifest", path) }
        guard create else {
            throw Failure(
                .notFound, path: path, "No manifest was found.",
                remedy: "Create a replica with filesinki init or filesinki clone.")
        }
        // SQLite gives the files beside it the same mode.
        do { try FileHandle(path, O_RDONLY | O_CREAT | O_EXCL, mode: 0o600).close() } catch {
            guard error.number == EEXIST else { throw error.failure("open the manifest", path) }
        }
    }

    /// Moves the file and those that SQLite keeps beside it to names that end in `-damaged`, in
    /// place of older ones.
    ///
    /// The WAL goes first: a database without its WAL is an older one, but a WAL without its
    /// database would be taken for the next one's.
    func setAside() throws(Failure) {
        let aside = path + Array("-damaged".utf8)
        for suffix in ["-wal", "-shm", ""] {
            let from = path + Array(suffix.utf8)
            let to = aside + Array(suffix.utf8)
            if from.withCString({ from in to.withCString { rename(from, $0) } }) == 0 { continue }
            let error = SystemError.last
            guard error.number == ENOENT else {
                throw error.failure("set the manifest aside", path)
            }
            _ = to.withCString { unlink($0) }
        }
    }
}

extension ManifestDatabase {
    /// Moves a damaged manifest and the files SQLite keeps beside it to names that end in
    /// `-damaged`, so that a new one can be made. No manifest at `path` may be open.
    package static func setAside(_ path: [UInt8]) throws(Failure) {
        try ManifestFile(path).setAside()
    }

    /// Moves a damaged manifest whose path is text, as ``setAside(_:)`` does.
    package static func setAside(_ path: String) throws(Failure) {
        try setAside(Array(path.utf8))
    }
}

extension ManifestDatabase {
    /// Whether damage was found in the manifest since it was last verified.
    package static func isDoubted(_ path: String) -> Bool { access(mark(path), F_OK) == 0 }

    /// Records that damage was found: the next run verifies the whole manifest first.
    static func doubt(_ path: [UInt8]) {
        let mark = mark(String(decoding: path, as: UTF8.self))
        // A folder that cannot be written keeps no mark; the next writer finds the damage itself.
        try? FileHandle(mark, O_WRONLY | O_CREAT, mode: 0o600).close()
    }

    /// Removes the mark that ``isDoubted(_:)`` reads.
    package static func clearDoubt(_ path: String) { unlink(mark(path)) }

    /// Reads every row that carries a check.
    ///
    /// - Throws: `Failure` with code `corrupt` when one is damaged or missing.
    package func verify() throws(Failure) {
        _ = try base.rows()
        _ = try local.rows()
        _ = try remote.rows()
        _ = try tombstone.rows()
        _ = try pack.rows()
        _ = try inline.rows()
        _ = try conflicts()
        _ = try token
    }

    private static func mark(_ path: String) -> String { path + "-doubted" }
}
