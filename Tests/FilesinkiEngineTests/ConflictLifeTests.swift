import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

/// From the run that finds a conflict to the one that ends it, and back.
@Suite("The life cycle of a conflict")
struct ConflictLifeTests {
    let world: World
    let (a, b): (Machine, Machine)
    let path: RelativePath

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f.txt": .file("base")])
        path = try RelativePath("f.txt")
        try a.write(["f.txt": .file("from a")])
        try b.write(["f.txt": .file("from b")])
        try await a.sync()
    }

    private func leave() async throws {
        try await b.sync { $0.strategy = Strategy([.end(.leave)]) }
    }

    private func resolve(_ machine: Machine, _ resolution: ConflictChoice) async throws {
        _ = try await machine.with { try await $0.resolve(path, resolution, SyncOptions()) }
    }

    private func open(_ machine: Machine) async throws -> [OpenConflict] {
        try await machine.with { try await $0.conflicts() }
    }

    /// The contents that the log has of the path.
    private func history(_ machine: Machine) async throws -> Set<String> {
        try await machine.with { replica in
            var texts: Set<String> = []
            for version in try await replica.history(of: path)
            where version.change.entry.kind == .file {
                texts.insert(try await replica.shown(version.change.entry.content))
            }
            return texts
        }
    }

    @Test(
        "the version not chosen is in the history, also where both sides had kept theirs",
        arguments: ["there", "base", "mine"])
    func kept(_ side: String) async throws {
        try await leave()
        let resolution: ConflictChoice =
            side == "there" ? .theirs : side == "base" ? .base : .bytes(Array("mine".utf8))
        try await resolve(b, resolution)
        #expect(try await history(a).isSuperset(of: ["base", "from a", "from b"]))
    }

    @Test("a conflict that was left open ends with the run that decides it")
    func decidedLater() async throws {
        try await leave()
        #expect(try await open(b).map(\.path) == [path])
        try await b.sync { $0.strategy = Strategy([.choice(.ours)]) }
        #expect(try await open(b).isEmpty)
        #expect(b.text("f.txt") == "from b")
        try await world.converge()
    }

    @Test("what is taken is the file of that side as it is now", arguments: ["here", "there"])
    func editedSide(_ side: String) async throws {
        let copy = try #require(try await b.sync().copies.first).description
        try b.write([
            TreeFixture.Name(stringLiteral: copy): .file("copy, edited"),
            "f.txt": .file("name, edited"),
        ])
        try await resolve(b, side == "here" ? .ours : .theirs)
        #expect(b.text("f.txt") == (side == "here" ? "copy, edited" : "name, edited"))
        #expect(try b.names == ["f.txt"])
        try await world.converge()
    }

    @Test("a copy with a name of its own ends the conflict, and undo brings both back")
    func keptBoth() async throws {
        let copy = try #require(try await b.sync().copies.first).description
        b.rename(copy, "mine.txt")
        try await b.sync()
        #expect(try await open(b).isEmpty)
        let none = await #expect(throws: Failure.self) { try await resolve(b, .ours) }
        #expect(none?.code == .notFound)
        #expect(b.text("f.txt") == "from a")
        _ = try await b.with { try await $0.unresolve(path, SyncOptions()) }
        #expect(try await open(b).map(\.path) == [path])
        #expect(try b.names.count == 3)
        try await resolve(b, .ours)
        #expect(b.text("f.txt") == "from b")
        #expect(try await open(b).isEmpty)
    }

    @Test("an edit of a conflict copy is in the history before the copy goes")
    func editedCopy() async throws {
        let copy = try #require(try await b.sync().copies.first).description
        try b.write([TreeFixture.Name(stringLiteral: copy): .file("copy, edited")])
        try await resolve(b, .theirs)
        let edited = try await b.with { replica in
            var texts: [String] = []
            for version in try await replica.history(of: RelativePath(copy))
            where version.change.entry.kind == .file {
                texts.append(try await replica.shown(version.change.entry.content))
            }
            return texts
        }
        #expect(edited.contains("copy, edited"))
    }

    @Test("a device that receives the copy knows the conflict, too, and can resolve it")
    func elsewhere() async throws {
        let copy = try await b.sync().copies.first
        try await a.sync()
        let found = try #require(try await open(a).first)
        #expect(found.path == path)
        #expect(found.copy == copy)
        try await resolve(a, .ours)
        #expect(a.text("f.txt") == "from b")
        try await world.converge()
        #expect(try b.tree() == ["f.txt": .file("from b")])
        #expect(try await open(b).isEmpty)
    }

    @Test(
        "two devices that resolve a conflict at once converge, and the second is told of another choice",
        arguments: [("here", "there"), ("there", "here"), ("here", "here"), ("there", "there")])
    func atOnce(_ first: String, _ second: String) async throws {
        try await b.sync()
        try await a.sync()
        for machine in [a, b] { #expect(try await open(machine).count == 1) }
        try await resolve(a, first == "here" ? .ours : .theirs)
        let choice: ConflictChoice = second == "here" ? .ours : .theirs
        if first == second {
            try await resolve(b, choice)
        } else {
            let failure = await #expect(throws: Failure.self) { try await resolve(b, choice) }
            #expect(failure?.code == .changing)
            #expect(failure?.message.hasPrefix("a has resolved it meanwhile: version ") == true)
        }
        try await world.converge()
        #expect(a.text("f.txt") == (first == "here" ? "from b" : "from a"))
        #expect(try await open(a).isEmpty)
        #expect(try await open(b).isEmpty)
        #expect(try a.names == ["f.txt"])
    }

    @Test("undo of a resolve keeps both contents side by side again", arguments: [true, false])
    func undo(_ hasCopy: Bool) async throws {
        if hasCopy { try await b.sync() } else { try await leave() }
        try await resolve(b, .bytes(Array("mine".utf8)))
        #expect(try b.names == ["f.txt"])
        _ = try await b.with { try await $0.unresolve(path, SyncOptions()) }
        let again = try #require(try await open(b).first)
        #expect(b.text("f.txt") == "from a")
        #expect(b.text(try #require(again.copy).description) == "from b")
        #expect(try await history(b).contains("mine"))
        try await world.converge()
        try await resolve(b, .ours)
        try await world.converge()
        #expect(try a.tree() == ["f.txt": .file("from b")])
    }

    @Test("undo fails for a path without a resolved conflict")
    func nothingToUndo() async throws {
        let failure = await #expect(throws: Failure.self) {
            try await a.with { try await $0.unresolve(path, SyncOptions()) }
        }
        #expect(failure?.code == .notFound)
    }
}
