import FilesinkiCommands
import Testing

/// `a` has its text in place, `b` the conflict copy, `c` has written neither. `b` ends the conflict while the store is away, and that
/// store is lost.
@Suite("A conflict that has ended here, unsent, before the store was lost")
struct UnsentEndTests {
    private static let folder = "d"
    private static let copy = "p (conflict bert "

    private func world(files: [String] = ["p.txt"]) async throws -> World {
        let world = try await World.withStore()
        for file in files { try world.write("base\n", to: "a/d/\(file)") }
        for line in ["init a --remote store --device anna", "sync a"] {
            try await world.expect(line)
        }
        for line in ["clone store b --device bert", "clone store c --device cleo"] {
            try await world.expect(line)
        }
        for name in ["a", "b"] {
            for file in files { try world.write("by \(name)\n", to: "\(name)/d/\(file)") }
        }
        for name in ["a", "b", "a", "c"] { _ = try await world.run("sync", name) }
        world.rename("store", to: "gone")
        return world
    }

    private func copies(_ name: String, _ world: World) -> [String] {
        world.names(in: "\(name)/d").filter { $0.contains(" (conflict ") }
    }

    private enum End: String, CaseIterable {
        case here, there, given, byHand, renamed

        var text: String {
            switch self {
            case .here: "by b\n"
            case .there, .renamed: "by a\n"
            case .given, .byHand: "merged\n"
            }
        }

