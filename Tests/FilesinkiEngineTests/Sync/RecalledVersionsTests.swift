import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// A replica without a base whose root has an old version of a file, in a store that begins with a checkpoint.
@Suite("Old versions without a base")
struct RecalledVersionsTests {
    /// What became of the last version.
    enum Fate: Sendable {
        case isThere, isDeleted, isRenamed, isFolder
        /// It is deleted, and the log has lost its first commit.
        case isForgotten
    }

    /// How the replica that has lost its state begins.
    enum Beginning: Sendable, CaseIterable { case atOnce, withASave, inBatches, killedInBatches }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var versions: [TreeFixture.Node] = [.file("1"), .file("2"), .file("3")]
        /// What the root has.
        let held: TreeFixture.Node
        let fate: Fate
        /// What all devices have at the path in the end.
        let wanted: TreeFixture.Node?
        var copies = 0

        init(
            _ name: String, _ held: TreeFixture.Node, _ fate: Fate, _ wanted: TreeFixture.Node?,
            copies: Int = 0
        ) {
            (testDescription, self.held, self.fate, self.wanted) = (name, held, fate, wanted)
            self.copies = copies
        }
    }

    static let rows = [
        Row("the first version of a deleted file is a stale copy", .file("1"), .isDeleted, nil),
        Row("the first version of a file becomes the last one", .file("1"), .isThere, .file("3")),
        Row("the first version does not stay under an old name", .file("1"), .isRenamed, nil),
        Row(
            "the first version of a file makes room for a folder", .file("1"), .isFolder,
            .directory(["x": .file("x")])),
        Row("another content of a deleted file is new", .file("own"), .isDeleted, .file("own")),
        Row("another content is a conflict", .file("own"), .isThere, .file("3"), copies: 1),
        Row(
            "what the log does not tell any more is new", .file("2"),
            .isForgotten, .file("2")),
        links,
    ]

    private static var links: Row {
        var row = Row("the first target of a deleted link is stale", .symlink("k"), .isDeleted, nil)
        row.versions = [.symlink("k"), .symlink("l"), .symlink("m")]
        return row
    }

    /// The store has all versions of `f`, and a checkpoint of a later commit. `b` has `f` as the row says, and no state.
    private func scene(_ row: Row) async throws -> (World, Machine, Machine) {
        let world = try World()
        let files: TreeFixture = [
            "f": row.versions[0], "k": .file("k"), "l": .file("l"), "m": .file("m"),
        ]
        var (a, b) = try await world.pair(files)
        a.options.checkpointInterval = 2
        for version in row.versions.dropFirst() {
            try a.write(["f": version])
            try await a.sync()
        }
        try end(row.fate, a)
        try await a.sync()
        for number in 0..<2 { try await a.save("n\(number)", at: "n") }
        if row.fate == .isForgotten {
            let first = "zones/files/log/00000000000000000001/c"
            world.store.objects[try ObjectKey(first)] = nil
        }
        if row.held != row.versions[0] { try b.write(["f": row.held]) }
        b.remove(".filesinki")
        _ = try await Replica.initialize(b.options, address: "memory", deviceName: "b2")
        return (world, a, b)
    }

    private func end(_ fate: Fate, _ machine: Machine) throws {
        switch fate {
        case .isThere: break
        case .isDeleted, .isForgotten: machine.remove("f")
        case .isRenamed: machine.rename("f", "g")
        case .isFolder: try machine.write(["f": .directory(["x": .file("x")])])
        }
    }

    private func begin(_ beginning: Beginning, _ machine: Machine, _ world: World) async throws {
        let inBatches = { (options: inout SyncOptions) in
            (options.batchSize, options.wholeRunLimit) = (1, 2)
        }
        switch beginning {
        case .atOnce: break
        case .withASave: try await machine.save("s", at: "s")
        case .inBatches: try await machine.sync(inBatches)
        case .killedInBatches:
            let dying = DyingRemote(remote: world.remote)
            dying.willDie(afterPublishing: 1)
            var killed = machine
            killed.options.connect = { _ in dying }
            try machine.write(["s": .file("s")])
            await #expect(throws: Failure.self) { try await killed.sync(inBatches) }
        }
        try await machine.sync()
    }

    private func expect(_ row: Row, _ world: World, _ machine: Machine) async throws {
        let tree = try machine.tree()
        #expect(tree["f"] == row.wanted)
        #expect(tree["g"] == (row.fate == .isRenamed ? row.versions.last : nil))
        #expect(try machine.names.count { $0.contains("(conflict") } == row.copies)
        try await world.converge()
        #expect(try machine.tree() == tree)
    }

    @Test(arguments: rows)
    func `a version that the path had is no edit`(_ row: Row) async throws {
        let (world, a, b) = try await scene(row)
        try await b.sync()
        try await expect(row, world, b)
        #expect(try a.tree() == b.tree())
    }

    @Test(arguments: rows.prefix(2), Beginning.allCases.dropFirst())
    func `nor in a later run than the first`(_ row: Row, _ beginning: Beginning) async throws {
        let (world, _, b) = try await scene(row)
        try await begin(beginning, b, world)
        try await expect(row, world, b)
    }

    @Test(arguments: [false, true])
    func `the log is read once, and not where nothing is in doubt`(_ inBatches: Bool) async throws {
        let (world, a, b) = try await scene(Self.rows[5])
        b.remove("f")
        let second = "zones/files/log/00000000000000000002/"
        func readings(_ run: () async throws -> Void) async throws -> Int {
            let count = world.remote.log.count
            try await run()
            return world.remote.log.dropFirst(count).count { $0.key.hasPrefix(second) }
        }
        #expect(try await readings { try await b.sync() } == 0)
        b.remove(".filesinki")
        _ = try await Replica.initialize(b.options, address: "memory", deviceName: "b3")
        try b.write(["f": .file("own")])
        let count = try await readings {
            try await b.sync { if inBatches { ($0.batchSize, $0.wholeRunLimit) = (1, 2) } }
        }
        #expect(count > 0)
        // Another path without a base that both sides have.
        try a.write(["g": .file("theirs")])
        try await a.sync()
        try b.write(["g": .file("ours")])
        #expect(try await readings { try await b.sync() } == 0)
        #expect(b.text("g") == "theirs")
    }
}
