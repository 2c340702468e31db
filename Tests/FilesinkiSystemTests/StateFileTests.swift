import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// The small files of the program's own state.
@Suite("State files")
struct StateFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ body: () throws -> Void) -> Failure? {
        #expect(throws: Failure.self, performing: body)
    }

    @Test func `a file that is not there is nil, and so is one below a file`() throws {
        try StateFile.replace(folder.path("f"), with: [1])
        for name in ["none", "none/f", "f/none"] {
            #expect(try StateFile.read(folder.path(name)) == nil, "\(name)")
            #expect(try StateFile.read(folder.path(name), followingSymlinks: true) == nil)
        }
        #expect(try StateFile.read(folder.path("f")) == [1])
    }

    @Test func `a symlink is followed only in the place of a user's own file`() throws {
        let tree: TreeFixture = [
            "f": .file("x"), "link": .symlink("f"), "dangling": .symlink("none"),
        ]
        try tree.write(to: folder.path)
        let refused = failure { _ = try StateFile.read(folder.path("link")) }
        #expect(refused?.code == .io)
        #expect(refused?.path == Array(folder.path("link").utf8))
        #expect(
            refused?.remedy == "A symlink is in its place. Replace it with a file or a folder.")
        #expect(try StateFile.read(folder.path("link"), followingSymlinks: true) == [0x78])
        let dangling = failure {
            _ = try StateFile.read(folder.path("dangling"), followingSymlinks: true)
        }
        #expect(dangling?.code == .io)
        #expect(dangling?.path == Array(folder.path("dangling").utf8))
        #expect(dangling?.message == "The symlink leads to a file that does not exist.")
        #expect(dangling?.remedy == "Mount the disk of that file, or remove the symlink.")
    }

    @Test func `a file of 64 MiB is read, and one more byte is too large`() throws {
        let path = folder.path("large")
        try StateFile.replace(path, with: [])
        #expect(truncate(path, off_t(StateFile.limit) + 1) == 0)
        let refused = failure { _ = try StateFile.read(path) }
        #expect(refused?.code == .corrupt)
        #expect(refused?.path == Array(path.utf8))
        #expect(refused?.message == "The file is too large.")
        #expect(truncate(path, off_t(StateFile.limit)) == 0)
        #expect(try StateFile.read(path)?.count == 64 << 20)
    }

    @Test func `a folder in the place of a file is a failure`() throws {
        mkdir(folder.path("d"), 0o700)
        let reading = failure { _ = try StateFile.read(folder.path("d")) }
        #expect(reading?.message == "Cannot read the file: is a directory.")
        let writing = failure { try StateFile.replace(folder.path("d"), with: [1]) }
        #expect(writing?.message == "Cannot write the file: is a directory.")
        #expect(writing?.remedy == "A folder is in its place. Rename or remove one of them.")
        // What was written for it is gone.
        #expect(try StateFile.names(in: folder.path) == ["d"])
    }

    @Test("a new file is the owner's only", arguments: [true, false])
    func mode(_ durable: Bool) throws {
        try StateFile.replace(folder.path("f"), with: [1], durable: durable)
        var record = stat()
        #expect(stat(folder.path("f"), &record) == 0)
        #expect(record.st_mode & 0o777 == 0o600)
    }

    @Test func `a file in a missing folder cannot be written`() {
        let path = folder.path("none/f")
        let writing = failure { try StateFile.replace(path, with: [1]) }
        #expect(writing?.code == .io && writing?.path == Array(path.utf8))
        #expect(writing?.message == "Cannot write the file: no such file or directory.")
        #expect(writing?.remedy == "Check that its folder exists.")
    }

    @Test func `the names in a folder are listed, whatever they begin with`() throws {
        let tree: TreeFixture = [
            ".hidden": .file("x"), "...": .file("x"), "d": .directory(["inner": .file("x")]),
            "link": .symlink("none"),
        ]
        try tree.write(to: folder.path)
        #expect(
            try StateFile.names(in: folder.path).sorted() == ["...", ".hidden", "d", "link"])
        let listing = failure { _ = try StateFile.names(in: folder.path(".hidden")) }
        #expect(listing?.message == "Cannot read the folder: not a directory.")
    }

    // MARK: Folders

    @Test func `a folder is made with those above it, and one that is there is kept`() throws {
        for _ in 0..<2 { try StateFile.makeFolder(folder.path("a/b//c/")) }
        try StateFile.makeFolder(folder.path("a/d"), mode: 0o500)
        try StateFile.makeFolder("/")
        #expect(
            try TreeFixture.read(folder.path) == [
                "a": .directory(
                    [
                        "b": .directory(["c": .directory(mode: 0o700)], mode: 0o700),
                        "d": .directory(mode: 0o500),
                    ], mode: 0o700)
            ])
    }

    @Test func `a file on the way is the path of the failure`() throws {
        try StateFile.replace(folder.path("f"), with: [])
        let making = failure { try StateFile.makeFolder(folder.path("f/a/b")) }
        #expect(making?.code == .io)
        #expect(making?.path == Array(folder.path("f/a").utf8))
        #expect(making?.message == "Cannot create the folder: not a directory.")
        #expect(making?.cause as? SystemError == SystemError(ENOTDIR))
    }

    @Test func `a scratch folder has a name of its own, for its owner only`() throws {
        let made = try ["merge", "merge", "check"].map {
            try StateFile.makeScratchFolder(in: folder.path, for: $0)
        }
        #expect(Set(made).count == 3)
        #expect(
            made[0].hasPrefix(folder.path("merge-")) && made[2].hasPrefix(folder.path("check-")))
        var record = stat()
        #expect(stat(made[0], &record) == 0)
        #expect(record.isFolder && record.st_mode & 0o777 == 0o700)
        let making = failure { _ = try StateFile.makeScratchFolder(in: folder.path("none")) }
        #expect(making?.path == Array(folder.path("none").utf8))
        #expect(making?.message == "Cannot create a folder: no such file or directory.")
    }

    @Test func `a symlink exists, wherever it leads`() throws {
        let tree: TreeFixture = ["dangling": .symlink("none"), "d": .directory()]
        try tree.write(to: folder.path)
        #expect(StateFile.exists(folder.path("dangling")) && StateFile.exists(folder.path("d")))
        #expect(!StateFile.exists(folder.path("none")) && !StateFile.exists(""))
    }

    // MARK: Appended files

    @Test func `an appended file ends the line that a power cut has torn`() throws {
        let path = folder.path("log")
        try StateFile.replace(path, with: Array("{\"torn\":".utf8))
        let file = try AppendedFile(path)
        try file.append(Array("one\n".utf8))
        try file.append(Array("two\n".utf8))
        try file.sync()
        #expect(try StateFile.read(path) == Array("{\"torn\":\none\ntwo\n".utf8))
        // Several processes append.
        let other = try AppendedFile(path)
        try file.append(Array("three\n".utf8))
        try other.append(Array("four\n".utf8))
        #expect(
            try StateFile.read(path) == Array("{\"torn\":\none\ntwo\n\nthree\nfour\n".utf8))
    }

    @Test func `an appended file is the owner's only, and no symlink`() throws {
        let file = try AppendedFile(folder.path("log"))
        var record = stat()
        #expect(stat(folder.path("log"), &record) == 0)
        #expect(record.st_mode & 0o777 == 0o600)
        symlink("log", folder.path("link"))
        #expect(throws: SystemError(ELOOP)) { try AppendedFile(folder.path("link")) }
        #expect(throws: SystemError(ENOENT)) { try AppendedFile(folder.path("none/log")) }
        withExtendedLifetime(file) {}
    }
}
