import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// The calls on open files and folders, one by one.
@Suite("Calls on files")
struct FileHandleCallTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ bytes: [UInt8]) throws -> NamedFile {
        try StateFile.replace(folder.path("f"), with: bytes)
        return try NamedFile(folder.path("f"), O_RDWR, of: .own)
    }

    @Test(
        "the folder of a path is what stands before its last slash",
        arguments: [
            ("a", "."), ("", "."), ("/a", "/"), ("/", "/"), ("a/b", "a"), ("/a/b/c", "/a/b"),
            ("a/", "a"), ("./a", "."),
        ])
    func folders(_ path: String, _ parent: String) {
        #expect(FileHandle.folder(of: Array(path.utf8)) == Array(parent.utf8))
    }

    @Test func `no descriptor is no file`() {
        let isNone = if FileHandle(-1) == nil { true } else { false }
        #expect(isNone)
    }

    @Test func `a file or a symlink is removed from a folder, and a missing one is no error`()
        throws
    {
        let tree: TreeFixture = ["f": .file("x"), "link": .symlink("d"), "d": .directory()]
        try tree.write(to: folder.path)
        let opened = try FileHandle(folder.path, O_RDONLY | O_DIRECTORY)
        for name in ["f", "link", "none"] { try opened.unlink(name.utf8) }
        #expect(throws: SystemError(EISDIR)) { try opened.unlink("d".utf8) }
        #expect(try TreeFixture.read(folder.path) == ["d": .directory()])
    }

    @Test func `the record of a name is nil only where nothing is missing but the name`() throws {
        try (["f": .file("x"), "d": .directory()] as TreeFixture).write(to: folder.path)
        let opened = try FileHandle(folder.path, O_RDONLY | O_DIRECTORY)
        #expect(try opened.record(of: "d".utf8)?.isFolder == true)
        #expect(try opened.record(of: "f".utf8)?.isRegularFile == true)
        #expect(try opened.record(of: "f/below".utf8) == nil)
        let long = [UInt8](repeating: 0x6E, count: 256)
        #expect(throws: SystemError(ENAMETOOLONG)) { _ = try opened.record(of: long) == nil }
    }

    @Test func `a file is still there until its name is another's`() throws {
        let file = try file([1])
        let path = folder.path("f")
        #expect(file.handle.isStill(at: path) == true)
        try StateFile.replace(path, with: [1])
        #expect(file.handle.isStill(at: path) == false)
        unlink(path)
        #expect(file.handle.isStill(at: path) == false)
    }

    @Test func `reading up to an expected size shows whether the file has grown`() throws {
        let bytes = [UInt8](repeating: 3, count: 10)
        #expect(try file(bytes).handle.readAll(expecting: 10) == bytes)
        #expect(try file(bytes).handle.readAll(expecting: 8).count == 9)
        #expect(try file(bytes).handle.readAll(expecting: 20) == bytes)
    }

    @Test(
        "all is read up to the limit",
        arguments: [
            (0, 0), (65_535, 65_535), (65_536, 65_536), (65_537, 65_537), (131_072, 131_072),
        ])
    func limits(_ count: Int, _ limit: Int) throws {
        let bytes = [UInt8](repeating: 5, count: count)
        #expect(try file(bytes).handle.readAll(limit: limit) == bytes)
        #expect(try file(bytes + [1]).handle.readAll(limit: limit) == nil)
    }

    @Test func `pieces are of the wished size, and their sum is returned`() throws {
        var pieces: [[UInt8]] = []
        let sum = try file([1, 2, 3, 4, 5]).handle.forEachPiece(capacity: 2) {
            pieces.append(Array($0))
        }
        #expect(sum == 5)
        #expect(pieces == [[1, 2], [3, 4], [5]])
        #expect(try file([]).handle.forEachPiece(capacity: 2) { _ in } == 0)
    }

    @Test func `a disk that is full is an error, also of a descriptor of somebody else`() throws {
        let full = try FileHandle("/dev/full", O_WRONLY)
        #expect(throws: SystemError(ENOSPC)) { try full.write([1]) }
        #expect(throws: SystemError(ENOSPC)) { try FileHandle.write([1], to: full.raw) }
        // Nothing to write is no call.
        try full.write([])
    }

    @Test func `a folder can be synced by its own handle and by a path in it`() throws {
        let opened = try FileHandle(folder.path, O_RDONLY | O_DIRECTORY)
        try opened.syncFolder()
        try FileHandle.syncFolder(of: Array(folder.path("any").utf8))
        #expect(throws: SystemError(ENOENT)) {
            try FileHandle.syncFolder(of: Array(folder.path("none/any").utf8))
        }
        // A file system that cannot sync such a file is left alone, where the folder counts only.
        let random = try FileHandle("/dev/urandom", O_RDONLY)
        try random.syncFolder()
        #expect(throws: SystemError(EINVAL)) { try random.sync() }
    }

    @Test func `no child process inherits a file, nor an end of a pipe`() throws {
        let (file, pipe) = (try file([]), try NamedPipe())
        for raw in [file.handle.raw, pipe.ends.reading.raw, pipe.ends.writing.raw] {
            #expect(fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(fcntl(pipe.ends.reading.raw, F_GETFL) & O_NONBLOCK == 0)
        pipe.ends.setNonBlocking()
        #expect(fcntl(pipe.ends.reading.raw, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(pipe.ends.writing.raw, F_GETFL) & O_NONBLOCK != 0)
        #expect(throws: SystemError(EAGAIN)) { try pipe.ends.reading.read(upTo: 1) }
    }

    /// A pipe that can be shared.
    private final class NamedPipe {
        let ends: Pipe
        init() throws { ends = try Pipe() }
    }

    // MARK: Stamps

    private static func stamp(
        _ device: UInt64, _ inode: UInt64, _ size: Int64, _ modified: Int64, _ changed: Int64
    ) -> FileStamp {
        FileStamp(
            device: device, inode: inode, size: size, modified: Timestamp(nanoseconds: modified),
            changed: Timestamp(nanoseconds: changed))
    }

    @Test(
        "a stamp is the same but for its change time, which a rename sets",
        arguments: [
            (stamp(1, 2, 3, 4, 5), true, true), (stamp(1, 2, 3, 4, 9), true, true),
            (stamp(1, 2, 3, 9, 5), false, true), (stamp(1, 2, 9, 4, 5), false, true),
            (stamp(1, 9, 3, 4, 5), false, false), (stamp(9, 2, 3, 4, 5), false, false),
        ])
    func stamps(_ other: FileStamp, _ isSame: Bool, _ isInode: Bool) {
        let stamp = Self.stamp(1, 2, 3, 4, 5)
        #expect(stamp.isSame(butForChangeOf: other) == isSame)
        #expect(stamp.isSameInode(as: other) == isInode)
    }

    @Test(
        "a time is what the system's is, also before 1970",
        arguments: [(0, 0), (1, 999_999_999), (-1, 1), (-1, 0), (4_102_444_800, 5)]
            as [(Int, Int)])
    func system(_ seconds: Int, _ nanoseconds: Int) {
        let time = Timestamp(timespec(tv_sec: seconds, tv_nsec: nanoseconds))
        #expect(time.nanoseconds == Int64(seconds) * 1_000_000_000 + Int64(nanoseconds))
        #expect(time.timespec.tv_sec == seconds && time.timespec.tv_nsec == nanoseconds)
    }
}
