import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiCommands

@Suite("replicas and sync --all")
struct ReplicaListTests {
    /// Where the entries are.
    private static let registry = "home/.local/state/filesinki/replicas"

    /// The roots that are listed, and those of them that are gone.
    private static func listed(_ world: World) async throws -> (all: [String], gone: [String]) {
        let lines = try await world.run("replicas", "--json").lines
        let roots = lines.map { line in
            String(line.split(separator: "\"root\":\"")[1].split(separator: "\"")[0])
                .replacing(world.folder + "/", with: "")
        }
        let gone = zip(roots, lines).filter { $0.1.contains("\"gone\":true") }.map(\.0)
        return (roots, gone)
    }

    @Test("init, clone and the default replica are listed, with remote, pending and conflicts")
    func listed() async throws {
        let world = try await GoldenTests.pair()
        #expect(try await world.run("save", "x", input: [1]).code == .done)
        #expect(try await Self.listed(world) == (["a", "b", "data/filesinki"], []))
        try world.write("a", to: "a/one")
        try world.write("b", to: "b/one")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .conflict)
        world.wait(seconds: 180)
        let lines = try await world.run("replicas").lines
        let words = "up to date synced 3 minutes ago \(world.folder)/store".split(separator: " ")
        #expect(lines[0].split { $0 == " " }.dropFirst() == words[...], "\(lines[0])")
        #expect(lines[1].contains("1 conflict"))
        #expect(lines[2].hasSuffix("never synced          (no remote)"), "\(lines[2])")
    }

    @Test("an empty list exits with 1")
    func empty() async throws {
        let outcome = try await World().run("replicas")
        #expect(outcome.code == .negative)
        #expect(outcome.output.isEmpty)
    }

    @Test("a sync lists a replica that is not listed; a plan and a save do not")
    func bySync() async throws {
        let world = try await GoldenTests.pair()
        removeTree(Array((world.folder + "/home").utf8))
        #expect(try await world.run("sync", "a", "-n").code == .done)
        #expect(try await world.run("save", "--root", "a", "x", input: [1]).code == .done)
        #expect(world.names(in: "home").isEmpty)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await Self.listed(world).all == ["a"])
        let entry = try #require(world.names(in: Self.registry).first)
        try world.write("{\"root\":\"/elsewhere\"}", to: Self.registry + "/" + entry)
        #expect(try await world.run("sync", "a").code == .done)
        #expect(world.readText(Self.registry + "/" + entry) == "{\"root\":\"/elsewhere\"}")
    }

    @Test("a folder that is gone, or is a replica no more, stays listed until it is forgotten")
    func gone() async throws {
        let world = try await GoldenTests.pair()
        world.rename("b", to: "elsewhere")
        try world.makeFolder("b")
        #expect(try await Self.listed(world) == (["a", "b"], ["b"]))
        world.rename("a", to: "away")
        let text = try await world.run("replicas")
        #expect(text.code == .done)
        #expect(text.lines.allSatisfy { $0.hasSuffix("  gone") }, "\(text.text)")
        #expect(text.talk.contains("--forget"))
        world.rename("away", to: "a")
        #expect(try await Self.listed(world) == (["a", "b"], ["b"]))
        #expect(try await world.run("replicas", "-0").text == world.folder + "/a\0")
        #expect(try await world.run("replicas", "--forget", "b").code == .done)
        #expect(try await Self.listed(world) == (["a"], []))
        #expect(try await world.run("replicas", "--forget", "b").code == .negative)
    }

    @Test("deinit removes the entry, also one that names the folder through a symlink")
    func deinitialized() async throws {
        let world = try await GoldenTests.pair()
        symlink("b", world.folder + "/link")
        #expect(try await world.run("sync", "link").code == .done)
        #expect(world.names(in: Self.registry).count == 3)
        #expect(try await Self.listed(world).all == ["a", "b"])
        #expect(try await world.run("deinit", "b").code == .done)
        #expect(world.names(in: Self.registry).count == 1)
    }

    @Test("several processes add and remove entries at once, and each is whole")
    func atOnce() async throws {
        let world = try World()
        try await withThrowingTaskGroup(of: ExitCode.self) { group in
            for number in 0..<12 {
                group.addTask { try await world.run("init", "r\(number)").code }
                group.addTask { try await world.run("init", "same").code }
            }
            for try await code in group { #expect(code == .done) }
        }
        let names = (0..<12).map { "r\($0)" } + ["same"]
        #expect(try await Self.listed(world) == (names.sorted(), []))
        try await withThrowingTaskGroup(of: ExitCode.self) { group in
            for number in 0..<6 {
                group.addTask { try await world.run("replicas", "--forget", "r\(number)").code }
                group.addTask { try await world.run("replicas").code }
            }
            for try await code in group { #expect(code == .done) }
        }
        #expect(try await Self.listed(world).all == names.dropFirst(6).sorted())
    }

    @Test("a registry that cannot be written hinders no command")
    func notWritable() async throws {
        let world = try World()
        try world.write("file", to: "state")
        world.set("XDG_STATE_HOME", to: world.folder + "/state")
        let made = try await world.run("init", "a", "--remote", "store")
        #expect(made.code == .done)
        #expect(made.talk.contains("Not registered for filesinki replicas."), "\(made.talk)")
        let synced = try await world.run("sync", "a")
        #expect(synced.code == .done && synced.talk.isEmpty, "\(synced.talk)")
    }

    @Test("an entry that cannot be read is reported, and the others are listed")
    func malformed() async throws {
        let world = try await GoldenTests.pair()
        let name = String(repeating: "0", count: 32)
        try world.write("{\"root\":", to: Self.registry + "/" + name)
        try world.write("", to: Self.registry + "/" + name + ".7-1.new")
        let outcome = try await world.run("replicas")
        #expect(outcome.code == .partial)
        #expect(outcome.lines.count == 2)
        #expect(outcome.talk.contains(name) && !outcome.talk.contains(".new"), "\(outcome.talk)")
        #expect(try await world.run("sync", "--all").code == .partial)
    }
}

@Suite("sync --all")
struct SyncAllTests {
    /// Replicas `a` and `b` of a store, and `c` of another; each has something to send.
    private static func three() async throws -> World {
        let world = try await GoldenTests.pair()
        #expect(try await world.run("init", "c", "--remote", "other").code == .done)
        #expect(try await world.run("sync", "c").code == .done)
        for name in ["a", "c"] { try world.write("new", to: name + "/new") }
        return world
    }

    @Test("all are synced, under a heading each that has something to say")
    func all() async throws {
        let world = try await Self.three()
        let outcome = try await world.run("sync", "--all")
        #expect(outcome.code == .done, "\(outcome.talk)")
        let folder = world.folder
        #expect(
            outcome.lines == [
                "\(folder)/a  <->  \(folder)/store", "  sent      new        new  3 B",
                "\(folder)/b  <->  \(folder)/store", "  received  new        new  3 B",
                "\(folder)/c  <->  \(folder)/other", "  sent      new        new  3 B",
            ])
        #expect(world.readText("b/new") == "new")
        let idle = try await world.run("sync", "--all")
        #expect(idle.output.isEmpty && idle.talk.isEmpty, "\(idle)")
        world.terminals.talk = true
        #expect(try await world.run("sync", "--all").lines.count == 3)
    }

    @Test("one that fails does not stop the others, and the worst code is that of all")
    func failing() async throws {
        let world = try await Self.three()
        world.rename("store", to: "gone")
        let away = try await world.run("sync", "--all")
        #expect(away.code == .away)
        #expect(away.lines.contains("  sent      new        new  3 B"))
        #expect(away.talk.contains("Not fully synced: 2 of 3 replicas."), "\(away.talk)")
        try world.write("damaged", to: "b/.filesinki/replica")
        try world.write("newer", to: "c/new")
        let quiet = try await world.run("sync", "--all", "-q")
        #expect(quiet.code == .corrupt, "\(quiet.talk)")
        #expect(quiet.output.isEmpty)
        #expect(quiet.talk.contains("\(world.folder)/b\nfilesinki: "), "\(quiet.talk)")
        #expect(try await world.run("sync", "c").output.isEmpty)
    }

    @Test("a folder that is gone is a warning, and no remote is none")
    func gone() async throws {
        let world = try await Self.three()
        #expect(try await world.run("init", "d").code == .done)
        world.rename("a", to: "away")
        let outcome = try await world.run("sync", "--all")
        #expect(outcome.code == .done)
        #expect(outcome.talk.contains("\(world.folder)/a: The replica is gone."))
        #expect(!outcome.talk.contains("\(world.folder)/d"), "\(outcome.talk)")
        #expect(try await world.run("sync", "--all", "-q").talk.isEmpty)
        #expect(try await world.run("replicas").lines.count == 4)
    }

    @Test("a plan of all changes nothing")
    func plan() async throws {
        let world = try await Self.three()
        let outcome = try await world.run("sync", "--all", "-n")
        #expect(outcome.code == .done)
        #expect(outcome.lines.contains("  send      new        new  3 B"))
        #expect(try await world.run("sync", "c").lines.count == 1)
    }

    @Test(
        "what names one replica or one plan is refused",
        arguments: [
            ["a"], ["--root", "a"], ["--state", "s"], ["--approve", "0"], ["--wait"], ["-0"],
            ["--paths-from", "x"],
        ])
    func refused(_ arguments: [String]) async throws {
        let words = (["sync", "--all"] + arguments).map { Array($0.utf8) }
        #expect(try await World().run(bytes: words).code == .usage)
    }

    @Test("without a replica it exits with 1")
    func none() async throws {
        #expect(try await World().run("sync", "--all").code == .negative)
    }

    @Test("each exit code has its place in the order")
    func order() {
        #expect(Set(ExitCode.worstFirst) == Set(ExitCode.allCases))
        #expect(ExitCode.worstFirst.count == ExitCode.allCases.count)
        #expect(ExitCode.away.worse(.partial) == .away && ExitCode.conflict.worse(.away) == .away)
        #expect(ExitCode.done.worse(.negative) == .negative)
    }
}
