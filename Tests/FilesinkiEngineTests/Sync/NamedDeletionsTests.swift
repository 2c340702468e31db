import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// What a command was told to delete while the store was away, and a later run publishes.
@Suite struct NamedDeletionsTests {
    let world: World
    let a: Machine
    let b: Machine

    /// The folder `big` with 30 files, and 30 files beside it.
    init() async throws {
        world = try World()
        let files = Self.files()
        var tree = files
        tree.nodes["big"] = .directory(files)
        (a, b) = try await world.pair(tree)
    }

    private static func files() -> TreeFixture {
        let nodes = (0..<30).map { (TreeFixture.Name(Array("f\($0)".utf8)), $0) }
        return TreeFixture(
            Dictionary(nodes.map { ($0.0, .file("text \($0.1)")) }) { first, _ in first })
    }

    private func whileAway(_ body: () async throws -> Void) async throws {
        world.remote.isAway = true
        try await body()
        world.remote.isAway = false
    }

    private func deleteBig() async throws {
        let big = try RelativePath("big")
        try await whileAway {
            let report = try await a.with {
                try await $0.delete([big], recursive: true, SyncOptions())
            }
            #expect(report.away != nil)
        }
        #expect(a.text("big/f1") == nil)
    }

    @Test func `a folder that was deleted by name is published without an approval`() async throws {
        try await deleteBig()
        // A run that could not publish it either does not forget it.
        try await whileAway { try await a.sync() }
        let dry = try await a.sync { $0.isDryRun = true }
        #expect(!dry.notices.contains { $0.failure.code == .limit })
        #expect(try await a.sync().publishedCommits == 1)
        try await b.sync { $0.maxDelete = .count(31) }
        #expect(try b.names.count == 30)
    }

    @Test func `what was back in between needs an approval`() async throws {
        try await deleteBig()
        try a.write(["big": .directory(Self.files())])
        try await whileAway { try await a.sync() }
        a.remove("big")
        let failure = try await a.failure { try await $0.sync(SyncOptions()) }
        #expect(failure?.code == .limit)
    }

    @Test func `what was not named is counted, as if the other deletions were published`()
        async throws
    {
        try await deleteBig()
        for number in 0..<26 { a.remove("f\(number)") }
        let failure = try await a.failure { try await $0.sync(SyncOptions()) }
        #expect(failure?.message.contains("would delete 26 of 30 paths") == true)
    }

    @Test func `an unattended run does not count them among those of the last minutes`()
        async throws
    {
        try await deleteBig()
        try await a.sync { $0.isUnattended = true }
        for number in 0..<10 { a.remove("f\(number)") }
        try await a.sync { $0.isUnattended = true }
        try await b.sync { $0.maxDelete = .count(100) }
        #expect(try b.names.count == 20)
    }

    @Test func `a folder that was renamed by name, and then deleted otherwise, is counted`()
        async throws
    {
        try await whileAway {
            let rename = PathRename(from: try RelativePath("big"), to: try RelativePath("moved"))
            _ = try await a.with { try await $0.move([rename], SyncOptions()) }
        }
        #expect(a.text("moved/f1") != nil && a.text("big/f1") == nil)
        a.remove("moved")
        let failure = try await a.failure { try await $0.sync(SyncOptions()) }
        #expect(failure?.code == .limit)
    }

    @Test("a root of which one file was renamed is not empty", arguments: [false, true])
    func renamed(_ isByCommand: Bool) async throws {
        let small = try World()
        let (c, d) = try await small.pair(["f": .file("one"), "g": .file("another")])
        if isByCommand {
            small.remote.isAway = true
            let rename = PathRename(from: try RelativePath("f"), to: try RelativePath("f2"))
            _ = try await c.with { try await $0.move([rename], SyncOptions()) }
            small.remote.isAway = false
        } else {
            c.rename("f", "f2")
        }
        c.remove("g")
        try await c.sync()
        try await d.sync()
        #expect(try d.names == ["f2"])
    }
}
