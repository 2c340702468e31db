import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@testable import FilesinkiSQLite

/// What SQLite's codes mean, and what a file of the program's own says of them.
@Suite struct SQLiteErrorTests {
    /// The numbers of sqlite3.h, which no later version changes; above 255 they are extended ones.
    private static let codes: [(Int32, SQLiteError.Kind)] = [
        (1, .mismatch), (2, .other), (3, .io), (5, .busy), (6, .busy), (7, .noMemory),
        (8, .readOnly), (9, .interrupted), (10, .io), (11, .corrupt), (13, .full),
        (14, .cannotOpen), (17, .mismatch), (18, .tooLarge), (19, .mismatch), (20, .mismatch),
        (23, .other), (24, .mismatch), (25, .mismatch), (26, .corrupt),
        // IOERR_READ, IOERR_SHORT_READ, IOERR_FSYNC, BUSY_SNAPSHOT, CONSTRAINT_UNIQUE, READONLY_DIRECTORY, CORRUPT_VTAB.
        (266, .io), (522, .shortRead), (1034, .io), (517, .busy), (2067, .mismatch),
        (1544, .readOnly), (267, .corrupt),
    ]

    @Test("a code says what a caller can do", arguments: codes)
    func kinds(_ code: Int32, _ kind: SQLiteError.Kind) {
        let error = SQLiteError(code, "text", path: [0x66], action: .use)
        #expect(error.kind == kind)
        #expect(error.text == "text" && error.path == [0x66] && error.systemError == 0)
    }

    @Test(
        "a quota that is used up is a full disk, where the disk was asked",
        arguments: [
            (10, EDQUOT, .full), (778, EDQUOT, .full), (522, EDQUOT, .full), (10, ENOSPC, .io),
            (14, EDQUOT, .cannotOpen), (11, EDQUOT, .corrupt),
        ] as [(Int32, Int32, SQLiteError.Kind)])
    func quota(_ code: Int32, _ number: Int32, _ kind: SQLiteError.Kind) {
        let error = SQLiteError(code, "", path: [], action: .use, systemError: number)
        #expect(error.kind == kind && error.systemError == number)
    }

    private static let failures: [(SQLiteError.Kind, Failure.Code, String, String)] = [
        (
            .full, .full, "The disk that holds the box is full: why.",
            "Make room and run again; nothing was half written."
        ),
        (
            .busy, .busy, "The box is locked by another process: why.",
            "Wait until the other run has ended."
        ),
        (.corrupt, .corrupt, "The box is damaged: why.", "Buy another."),
        (.mismatch, .corrupt, "The box is damaged: why.", "Buy another."),
        (
            .tooLarge, .limit, "A row of the box does not fit into memory: why.",
            "Close other programs and run again."
        ),
        (
            .noMemory, .limit, "A row of the box does not fit into memory: why.",
            "Close other programs and run again."
        ),
        (.interrupted, .interrupted, "The work was stopped.", "Run it again."),
        (
            .transactionEnded, .io, "The box's transaction ended too early.",
            "Run again; nothing of it was written."
        ),
        (.readOnly, .io, "Cannot use the box: why.", permissions),
        (.cannotOpen, .io, "Cannot use the box: why.", permissions),
        (.shortRead, .io, "Cannot use the box: why.", permissions),
        (.io, .io, "Cannot use the box: why.", permissions),
        (.other, .io, "Cannot use the box: why.", permissions),
    ]

    private static let permissions = "Check the permissions of its folder and the disk."

    @Test("a failure names the file by its purpose, the cause and the remedy", arguments: failures)
    func failure(
        _ kind: SQLiteError.Kind, _ code: Failure.Code, _ message: String, _ remedy: String
    ) {
        let recorded = Mutex<[[UInt8]]>([])
        let purpose = FilePurpose(name: "box", damageRemedy: "Buy another.") { path in
            recorded.withLock { $0.append(path) }
        }
        let failure = purpose.failure(SQLiteError(kind, "why", path: [0x66], action: .use))
        #expect(failure.code == code && failure.path == [0x66])
        #expect(failure.message == message)
        #expect(failure.remedy == remedy)
        // Only damage is written down.
        #expect(recorded.withLock { $0 } == (code == .corrupt ? [[0x66]] : []))
    }

    @Test(
        "what was refused says what was tried, and the system's reason before SQLite's",
        arguments: [
            (SQLiteError.Action.open, 0, "Cannot open the box: why."),
            (.read, 0, "Cannot read the box: why."), (.use, 0, "Cannot use the box: why."),
            (.copy, EACCES, "Cannot use the box: permission denied."),
            (.open, EROFS, "Cannot open the box: read-only file system."),
        ])
    func refused(_ action: SQLiteError.Action, _ number: Int32, _ message: String) {
        var error = SQLiteError(.io, "why", path: [], action: action)
        error.systemError = number
        let purpose = FilePurpose(name: "box", damageRemedy: "")
        #expect(purpose.failure(error).message == message)
    }
}
