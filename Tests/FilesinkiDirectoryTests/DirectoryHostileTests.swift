import FilesinkiDirectory
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Glibc
import Testing

/// What else can be in the folder of a store than what a store writes.
@Suite struct DirectoryHostileTests {
    let folder: TemporaryFolder
    let remote: DirectoryRemote

    init() throws {
        folder = try TemporaryFolder()
        remote = DirectoryRemote(path: folder.path)
    }

    private func plant(_ tree: TreeFixture) throws { try tree.write(to: folder.path) }

    private func code(_ body: () async throws -> Void) async -> Failure.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? Failure)?.code }
    }

    @Test func `a symlink at a key or on the way to it is never followed`() async throws {
        let outside = try TemporaryFolder()
        let secret: TreeFixture = ["c": .file("secret")]
        try secret.write(to: outside.path)
        try plant([
            "packs": .symlink(outside.path), "file": .directory(["c": .symlink(outside.path("c"))]),
            "log": .directory(["1": .symlink(outside.path)]),
        ])
        for name in ["packs/c", "file/c", "log/1/c"] {
            let key = try ObjectKey(name)
            #expect(await code { _ = try await remote.get(key, range: nil) } == .corrupt, "\(name)")
        }
        for name in ["packs/c", "packs/new", "log/1/new"] {
            let key = try ObjectKey(name)
            #expect(await code { try await remote.put([1], to: key) } == .corrupt, "\(name)")
            #expect(await code { try await remote.delete(key) } == .corrupt, "\(name)")
        }
        #expect(
            await code { _ = try await remote.publish([1], to: ObjectKey("log/1/c")) } == .corrupt)
        #expect(
            await code { _ = try await remote.publish([1], to: ObjectKey("packs/2/c")) } == .corrupt
        )
        #expect(try await remote.list(prefix: "", after: nil, limit: 99).isEmpty)
        #expect(try TreeFixture.read(outside.path) == secret)
    }

    @Test func `a link at the key of an object is replaced, not written through`() async throws {
        let outside = try TemporaryFolder()
        let secret: TreeFixture = ["x": .file("secret")]
        try secret.write(to: outside.path)
        try plant(["packs": .directory(["a": .symlink(outside.path("x"))])])
        try await remote.put([0x61], to: ObjectKey("packs/a"))
        #expect(try TreeFixture.read(outside.path) == secret)
        #expect(try TreeFixture.read(folder.path) == ["packs": .directory(["a": .file("a")])])
    }

    @Test(
        "a slot's path of another kind is an error",
        arguments: [
            TreeFixture.Node.file("x"), .directory(["other": .file("x")]),
            .directory(["c": .special]),
            .special,
        ])
    func strangers(_ node: TreeFixture.Node) async throws {
        try plant(["log": .directory(["1": node])])
        let slot = try ObjectKey("log/1/c")
        #expect(await code { _ = try await remote.publish([1], to: slot) } == .corrupt)
        #expect(try TreeFixture.read(folder.path) == ["log": .directory(["1": node])])
    }

    @Test func `an empty folder at a slot's place counts as absent`() async throws {
        try plant(["log": .directory(["1": .directory()])])
        let slot = try ObjectKey("log/1/c")
        #expect(try await remote.get(slot, range: nil) == nil)
        #expect(try await remote.list(prefix: "", after: nil, limit: 9).isEmpty)
        #expect(try await remote.publish([0x61], to: slot) == .mine)
        #expect(try await remote.get(slot, range: nil) == [0x61])
    }

    @Test func `a FIFO at a key does not block the reader`() async throws {
        try plant(["packs": .directory(["a": .special])])
        #expect(
            await code { _ = try await remote.get(ObjectKey("packs/a"), range: nil) } == .corrupt)
    }

    @Test func `names that no store writes are not listed`() async throws {
        var inner: TreeFixture = [
            "a": .file("1"), "A": .file("2"), ".hidden": .file("3"), "a b": .file("4"),
            "ä": .file("5"), "fifo": .special, ".t-0123456789abcdef": .file("6"),
            ".d": .directory(["x": .file("7")]), "link": .symlink("a"),
        ]
        inner[.init([0x66, 0xFF])] = .file("8")
        try plant(["packs": .folder(inner, mode: 0o755)])
        #expect(
            try await remote.list(prefix: "", after: nil, limit: 99).map(\.key.description) == [
                "packs/a"
            ])
    }

    @Test func `an object of an absurd size is refused before it is read into memory`() async throws
    {
        try plant(["packs": .directory(["a": .file("")])])
        #expect(truncate(folder.path("packs/a"), 10 << 30) == 0)
        let key = try ObjectKey("packs/a")
        #expect(await code { _ = try await remote.get(key, range: nil) } == .limit)
        #expect(try await remote.get(key, range: (9 << 30)..<(9 << 30) + 3) == [0, 0, 0])
    }

    @Test func `a key of many levels is listed, one too long is not`() async throws {
        let deep = Array(repeating: "a", count: 256).joined(separator: "/")
        try await remote.put([1], to: ObjectKey(deep))
        #expect(
            try await remote.list(prefix: "", after: nil, limit: 9).map(\.key.description) == [deep]
        )
    }
}
