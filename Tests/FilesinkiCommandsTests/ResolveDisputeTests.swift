import FilesinkiCommands
import FilesinkiTesting
import Testing

/// `a` and `b` resolve one conflict, which `b` has found.
@Suite("Conflicts that two devices resolve")
struct ResolveDisputeTests {
    private func world() async throws -> World {
        let world = try World()
        try world.write("base\n", to: "a/f.txt")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        return world
    }

    @Test(
        "a resolve says who has resolved it meanwhile, and changes nothing",
        arguments: [true, false])
    func online(_ isSynced: Bool) async throws {
        let world = try await world()
        try await world.done("resolve", "--root", "a", "f.txt", "--take", "here")
        if isSynced { try await world.done("sync", "b") }
        let second = try await world.run("resolve", "--root", "b", "f.txt", "--take", "here")
        #expect(second.code != .done)
        let when = isSynced ? "" : " meanwhile"
        #expect(
            second.talk.contains("a has resolved it\(when): version 2 is in place."),
            "\(second.talk)")
        #expect(world.readText("b/f.txt") == "by a\n")
        // The remedy.
        #expect(second.talk.contains("--undo f.txt"), "\(second.talk)")
        _ = try await world.run("resolve", "--root", "b", "--undo", "f.txt")
        try await world.done("resolve", "--root", "b", "f.txt", "--take", "here")
        #expect(world.readText("b/f.txt") == "by b\n")
        let told = try await world.run("sync", "a")
        #expect(told.talk.contains("b resolved this conflict otherwise: version "), "\(told.talk)")
    }

    @Test("the same choice is no dispute")
    func same() async throws {
        let world = try await world()
        try await world.done("resolve", "--root", "a", "f.txt", "--take", "here")
        let second = try await world.run("resolve", "--root", "b", "f.txt", "--take", "there")
        #expect(second.code == .done && !second.talk.contains("resolved"), "\(second.talk)")
        let told = try await world.run("sync", "a")
        #expect(!told.talk.contains("otherwise"), "\(told.talk)")
    }

    @Test("after two resolves without the store, both devices report the other choice")
    func offline() async throws {
        let world = try await world()
        world.rename("store", to: "gone")
        for name in ["a", "b"] {
            _ = try await world.run("resolve", "--root", name, "f.txt", "--take", "here")
            #expect(world.readText("\(name)/f.txt") == "by \(name)\n")
        }
        world.rename("gone", to: "store")
        try await world.done("sync", "a")
        let second = try await world.run("sync", "b")
        #expect(
            second.talk.contains("a had resolved this conflict otherwise, with version 2;"),
            "\(second.talk)")
        let first = try await world.run("sync", "a")
        #expect(
            first.talk.contains("b resolved this conflict otherwise: version "), "\(first.talk)")
        let log = try await world.run("log", "--root", "b", "f.txt").text
        #expect(log.contains("resolve"), "\(log)")
        // What another device has chosen is no edit.
        _ = try await world.run("resolve", "--root", "a", "--undo", "f.txt")
        #expect(world.readText("a/f.txt") == "by a\n")
        #expect(world.names(in: "a").contains { $0.hasPrefix("f (conflict b ") })
    }
}
