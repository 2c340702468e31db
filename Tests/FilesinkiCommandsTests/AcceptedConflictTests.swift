import FilesinkiCommands
import Testing

/// `a` has its text in place, `b` the conflict copy, `c` has written neither; then a new store replaces a lost one.
@Suite("Open conflicts in a store that has replaced a lost one")
struct AcceptedConflictTests {
    private func world() async throws -> World {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/p.txt")
        for line in ["init a --remote store --device anna", "sync a"] {
            try await world.expect(line)
        }
        for line in ["clone store b --device bert", "clone store c --device cleo"] {
            try await world.expect(line)
        }
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/p.txt") }
        for name in ["a", "b", "a", "c"] { _ = try await world.run("sync", name) }
        world.rename("store", to: "gone")
        return world
    }

    private static let copy = "p (conflict bert "
    /// What each device shows of the conflict, before and after.
    private static let words = [
        "a": "the version from here is in place, the one from there is  \(copy)",
        "b": "the version from there is in place, the one from here is  \(copy)",
        "c": "the version of anna is in place, the one of bert is  \(copy)",
        "d": "the committed version is in place, the one of bert is  \(copy)",
    ]

    private func expectWords(on names: [String], _ world: World) async throws {
        for name in names {
            let list = try await world.run("conflicts", "--root", name).text
            let wanted = try #require(Self.words[name])
            #expect(list.contains(wanted), "\(name): \(list)")
        }
    }

    @Test(
        "whose version is whose stays as it was, whichever device goes first",
        arguments: ["abc", "bac", "cab", "cba"], [true, false])
    func sides(_ order: String, _ isElsewhere: Bool) async throws {
        let world = try await world()
        try await expectWords(on: ["a", "b", "c"], world)
        let place = isElsewhere ? "clean" : "store"
        try await world.makeStore(place)
        let names = order.map { String($0) }
        for name in names {
            try await world.expect("remote set \(place) --accept --root \(name)")
            _ = try await world.run("sync", name)
            try await expectWords(on: [name], world)
        }
        for name in names { _ = try await world.run("sync", name) }
        _ = try await world.run("clone", place, "d", "--device", "dora")
        try await expectWords(on: ["a", "b", "c", "d"], world)
        try await world.expect("resolve --root a p.txt --take here")
        #expect(world.readText("a/p.txt") == "by a\n")
    }

    @Test(
        "who publishes both versions because the store is new has not found the conflict, and knows no base"
    )
    func base() async throws {
        let world = try await world()
        try await world.makeStore("clean")
        try await world.expect("remote set clean --accept --root c")
        _ = try await world.run("sync", "c")
        let list = try await world.run("conflicts", "--root", "c").text
        #expect(list.contains("base unknown here"), "\(list)")
        #expect(list.contains("--take bert|anna"), "\(list)")
        let refused = try await world.run("resolve", "--root", "c", "p.txt", "--take", "here")
        #expect(refused.code == .usage, "\(refused)")
    }

    @Test("an edit before the first sync with the new store is of the device that made it")
    func edited() async throws {
        let world = try await world()
        try await world.makeStore("clean")
        try world.write("edited by c\n", to: "c/p.txt")
        try await world.expect("remote set clean --accept --root c")
        _ = try await world.run("sync", "c")
        let list = try await world.run("conflicts", "--root", "c").text
        #expect(list.contains("--take bert|committed"), "\(list)")
    }

    /// The devices go on with a new store in this order.
    private func accept(_ world: World, _ order: String) async throws {
        try await world.makeStore("clean")
        for name in order.map({ String($0) }) {
            try await world.expect("remote set clean --accept --root \(name)")
            _ = try await world.run("sync", name)
        }
    }

    @Test(
        "after an undo, too, whichever device has resolved it, and whichever undoes that",
        arguments: ["cab", "abc"], [("c", "bert", "a"), ("a", "there", "c"), ("b", "here", "a")])
    func undone(_ order: String, _ step: (resolver: String, side: String, undoer: String))
        async throws
    {
        let world = try await world()
        try await accept(world, order)
        for name in ["c", "a", "b"] { _ = try await world.run("sync", name) }
        try await world.expect("resolve --root \(step.resolver) p.txt --take \(step.side)")
        for name in ["a", "b", "c"] { _ = try await world.run("sync", name) }
        _ = try await world.run("resolve", "--root", step.undoer, "--undo", "p.txt")
        for name in ["a", "b", "c"] { _ = try await world.run("sync", name) }
        try await expectWords(on: ["a", "b", "c"], world)
    }

    @Test(
        "after an undo its base is unknown where it was, and not nothing", arguments: [true, false])
    func baseAfterUndo(_ isDeletedFirst: Bool) async throws {
        let world = try await world()
        // The copy is in the new store before the file in place.
        if isDeletedFirst { world.remove("c/p.txt") }
        try await accept(world, "cab")
        try await world.expect("resolve --root a p.txt --take here")
        for name in ["b", "c"] { _ = try await world.run("sync", name) }
        _ = try await world.run("resolve", "--root", "b", "--undo", "p.txt")
        for name in ["a", "c"] { _ = try await world.run("sync", name) }
        for (name, base) in [("a", "unknown here"), ("b", "5 B"), ("c", "unknown here")] {
            let list = try await world.run("conflicts", "--root", name).text
            #expect(list.contains("base \(base)"), "\(name): \(list)")
        }
    }

    @Test("a file that a device had deleted, and another one brings back, is of who wrote it")
    func deleted() async throws {
        let world = try await world()
        world.remove("c/p.txt")
        try await accept(world, "cba")
        _ = try await world.run("sync", "c")
        try await expectWords(on: ["a", "b", "c"], world)
        let list = try await world.run("conflicts", "--root", "a").text
        #expect(!list.contains("edited"), "\(list)")
    }
}
