import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

@Suite struct FileHandleTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `H1 reads at a place, up to a count, and all up to a limit`() throws {
        let bytes = noise(200_000)
        let file = try FileHandle(folder.path("f"), O_RDWR | O_CREAT, mode: 0o600)
        try file.write(bytes)
        try file.write([1, 2, 3], at: 10)
        #expect(try file.read(from: 9, count: 5) == [bytes[9], 1, 2, 3, bytes[13]])
        #expect(try file.read(from: 199_998, count: 10) == Array(bytes[199_998...]))
        let again = try FileHandle(folder.path("f"), O_RDONLY)
        #expect(try again.readAll(limit: 200_000)?.count == 200_000)
        let third = try FileHandle(folder.path("f"), O_RDONLY)
        #expect(try third.readAll(limit: 199_999) == nil)
    }

    @Test func `H1 a name in a folder is never opened through a symlink`() throws {
        let tree: TreeFixture = ["f": .file("x"), "link": .symlink("f")]
        try tree.write(to: folder.path)
        let opened = try FileHandle(folder.path, O_RDONLY | O_DIRECTORY)
        #expect(try opened.open("f".utf8, O_RDONLY).stamp().size == 1)
        #expect(throws: SystemError(ELOOP)) { _ = try opened.open("link".utf8, O_RDONLY).raw }
        #expect(try opened.record(of: "link".utf8)?.isSymlink == true)
        #expect(try opened.record(of: "none".utf8) == nil)
    }

    @Test func `H1 a missing or replaced file is detected by its stamp`() throws {
        let tree: TreeFixture = ["f": .file("x"), "link": .symlink("f")]
        try tree.write(to: folder.path)
        let file = try #require(FileStamp(at: folder.path("f")))
        let link = try #require(FileStamp(at: folder.path("link")))
        let followed = FileStamp(at: folder.path("link"), followingSymlinks: true)
        #expect(followed == file)
        #expect(!link.isSameInode(as: file))
        #expect(FileStamp(ofRegularFile: folder.path("link")) == nil)
        #expect(FileStamp(at: folder.path("none")) == nil)
    }

    @Test func `H1 a lock is exclusive and is released with its value`() throws {
        let path = folder.path("lock")
        let lock = try #require(try KernelLock.tryAcquire(path))
        lock.writeHolder("me")
        #expect(try KernelLock.tryAcquire(path) == nil)
        withExtendedLifetime(lock) {}
        #expect(try StateFile.read(path) == Array("me".utf8))
    }

    /// A child process has copies of all descriptors until its program starts.
    @Test func `H1 a lock is released although a copy of its descriptor is open`() throws {
        let path = folder.path("lock")
        var lock = try KernelLock.tryAcquire(path)
        #expect(lock != nil)
        let copy = dup(try #require(try descriptor(of: path)))
        defer { close(copy) }
        lock = nil
        #expect(try KernelLock.tryAcquire(path) != nil)
    }

    /// The number of this process's descriptor of an open file.
    private func descriptor(of path: String) throws -> Int32? {
        let file = FileStamp(at: path)
        let listing = try FolderListing(FileHandle("/proc/self/fd", O_RDONLY | O_DIRECTORY))
        return listing.entries.compactMap {
            Int32(String(decoding: listing.name($0), as: UTF8.self))
        }
        .first { FileStamp(at: "/proc/self/fd/\($0)", followingSymlinks: true) == file }
    }
}

@Suite struct DurableFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> [String] {
        try TreeFixture.read(folder.path).nodes.keys.map {
            String(decoding: $0.bytes, as: UTF8.self)
        }.sorted()
    }

    @Test(
        "H1 the new content takes the name, and nothing else is left",
        arguments: [DurableFile.Durability.none, .content, .full])
    func replaced(_ durability: DurableFile.Durability) throws {
        let path = folder.path("f")
        try DurableFile.replace(path.utf8, with: [1], durability)
        try DurableFile.replace(path.utf8, with: [2, 3], mode: 0o640, durability)
        #expect(try StateFile.read(path) == [2, 3])
        #expect(try names() == ["f"])
    }

    @Test func `H1 an uncommitted file changes nothing and leaves nothing`() throws {
        let path = folder.path("f")
        try DurableFile.replace(path.utf8, with: [1])
        do {
            let file = try DurableFile(path.utf8)
            try file.handle.write([2])
            #expect(try names().count == 2)
            withExtendedLifetime(file) {}
        }
        #expect(try StateFile.read(path) == [1])
        #expect(try names() == ["f"])
    }

    @Test func `H1 an existing file at the staged name is not written through`() throws {
        let tree: TreeFixture = ["far": .file("x"), ".s": .symlink("far")]
        try tree.write(to: folder.path)
        let opened = try FileHandle(folder.path, O_RDONLY | O_DIRECTORY)
        #expect(throws: SystemError(EEXIST)) {
            try DurableFile.replace(
                "f".utf8, in: opened.raw, staged: Array(".s".utf8), with: [1])
        }
        #expect(try TreeFixture.read(folder.path) == tree)
    }

    @Test func `H1 a tree is removed, and no symlink is followed`() throws {
        let tree: TreeFixture = [
            "kept": .directory(["f": .file("x")]),
            "gone": .directory([
                "a": .directory(["b": .directory(["f": .file("y")])]), "link": .symlink("../kept"),
            ]),
            "alias": .symlink("kept"),
        ]
        try tree.write(to: folder.path)
        TreeRemoval.remove(folder.path("gone"))
        TreeRemoval.remove(folder.path("alias"))
        TreeRemoval.remove(folder.path("none"))
        #expect(try TreeFixture.read(folder.path) == ["kept": .directory(["f": .file("x")])])
    }
}
