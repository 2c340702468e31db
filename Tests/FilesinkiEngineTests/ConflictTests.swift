import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// Two edits of one file, by each of the strategies.
@Suite("Conflicts")
struct ConflictTests {
    private func quarrel(_ world: World) async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair(["f.txt": .file("base")])
        try a.write(["f.txt": .file("from a", modified: Timestamp(seconds: 1_000, nanoseconds: 0))])
        try b.write([
            "f.txt": .file("from b!", modified: Timestamp(seconds: 2_000, nanoseconds: 0))
        ])
        try await a.sync()
        return (a, b)
    }

    @Test("keep-both: the committed content keeps the name, the other becomes a conflict copy")
    func keepBoth() async throws {
        let world = try World()
        let (a, b) = try await quarrel(world)
        let report = try await b.sync()
        #expect(b.text("f.txt") == "from a")
        let copy = try #require(report.copies.first)
        #expect(report.copies.count == 1)
        #expect(copy.description.hasPrefix("f (conflict b "))
        #expect(copy.description.hasSuffix(").txt"))
        #expect(b.text(copy.description) == "from b!")
        try await world.converge()
        #expect(try a.names == [copy.description, "f.txt"])
    }

    @Test("two devices that resolve the same conflict choose the same names")
    func sameNames() async throws {
        let world = try World()
        let made = try await world.replicas("a", "b", "c", holding: ["f": .file("base")])
        for (machine, text) in zip(made, ["one", "two", "three"]) {
            try machine.write(["f": .file(text)])
        }
        for machine in made { try await machine.sync() }
        try await world.converge()
        let contents = try made[0].names.compactMap { made[0].text($0) }
        #expect(Set(contents) == ["one", "two", "three"])
        #expect(contents.count == 3)
    }

    @Test(
        "a choice decides, and the other version is in the history",
        arguments: [
            ("newest", "from b!"), ("oldest", "from a"), ("larger", "from b!"),
            ("smaller", "from a"), ("here", "from b!"), ("there", "from a"),
        ])
    func choice(_ strategy: String, _ winner: String) async throws {
        let world = try World()
        let (_, b) = try await quarrel(world)
        let report = try await b.sync { $0.strategy = try? Strategy(parsing: strategy) }
        #expect(b.text("f.txt") == winner)
        #expect(report.copies.isEmpty)
        #expect(try b.names == ["f.txt"])
        try await world.converge()
        let path = try RelativePath("f.txt")
        let loser = winner == "from a" ? "from b!" : "from a"
        let versions = try await b.with { try await $0.history(of: path) }
        var texts: [String] = []
        for version in versions {
            texts.append(try await b.with { try await $0.shown(version.change.entry.content) })
        }
        #expect(texts.contains(loser), "\(texts)")
        #expect(versions.contains { $0.isSuperseded } == (loser == "from b!"))
    }

    @Test("leave: both sides are unchanged, the conflict is open, and other paths are synced")
    func leave() async throws {
        let world = try World()
        let (a, b) = try await quarrel(world)
        try a.write(["other": .file("x")])
        try await a.sync()
        let report = try await b.sync { $0.strategy = Strategy([.end(.leave)]) }
        #expect(report.conflicts.map(\.description) == ["f.txt"])
        #expect(b.text("f.txt") == "from b!")
        #expect(b.text("other") == "x")
        try await a.sync()
        #expect(a.text("f.txt") == "from a")
        #expect(try await b.with { try await $0.conflicts().count } == 1)
        // It stays open, once, however often it is synced.
        try await b.sync { $0.strategy = Strategy([.end(.leave)]) }
        #expect(try await b.with { try await $0.conflicts().count } == 1)
        #expect(b.text("f.txt") == "from b!")
    }

    @Test(
        "an open conflict is resolved by taking a side",
        arguments: ["here", "there", "base", "bytes"])
    func resolveLeft(_ side: String) async throws {
        let world = try World()
        let (a, b) = try await quarrel(world)
        try await b.sync { $0.strategy = Strategy([.end(.leave)]) }
        let (resolution, winner) = Self.sides[side] ?? (.ours, "")
        let path = try RelativePath("f.txt")
        _ = try await b.with { try await $0.resolve(path, resolution, SyncOptions()) }
        #expect(b.text("f.txt") == winner)
        #expect(try await b.with { try await $0.conflicts().isEmpty })
        try await a.sync()
        #expect(a.text("f.txt") == winner)
        #expect(try a.names == ["f.txt"])
        try await world.converge()
    }

    @Test(
        "a conflict with a copy is resolved by taking a side, and the copy is deleted everywhere",
        arguments: ["here", "there", "base", "bytes"])
    func resolveCopied(_ side: String) async throws {
        let world = try World()
        let (a, b) = try await quarrel(world)
        try await b.sync()
        try await a.sync()
        #expect(try a.names.count == 2)
        #expect(try await b.with { try await $0.conflicts().count } == 1)
        let (resolution, winner) = Self.sides[side] ?? (.ours, "")
        let path = try RelativePath("f.txt")
        _ = try await b.with { try await $0.resolve(path, resolution, SyncOptions()) }
        #expect(b.text("f.txt") == winner)
        try await world.converge()
        #expect(try a.names == ["f.txt"])
        #expect(a.text("f.txt") == winner)
        #expect(try await b.with { try await $0.conflicts().isEmpty })
    }

    private static let sides: [String: (ConflictChoice, String)] = [
        "here": (.ours, "from b!"), "there": (.theirs, "from a"), "base": (.base, "base"),
        "bytes": (.bytes(Array("mine".utf8)), "mine"),
    ]

    @Test("that both sides have created the file is known after its folder was renamed, too")
    func renamedFolder() async throws {
        let world = try World()
        let (a, b) = (try await world.replica("a"), try await world.replica("b"))
        for (machine, text) in [(a, "from a"), (b, "from b!")] {
            try machine.write(["d": .directory(["f.txt": .file(text)]), "k": .file("keep")])
            try await machine.sync()
        }
        // It has not found the conflict, and its version is that of the first commit.
        try await a.sync()
        a.rename("d", "e")
        try await a.sync()
        let found = try await a.with { replica in
            try await replica.withBases(try await replica.conflicts())
        }
        #expect(found.map(\.path.description) == ["e/f.txt"])
        #expect(found.allSatisfy { $0.isBaseKnown && $0.conflict.base == nil })
    }

    @Test("a device that comes later knows that the file in place was edited since")
    func editedSince() async throws {
        let world = try World()
        let (a, b) = try await quarrel(world)
        try await b.sync()
        try await a.sync()
        try a.write(["f.txt": .file("from a and b")])
        try await a.sync()
        let c = try await world.replica("c")
        try await c.sync()
        let found = try await c.with { try await $0.conflicts() }
        #expect(found.map(\.sides.editedVersion) == [4])
    }

    @Test("a conflict ends when the user removes its copy")
    func removedCopy() async throws {
        let world = try World()
        let (_, b) = try await quarrel(world)
        let copy = try #require(try await b.sync().copies.first)
        b.remove(copy.description)
        #expect(try await b.with { try await $0.conflicts().isEmpty })
        try await world.converge()
        #expect(try b.names == ["f.txt"])
    }

    @Test("equal edits agree: no copy, no commit, no strategy")
    func equal() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        let edit: TreeFixture = [
            "f": .file("same", modified: Timestamp(seconds: 5, nanoseconds: 6)), "n": .file("new"),
        ]
        try a.write(edit)
        try b.write(edit)
        try await a.sync()
        let report = try await b.sync()
        #expect(report.copies.isEmpty)
        try await world.converge()
        #expect(try a.names == ["f", "n"])
    }
}
