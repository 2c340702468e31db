import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Copies within the tree, while a user writes into it.
@Suite struct ApplierTests {
    private let world: World
    private let a: Machine

    init() async throws {
        world = try World()
        a = try await world.replica("a")
        try a.write(["x": .file("of x"), "y": .file("of y")])
        try await a.sync()
    }

    /// Applies the steps that a plan made of what was synced.
    private func apply(
        _ steps: @Sendable @escaping (BaseIndex) throws -> [Step]
    ) async throws -> ApplyResult {
        try await a.with { replica in
            try await replica.perform(SyncEngine.self) { engine in
                let base = try engine.fullBase()
                var run = try await engine.begin(SyncOptions(), .everything, base)
                try await engine.fetch(&run)
                return try #require(try await engine.apply(&run, steps(base)))
            }
        }
    }

    private static func copy(_ origin: String, to path: String, _ base: BaseIndex) throws -> Step {
        let entry = try #require(base.row(RelativePath(origin))?.entry)
        return Step(
            path: try RelativePath(path), ours: base.row(try RelativePath(path))?.entry,
            action: .both(entry), reason: .edit, origin: try RelativePath(origin))
    }

    @Test func `a copy whose name a user has taken goes beside it if its old name is taken`()
        async throws
    {
        try a.write(["new": .file("of a user")])
        // Of "x" a copy goes to "new", and in the same plan "x" becomes a copy of "y".
        let result = try await apply { base in
            [try Self.copy("y", to: "x", base), try Self.copy("x", to: "new", base)]
        }
        #expect(result.surprised.map(\.description) == ["new"])
        #expect(a.text("x") == "of y" && a.text("new") == "of a user")
        let hash = ContentHasher.hash(Array("of x".utf8)).description.prefix(8)
        #expect(a.text("new (conflict a \(hash))") == "of x")
    }

    @Test func `it is left where it is if its old name is not taken`() async throws {
        try a.write(["new": .file("of a user")])
        let result = try await apply { base in [try Self.copy("x", to: "new", base)] }
        #expect(result.surprised.map(\.description) == ["new"])
        #expect(a.text("x") == "of x" && a.text("new") == "of a user")
        #expect(try a.names == ["new", "x", "y"])
    }

    private static func removal(of path: String, _ base: BaseIndex) throws -> Step {
        let path = try RelativePath(path)
        return Step(
            path: path, ours: base.row(path)?.entry, action: .take(.tombstone), reason: .edit)
    }

    @Test func `what could not be copied is not removed either`() async throws {
        try a.write(["new": .file("of a user")])
        let result = try await apply { base in
            [try Self.copy("x", to: "new", base), try Self.removal(of: "x", base)]
        }
        #expect(result.surprised.map(\.description) == ["new"])
        #expect(result.done.isEmpty)
        #expect(a.text("x") == "of x" && a.text("new") == "of a user")
    }

    @Test func `the old name of a file stays if its new one could not be given`() async throws {
        try a.write(["new": .file("of a user")])
        let result = try await apply { base in
            let (x, new) = (try RelativePath("x"), try RelativePath("new"))
            let entry = try #require(base.row(x)?.entry)
            return [
                Step(path: new, action: .take(entry), reason: .edit, origin: x),
                try Self.removal(of: "x", base), try Self.removal(of: "y", base),
            ]
        }
        #expect(result.surprised.map(\.description) == ["new"])
        #expect(result.done.keys.map(\.description) == ["y"])
        #expect(a.text("x") == "of x" && a.text("new") == "of a user")
        #expect(try a.names == ["new", "x"])
    }

    @Test func `a file that was edited since is not copied, and keeps its edit`() async throws {
        try a.write(["x": .file("edited")])
        let result = try await apply { base in
            [try Self.copy("x", to: "new", base), try Self.removal(of: "x", base)]
        }
        #expect(result.surprised.map(\.description) == ["new"])
        #expect(result.done.isEmpty)
        #expect(try a.names == ["x", "y"])
        #expect(a.text("x") == "edited")
    }

    @Test func `a file that was edited since is not renamed: its old content gets the new name`()
        async throws
    {
        try a.write(["x": .file("edited")])
        let result = try await apply { base in
            let (x, new) = (try RelativePath("x"), try RelativePath("new"))
            let entry = try #require(base.row(x)?.entry)
            return [
                Step(path: new, action: .take(entry), reason: .edit, origin: x),
                try Self.removal(of: "x", base),
            ]
        }
        #expect(result.done.keys.map(\.description) == ["new"])
        #expect(result.surprised.map(\.description) == ["x"])
        #expect(a.text("new") == "of x" && a.text("x") == "edited")
    }
}
