import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// The names in a folder.
@Suite("Folder listings")
struct FolderListingTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func listing() throws -> FolderListing {
        try FolderListing(FileHandle(folder.path, O_RDONLY | O_DIRECTORY))
    }

    @Test func `all names are listed as bytes, except the folder's own`() throws {
        let names: [[UInt8]] = [
            Array("...".utf8), Array(".a".utf8), Array("..a".utf8), Array("a b\n".utf8),
            [0xFF, 0x80], [0x65, 0xCC, 0x81], [0xC3, 0xA9],
            [UInt8](repeating: 0x6E, count: 255),
        ]
        var tree = TreeFixture()
        for name in names { tree[TreeFixture.Name(name)] = .file("x") }
        try tree.write(to: folder.path)
        let listing = try listing()
        let found = listing.entries.map { Array(listing.name($0)) }
        #expect(Set(found) == Set(names) && found.count == names.count)
        for name in names { #expect(listing.contains(name)) }
        #expect(!listing.contains(".".utf8) && !listing.contains("..".utf8))
        #expect(!listing.contains("a b".utf8) && !listing.contains("".utf8))
    }

    @Test func `a folder of more names than one call returns is listed as a whole`() throws {
        let names = (0..<1_500).map { "\(String(repeating: "n", count: 40))-\($0)" }
        for name in names { #expect(close(open(folder.path(name), O_CREAT, 0o600)) == 0) }
        let listing = try listing()
        let found = listing.entries.map { String(decoding: listing.name($0), as: UTF8.self) }
        #expect(found.count == names.count && Set(found) == Set(names))
        #expect(listing.entries.map(\.inode) == listing.entries.map(\.inode).sorted())
    }

    @Test func `a symlink is neither a folder nor a file, wherever it leads`() throws {
        let tree: TreeFixture = [
            "d": .directory(), "f": .file("x"), "to-d": .symlink("d"), "to-f": .symlink("f"),
            "pipe": .special,
        ]
        try tree.write(to: folder.path)
        let handle = try FileHandle(folder.path, O_RDONLY | O_DIRECTORY)
        let listing = try FolderListing(handle)
        for var entry in listing.entries {
            let name = String(decoding: listing.name(entry), as: UTF8.self)
            // Some file systems leave out the type.
            for type in [entry.type, UInt8(DT_UNKNOWN)] {
                entry.type = type
                #expect(listing.isFolder(entry, in: handle) == (name == "d"), "\(name) \(type)")
                #expect(listing.isRegularFile(entry, in: handle) == (name == "f"), "\(name)")
            }
        }
        #expect(listing.entries.count == 5)
    }

    @Test func `a name of an unknown type that is gone is nothing`() throws {
        try (["d": .directory(), "f": .file("x")] as TreeFixture).write(to: folder.path)
        let handle = try FileHandle(folder.path, O_RDONLY | O_DIRECTORY)
        let listing = try FolderListing(handle)
        TreeRemoval.remove(folder.path("d"))
        TreeRemoval.remove(folder.path("f"))
        for var entry in listing.entries {
            entry.type = UInt8(DT_UNKNOWN)
            #expect(listing.isFolder(entry, in: handle) == false)
            #expect(listing.isRegularFile(entry, in: handle) == false)
        }
    }

    @Test func `an empty folder has no names, and a file is an error, not an empty folder`()
        throws
    {
        #expect(try listing().entries.isEmpty)
        try StateFile.replace(folder.path("f"), with: [])
        #expect(throws: SystemError(ENOTDIR)) {
            try FolderListing(FileHandle(folder.path("f"), O_RDONLY))
        }
    }
}

/// The lock that one process holds at a time.
@Suite("Kernel locks", .timeLimit(.minutes(10)))
struct KernelLockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the lock's file is its owner's only, and stays`() throws {
        let path = folder.path("lock")
        for _ in 0..<2 {
            let lock = try #require(try KernelLock.tryAcquire(path))
            var record = stat()
            #expect(stat(path, &record) == 0)
            #expect(record.st_mode & 0o777 == 0o600)
            withExtendedLifetime(lock) {}
        }
        #expect(StateFile.exists(path))
    }

    @Test func `the holder is the last one, also with a shorter name`() throws {
        let path = folder.path("lock")
        let lock = try #require(try KernelLock.tryAcquire(path))
        lock.writeHolder("a long name")
        lock.writeHolder("me")
        #expect(try StateFile.read(path) == Array("me".utf8))
    }

    @Test func `a lock whose file was removed does not keep others from a new one`() throws {
        let path = folder.path("lock")
        let first = try #require(try KernelLock.tryAcquire(path))
        unlink(path)
        let second = try KernelLock.tryAcquire(path)
        #expect(second != nil)
        #expect(try KernelLock.tryAcquire(path) == nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "a lock that cannot be opened is a failure with its path and cause",
        arguments: [
            ("none/lock", ENOENT, Failure.Code.notFound), ("link", ELOOP, .io), ("d", EISDIR, .io),
        ])
    func failures(_ name: String, _ number: Int32, _ code: Failure.Code) throws {
        let tree: TreeFixture = ["f": .file("x"), "link": .symlink("f"), "d": .directory()]
        try tree.write(to: folder.path)
        let path = folder.path(name)
        let failure = #expect(throws: Failure.self) { try KernelLock.tryAcquire(path) }
        #expect(failure?.code == code)
        #expect(failure?.path == Array(path.utf8))
        #expect(failure?.message.hasPrefix("Cannot open the lock: ") == true)
        #expect(failure?.cause as? SystemError == SystemError(number))
        #expect(try TreeFixture.read(folder.path) == tree)
    }

    @Test func `who waits gets the lock when it is released`() async throws {
        let path = folder.path("lock")
        let (first, second) = (try file(path), try file(path))
        #expect(try first.handle.lock(waits: false))
        #expect(try !second.handle.lock(waits: false))
        async let waited = offload { try second.handle.lock(waits: true) }
        first.handle.unlock()
        #expect(try await waited)
        #expect(try !first.handle.lock(waits: false))
    }

    private func file(_ path: String) throws -> NamedFile {
        try NamedFile(path, O_RDWR | O_CREAT, of: .own)
    }
}
