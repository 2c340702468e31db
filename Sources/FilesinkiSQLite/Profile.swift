internal import CSQLite
package import FilesinkiModel

/// What a connection may do with its file, and which errors it throws.
///
/// There are three kinds, by who writes the file:
/// * *own*: the program's state. Errors are `Failure`s that name the file by its purpose.
/// * *untrusted*: a content that anybody may have made to do harm. No trigger fires, no view is read,
///   the schema can call no function with side effects, and a budget of steps ends endless
///   expressions.
/// * *live*: a user's database that other programs have open. Only pages are copied: no SQL of its
///   schema runs.
package struct Profile<Thrown: Error>: Sendable {
    /// Flags of `sqlite3_open_v2`.
    var flags: Int32
    /// The name of the VFS; nil for SQLite's own.
    var fileSystem: String?
    /// Whether the file is read as it lies on the disk, without locks and without a log beside it.
    var isImmutable = false
    /// How long to wait for another process's lock, in milliseconds.
    var busyTimeout: Int32 = 0
    /// Run when the connection opens, before anything reads the schema.
    var pragmas = ""
    /// Kilobytes of memory for each attached database; nil for SQLite's default.
    var cacheSize: Int?
    /// The size in bytes of all databases that an untrusted connection reads together; nil for the
    /// other kinds.
    var contentSize: Int?
    /// What the error becomes for the caller.
    let convert: @Sendable (SQLiteError) -> Thrown
}

/// A connection to a file of the program's own.
package typealias OwnConnection = Connection<Failure>
/// A statement of an ``OwnConnection``.
package typealias OwnStatement = Statement<Failure>

extension Profile where Thrown == Failure {
    /// How a file of the program's own is opened.
    package enum OwnAccess: Sendable {
        /// To read; creates nothing.
        case reading
        /// To read and write a file that exists.
        case writing
        /// To read and write a file, which is created when it does not exist.
        case creating
    }

    /// A file of the program's own state.
    ///
    /// One process writes at a time and transactions are short, so it waits 5 s for a lock. No pragma
    /// of the profile reads the schema: a file of a newer program must first be asked for its version.
    package static func own(_ access: OwnAccess, _ purpose: FilePurpose) -> Profile {
        let flags =
            switch access {
            case .reading: SQLITE_OPEN_READONLY
            case .writing: SQLITE_OPEN_READWRITE
            case .creating: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        return Profile(
            flags: flags, fileSystem: StrictReads.fileSystem, busyTimeout: 5_000,
            // A damaged page is noticed before it is followed, and nothing in the file is run.
            pragmas: "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF",
            convert: purpose.failure)
    }
}

extension Profile {
    /// A private copy of a content that is not trusted.
    ///
    /// - Parameters:
    ///   - isWritable: Whether the file is to be changed. It is thrown away when anything fails: it
    ///     has no journal, and foreign keys are for the caller to check.
    ///   - contentSize: The bytes of all databases that the connection will see; its budget of steps
    ///     and the longest value follow from it.
    package static func untrusted(
        isWritable: Bool, contentSize: Int, convert: @escaping @Sendable (SQLiteError) -> Thrown
    ) -> Profile {
        let pragmas = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"
        let unsafe =
            "; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF"
        return Profile(
            flags: isWritable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY,
            isImmutable: !isWritable, pragmas: pragmas + (isWritable ? unsafe : ""),
            // The checks follow every index in its own order: with SQLite's default of 2 MB they read
            // each page many times.
            cacheSize: 65_536, contentSize: contentSize, convert: convert)
    }
}

extension Profile where Thrown == SQLiteError {
    /// How a live database, or a private copy of one, is opened.
    package enum LiveAccess: Sendable {
        /// To read, with SQLite's locks.
        case reading
        /// To read a file that nobody writes, without locks.
        case immutable
        /// To write, with SQLite's locks.
        case writing
        /// A new private file, which is thrown away when anything fails.
        case scratch
    }

    /// A user's database that other programs may have open. Never waits for a lock: the caller
    /// retries.
    package static func live(_ access: LiveAccess) -> Profile {
        let flags =
            switch access {
            case .reading, .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW
            case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW
            case .scratch: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        return Profile(
            flags: flags, isImmutable: access == .immutable,
            pragmas: access == .scratch
                ? "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF" : "",
            convert: { $0 })
    }
}

/// How many steps of SQLite's virtual machine an untrusted connection may take.
///
/// A merge takes a few dozen steps for a row and compares every row a few times, so an honest file
/// stays far below a budget per byte; a recursive or cubic expression in a schema exceeds it soon.
final class StepBudget {
    private var rounds: Int

    /// How many steps one call of the progress handler stands for.
    private static let stepsPerRound: Int32 = 100_000

    /// - Parameter size: The bytes of all databases together.
    init(size: Int) {
        let (steps, isTooLarge) = size.multipliedReportingOverflow(by: 100)
        rounds = (isTooLarge ? Int.max : steps) / Int(Self.stepsPerRound) + 1_000
    }

    /// Counts the steps of a connection from now on. The connection must not outlive the budget.
    func limit(_ handle: OpaquePointer) {
        sqlite3_progress_handler(
            handle, Self.stepsPerRound,
            { context in
                guard let context else { return 1 }
                let budget = Unmanaged<StepBudget>.fromOpaque(context).takeUnretainedValue()
                budget.rounds -= 1
                return budget.rounds > 0 ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
