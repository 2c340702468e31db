internal import CSQLite
internal import FilesinkiModel
internal import FilesinkiSystem
internal import Glibc

/// What SQLite answered in place of doing what it was asked to do.
package struct SQLiteError: Error, Hashable, Sendable {
    /// The result codes by what a caller can do about them.
    package enum Kind: Hashable, Sendable {
        /// Another connection holds a lock.
        case busy
        /// The disk or the quota is used up.
        case full
        /// The bytes are not a sound database.
        case corrupt
        /// The SQL or a value does not fit the schema or its constraints.
        case mismatch
        case noMemory
        /// A value or a statement exceeds a limit.
        case tooLarge
        /// The budget of steps is used up, or somebody interrupted it.
        case interrupted
        case readOnly
        /// The file, or one that SQLite keeps beside it, cannot be opened.
        case cannotOpen
        /// The file ends too early.
        case shortRead
        /// The system refused to read or write.
        case io
        /// A write came after its transaction had ended.
        case transactionEnded
        case other
    }

    /// What the connection was doing.
    package enum Action: Hashable, Sendable { case open, read, use, copy }

    package var kind: Kind
    /// SQLite's own words, without a full stop.
    package var text: String
    package var path: [UInt8]
    package var action: Action
    /// The system's error number behind it; 0 for none.
    package var systemError: Int32 = 0

    init(_ kind: Kind, _ text: String, path: [UInt8], action: Action) {
        self.kind = kind
        self.text = text
        self.path = path
        self.action = action
    }

    /// - Parameter code: An extended result code.
    init(_ code: Int32, _ text: String, path: [UInt8], action: Action, systemError: Int32 = 0) {
        self.init(Self.kind(of: code, systemError), text, path: path, action: action)
        self.systemError = systemError
    }

    /// `SQLITE_IOERR_SHORT_READ`, which the header gives as an expression.
    private static let shortReadCode = SQLITE_IOERR | 2 << 8

    private static func kind(of code: Int32, _ systemError: Int32) -> Kind {
        switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_IOERR where systemError == EDQUOT: .full
        case SQLITE_IOERR: code == shortReadCode ? .shortRead : .io
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
        case SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_RANGE,
            SQLITE_FORMAT:
            .mismatch
        case SQLITE_NOMEM: .noMemory
        case SQLITE_TOOBIG: .tooLarge
        case SQLITE_INTERRUPT: .interrupted
        case SQLITE_READONLY: .readOnly
        case SQLITE_CANTOPEN: .cannotOpen
        case SQLITE_PERM: .io
        default: .other
        }
    }
}

/// What a file of the program's own is for, in messages.
package struct FilePurpose: Sendable {
    /// Such as `manifest`.
    package var name: String
    /// What to do when the file is damaged.
    package var damageRemedy: String
    /// Called with the file's path whenever damage is found.
    package var recordDamage: @Sendable ([UInt8]) -> Void

    package init(
        name: String, damageRemedy: String,
        recordDamage: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) {
        self.name = name
        self.damageRemedy = damageRemedy
        self.recordDamage = recordDamage
    }

    /// The failure that an error of a file of this purpose means.
    func failure(_ error: SQLiteError) -> Failure {
        switch error.kind {
        case .full:
            return Failure(
                .full, path: error.path,
                "The disk that holds the \(name) is full: \(error.text).",
                remedy: "Make room and run again; nothing was half written.")
        case .busy:
            return Failure(
                .busy, path: error.path,
                "The \(name) is locked by another process: \(error.text).",
                remedy: "Wait until the other run has ended.")
        case .corrupt, .mismatch:
            // The statements are the program's own: one that does not fit has a foreign schema.
            recordDamage(error.path)
            return Failure(
                .corrupt, path: error.path, "The \(name) is damaged: \(error.text).",
                remedy: damageRemedy)
        case .tooLarge, .noMemory:
            return Failure(
                .limit, path: error.path,
                "A row of the \(name) does not fit into memory: \(error.text).",
                remedy: "Close other programs and run again.")
        case .interrupted:
            return Failure(
                .interrupted, path: error.path, "The work was stopped.", remedy: "Run it again.")
        case .transactionEnded:
            return Failure(
                .io, path: error.path, "The \(name)'s transaction ended too early.",
                remedy: "Run again; nothing of it was written.")
        case .readOnly, .cannotOpen, .shortRead, .io, .other: return refusal(error)
        }
    }

    private func refusal(_ error: SQLiteError) -> Failure {
        let verb =
            switch error.action {
            case .open: "open"
            case .read: "read"
            case .use, .copy: "use"
            }
        let reason =
            error.systemError == 0
            ? error.text : SystemError(error.systemError).words.lowercased()
        return Failure(
            .io, path: error.path, "Cannot \(verb) the \(name): \(reason).",
            remedy: "Check the permissions of its folder and the disk.")
    }
}
