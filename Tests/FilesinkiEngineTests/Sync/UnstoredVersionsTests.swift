import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// What a path once had is deleted or replaced here only as long as the store still holds it.
@Suite("Old versions that a prune has removed")
struct UnstoredVersionsTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The version that the folder has which joins the store, of three.
        let held: Int
        var isLarge = true
        var isDeleted = false
        var isPruned = false
        /// The version that all devices have in the end; nil for none.
        let wanted: Int?
        var copies = 0
    }

    static let rows = [
        Row(
            testDescription: "the last version of a deleted file is deleted", held: 3,
            isDeleted: true, wanted: nil),
        Row(
            testDescription: "the last copy of it stays, and is sent", held: 3, isDeleted: true,
            isPruned: true, wanted: 3),
        Row(
            testDescription: "an older version that is the last copy, too", held: 1,
            isDeleted: true, isPruned: true, wanted: 1),
        Row(
            testDescription: "a small one is in a commit, where no prune removes it", held: 3,
            isLarge: false, isDeleted: true, isPruned: true, wanted: nil),
        Row(testDescription: "an older version is replaced", held: 1, wanted: 3),
        Row(
            testDescription: "the last copy of it is kept aside", held: 1, isPruned: true,
            wanted: 3, copies: 1),
    ]

    private func version(_ number: Int, _ row: Row) -> TreeFixture.Node {
        row.isLarge ? large(UInt64(number)) : .file("\(number)")
    }

    /// The store forgets what only its history has.
    private func pruneWithoutB() async throws {
        try await a.with { try await $0.forgetDevice("b") }
        world.clock.advance(by: .seconds(90_000))
        try a.write(["m": .file("new")])
        try await a.sync()
        try await prune(a)
    }

    @Test(arguments: rows, [false, true])
    func `a folder that joins loses no last copy`(
        _ row: Row, beginsWithCheckpoint: Bool
    ) async throws {
        var writer = a
        if beginsWithCheckpoint { writer.options.checkpointInterval = 2 }
        for number in 1...3 {
            try writer.write(["f": version(number, row)])
            try await writer.sync()
        }
        if row.isDeleted { writer.remove("f") }
        try await writer.sync()
        if row.isPruned { try await pruneWithoutB() }
        for number in 0..<2 { try await writer.save("n\(number)", at: "n") }
        let c = try await world.replica("c")
        try c.write(["f": version(row.held, row)])
        try await c.sync()
        let tree = try c.tree()
        #expect(tree["f"] == row.wanted.map { version($0, row) })
        let copies = try c.names.filter { $0.contains("(conflict") }
        #expect(copies.count == row.copies)
        for copy in copies { #expect(tree[name(copy)] == version(row.held, row)) }
        try await expectWhole()
        #expect(try a.tree() == tree)
        guard row.isDeleted, !row.isPruned else { return }
        let path = try RelativePath("f")
        _ = try await c.with { try await $0.undelete(path, SyncOptions()) }
        #expect(try c.tree()["f"] == version(3, row))
    }

    @Test(arguments: [false, true])
    func `what a rule kept here is deleted at its end only if the store has it`(
        isPruned: Bool
    ) async throws {
        try a.write(["f": large(1)])
        try await a.sync()
        try await b.sync()
        try b.write([".filesinki": .directory(["ignore": .file("f\n")])])
        try await b.sync()
        a.remove("f")
        for machine in [a, b] { try await machine.sync() }
        #expect(try b.tree()["f"] == large(1))
        if isPruned { try await pruneWithoutB() }
        try b.write([".filesinki": .directory(["ignore": .file("")])])
        try await b.sync()
        #expect(try b.tree()["f"] == (isPruned ? large(1) : nil))
        try await expectWhole()
    }

    @Test func `what was ignored here is not published when another device ends the rule`()
        async throws
    {
        try a.write(["p.env": large(1)])
        try await a.sync()
        try await b.sync()
        try a.write([".filesinkiignore": .file("*.env\n")])
        for machine in [a, b] { try await machine.sync() }
        a.remove(".filesinkiignore")
        try await a.sync()
        try a.write(["p.env": large(2)])
        try await a.sync()
        try await pruneWithoutB()
        for _ in 1...2 { try await b.sync() }
        #expect(try b.options.stateFolder.withheldPaths() == [RelativePath("p.env")])
        #expect(try b.tree()["p.env"] == large(1))
        try await a.sync()
        #expect(try a.names == ["k", "m", "p.env"])
        #expect(try a.tree()["p.env"] == large(2))
    }
}