        func carryOut(_ world: World) async throws {
            let copy = try #require(
                world.names(in: "b/d").first { $0.hasPrefix(UnsentEndTests.copy) })
            switch self {
            case .here, .there:
                try await world.expect("resolve --root b d/p.txt --take \(self)")
            case .given:
                try world.write("merged\n", to: "text")
                try await world.expect("resolve --root b d/p.txt --with \(world.folder)/text")
            case .byHand:
                try world.write("merged\n", to: "b/d/p.txt")
                world.remove("b/d/\(copy)")
            case .renamed: world.rename("b/d/\(copy)", to: "b/d/other.txt")
            }
        }
    }

    @Test(
        "the choice is kept in the next store, whichever other device goes first, and ends the conflict on all",
        arguments: End.allCases.map(\.rawValue), ["abc", "acb", "cba"])
    func kept(_ end: String, _ order: String) async throws {
        let world = try await world()
        let end = try #require(End(rawValue: end))
        try await end.carryOut(world)
        try await world.makeStore("clean")
        let names = order.map { String($0) }
        for name in names {
            let accepted = try await world.expect("remote set clean --accept --root \(name)")
            #expect(!accepted.talk.contains(Self.copy), "\(accepted.talk)")
            let notice =
                "d/p.txt: Its conflict has ended here, and that was not sent. The next sync sends it if the new store has "
                + "both versions as they were. Else the conflict opens again: see filesinki conflicts --root "
                + "\(world.folder)/b.\n"
            #expect(accepted.talk.contains(notice) == (name == "b"), "\(accepted.talk)")
            let run = try await world.run("sync", name)
            // Who publishes both versions has found the conflict there.
            if name != names[0] { #expect(run.code == .done, "\(name): \(run.talk)") }
        }
        for name in names { try await world.expect("sync \(name)") }
        for name in names {
            #expect(world.readText("\(name)/d/p.txt") == end.text, "\(name)")
            #expect(copies(name, world) == [], "\(name)")
            let other = world.readText("\(name)/d/other.txt")
            #expect(other == (end == .renamed ? "by b\n" : nil), "\(name)")
        }
    }

    @Test("a plan before the first sync has it, too, and changes nothing")
    func plan() async throws {
        let world = try await world()
        try await End.here.carryOut(world)
        try await world.makeStore("clean")
        try await world.expect("remote set clean --accept --root a")
        _ = try await world.run("sync", "a")
        try await world.expect("remote set clean --accept --root b")
        for _ in 0..<2 {
            let plan = try await world.expect("sync -n b")
            #expect(plan.text.contains("send"), "\(plan.text)")
            #expect(!plan.text.contains("conflict  "), "\(plan.text)")
        }
        // A run for another path reads all of the store.
        try world.write("new\n", to: "b/new")
        try await world.expect("sync b/new")
        #expect(copies("b", world) == [])
        try await world.expect("sync b")
        try await world.expect("sync a")
        #expect(world.readText("a/d/p.txt") == "by b\n" && copies("a", world) == [])
        // And is undone as in the former store.
        try await world.expect("resolve --root b --undo d/p.txt")
        #expect(world.readText("b/d/p.txt") == "by a\n" && copies("b", world).count == 1)
    }

    @Test("so it is where a new store has the address of the lost one")
    func approved() async throws {
        let world = try await world(files: ["p.txt", "q.txt"])
        try await world.expect("resolve --root b --all --take here")
        world.remove("b/d/p.txt")
        try world.write("again\n", to: "b/d/p.txt")
        try await world.makeStore("store")
        let sentence =
            "2 conflicts have ended here, and that was not sent: \"d/p.txt\", \"d/q.txt\". The next sync sends it where the new "
            + "store has both versions as they were. Else a conflict opens again: see filesinki conflicts --root "
            + "\(world.folder)/b."
        let asked = try await world.expect("sync b", .notAllowed)
        #expect(asked.talk.contains(sentence), "\(asked.talk)")
        try await world.expect("remote set store --accept --root a")
        _ = try await world.run("sync", "a")
        let again = try await world.expect("sync b", .notAllowed)
        let id = try #require(
            again.talk.split(separator: " ").drop { $0 != "--approve" }.dropFirst().first)
        try await world.expect("sync b --approve \(id.prefix(16))")
        try await world.expect("sync a")
        #expect(world.readText("a/d/p.txt") == "again\n" && world.readText("a/d/q.txt") == "by b\n")
        #expect(copies("a", world) == [])
    }

    @Test(
        "where another device has edited it in the new store, the conflict opens again, and the run says so"
    )
    func openAgain() async throws {
        let world = try await world()
        try await End.here.carryOut(world)
        try await world.makeStore("clean")
        try await world.expect("remote set clean --accept --root a")
        _ = try await world.run("sync", "a")
        try world.write("later by a\n", to: "a/d/p.txt")
        try await world.expect("sync a")
        try await world.expect("remote set clean --accept --root b")
        let run = try await world.expect("sync b", .conflict)
        let copy = try #require(copies("b", world).first)
        let line = try #require(run.lines.first { $0.hasPrefix("  conflict  ") })
        #expect(line.contains(" d/p.txt "), "\(line)")
        #expect(line.hasSuffix("both sides changed it; yours is in \"d/\(copy)\""), "\(line)")
        #expect(!run.text.contains("resolved"), "\(run.text)")
        #expect(run.talk.contains("1 conflict to resolve:"), "\(run.talk)")
        #expect(run.talk.contains("d/p.txt --take here|there"), "\(run.talk)")
        #expect(world.readText("b/d/p.txt") == "later by a\n")
        try await world.expect("resolve --root b d/p.txt --take here")
        try await world.expect("sync a")
        #expect(world.readText("a/d/p.txt") == "by b\n")
    }

    @Test("what was deleted with its conflict copy comes back with it, and is named")
    func bothDeleted() async throws {
        let world = try await world()
        let copy = try #require(copies("b", world).first)
        for name in [copy, "p.txt"] { world.remove("b/d/\(name)") }
        try await world.makeStore("clean")
        let accepted = try await world.expect("remote set clean --accept --root b")
        #expect(
            accepted.talk.contains("2 paths that were deleted here and not sent come back"),
            "\(accepted.talk)")
        #expect(!accepted.talk.contains("has ended here"), "\(accepted.talk)")
    }
}
