import FilesinkiModel
import FilesinkiSQLite
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// Files of the program's own on a disk that cannot be written.
@Suite struct ReadOnlyDiskTests {
    private let folder: FilesinkiTesting.TemporaryFolder

    init() throws { folder = try FilesinkiTesting.TemporaryFolder() }

    private var path: String { folder.path("disk/own.db") }

    /// A file with one row, as its last connection leaves it.
    private func fill() throws {
        let connection = try OwnConnection(path, .own(.creating, .test))
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(x)")
        try connection.execute("INSERT INTO t VALUES (7)")
    }

    private func read() throws -> Int64 {
        let profile = Profile.own(.reading, .test)
        return try OwnConnection.toRead(path, profile).number("SELECT x FROM t")
    }

    @Test func `a file is read there as it lies`() throws {
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        try fill()
        try disk.makeReadOnly()
        #expect(try read() == 7)
        #expect(try StateFile.names(in: folder.path("disk")) == ["own.db"])
    }

    @Test func `a file on a full disk is read as it lies, too`() throws {
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        try fill()
        try disk.fill()
        #expect(try read() == 7)
    }

    @Test func `a file with a log is refused there, as half of a transaction may be missing`()
        throws
    {
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        try fill()
        try StateFile.replace(path + "-wal", with: [1])
        try disk.makeReadOnly()
        let failure = #expect(throws: Failure.self) { try read() }
        #expect(failure?.code == .io)
        #expect(failure?.path == Array(path.utf8))
        #expect(failure?.message == "Cannot read it together with its log: read-only file system.")
        #expect(failure?.isOfReadOnlyDisk == true)
    }

    @Test func `an empty log is none`() throws {
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        try fill()
        try StateFile.replace(path + "-wal", with: [])
        try disk.makeReadOnly()
        #expect(try read() == 7)
    }

    @Test func `a file that is missing, or is no database, is none there either`() throws {
        guard let disk = MemoryDisk(at: folder.path("disk")) else { return }
        try StateFile.replace(folder.path("disk/other"), with: [UInt8](repeating: 7, count: 4_096))
        try disk.makeReadOnly()
        let missing = #expect(throws: Failure.self) { try read() }
        #expect(missing?.code == .io)
        #expect(missing?.message.hasPrefix("Cannot open the test file: ") == true)
        let profile = Profile.own(.reading, .test)
        let other = #expect(throws: Failure.self) {
            try OwnConnection.toRead(folder.path("disk/other"), profile)
        }
        #expect(other?.code == .corrupt)
    }
}
