import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// Another device ends a rule: what it ignored here is not sent until the user of this device decides.
@Suite struct WithheldPathsTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    @Test(arguments: [
        ("deleted", "d/p.env"), ("shortened", "d/p.env"), ("settings", "s.key"),
    ])
    func `what another device's change of rules would send is withheld until it is named`(
        _ change: String, _ path: String
    ) async throws {
        let (a, b) = try await scene()
        switch change {
        case "deleted": a.remove(".filesinkiignore")
        case "shortened": try a.write([".filesinkiignore": .file("*.o\n")])
        default: try a.write([".filesinki.toml": .file("gitignore = false\n")])
        }
        try await a.sync()
        let report = try await b.sync()
        let said = noticesOfWithheld(report)
        #expect(said.map { "\($0.path)" } == [path] && said.allSatisfy(\.isUrgent))
        #expect(withheld(report) == [path])
        for _ in 1...2 {
            let later = try await b.sync()
            #expect(later.notices.count == 1 && later.withheld.isEmpty)
        }
        #expect(try await !published().contains(path))
        #expect(try await b.with { try await $0.status().withheld.map { "\($0)" } } == [path])
        try await sync(b, path)
        #expect(try await published().contains(path))
        #expect(try await b.with { try await $0.status().withheld }.isEmpty)
    }

    @Test(arguments: ["2", "longer"], [true, false])
    func `so it is with an edit of a file that the store has`(
        _ text: String, _ isDeleted: Bool
    ) async throws {
        let (a, b) = try await scene()
        try b.write(["old.env": .file(text)])
        try await endRule(a, deleting: isDeleted)
        #expect(try await withheld(b.sync()) == ["d/p.env", "old.env"])
        for _ in 1...2 { try await b.sync() }
        #expect(try await count(text) == 0 && b.text("old.env") == text)
        try await sync(b, "old.env")
        #expect(try await count(text) > 0)
    }

    @Test func `it is noted before the rules are written, so that a killed run sends nothing`()
        async throws
    {
        let (a, b) = try await scene()
        try await endRule(a)
        let seen = Mutex<[Set<RelativePath>]>([])
        let state = b.options.stateFolder
        try await b.sync {
            $0.progress = { progress in
                guard progress.phase == .applying else { return }
                let paths = (try? state.withheldPaths()) ?? []
                seen.withLock { $0.append(paths) }
            }
        }
        let first = seen.withLock { $0.first }
        #expect(first?.contains(try RelativePath("d/p.env")) == true)
    }

    @Test func `an edit, and a lost manifest, change nothing about it`() async throws {
        let (_, b) = try await ended()
        try b.write(["d": .directory(["p.env": .file("other")])])
        try await b.sync()
        b.loseManifest()
        try await b.sync()
        #expect(try await !published().contains("d/p.env"))
    }

    @Test(
        arguments: [
            ("d/p.env", "d/q.txt", "d/q.txt"), ("d", "e", "e/p.env"),
        ], [true, false])
    func `it stays withheld under another name`(
        _ move: (old: String, new: String, path: String), _ isEdited: Bool
    ) async throws {
        let (_, b) = try await ended()
        b.rename(move.old, move.new)
        if isEdited {
            let file = open(b.at(move.path), O_WRONLY | O_APPEND)
            #expect(write(file, "!", 1) == 1)
            close(file)
        }
        for _ in 1...2 { try await b.sync() }
        #expect(try noted(b) == [move.path])
        #expect(try await !published().contains(move.path))
    }

    @Test func `a watch sends neither it nor what is renamed`() async throws {
        let (_, b) = try await ended()
        try b.write(["d": .directory(["p.env": .file("other")])])
        try await b.syncChanges("d/p.env")
        b.rename("d", "e")
        try await b.syncChanges("d", "e", "e/p.env", folders: ["e"])
        #expect(try await published().allSatisfy { !$0.hasSuffix("p.env") })
        #expect(try noted(b) == ["e/p.env"])
    }

    @Test func `a command for a renamed folder does not send it either`() async throws {
        let (_, b) = try await ended()
        b.rename("d", "e")
        _ = try await b.with {
            try await $0.delete([RelativePath("e")], recursive: true, SyncOptions())
        }
        #expect(try await count("secret") == 0)
        #expect(b.text("e/p.env") == "secret")
    }

    @Test func `a new file in the place of a deleted one is sent`() async throws {
        let (_, b) = try await ended()
        b.remove("d/p.env")
        try await b.sync()
        #expect(try noted(b).isEmpty)
        try b.write(["d": .directory(["p.env": .file("new")])])
        try await b.sync()
        #expect(try await published().contains("d/p.env"))
    }

    @Test func `a folder is withheld with all that comes into it, and published as a whole`()
        async throws
    {
        let (a, b) = try await world.pair([".filesinkiignore": .file("p/\n")])
        try b.write(["p": .directory(["one": .file("1")])])
        try await b.sync()
        a.remove(".filesinkiignore")
        try await a.sync()
        try await b.sync()
        try b.write(["p": .directory(["one": .file("1"), "two": .file("2")])])
        try await b.sync()
        #expect(try noted(b) == ["p"])
        #expect(try await published().allSatisfy { !$0.hasPrefix("p/") })
        await #expect(throws: Failure.self) { try await sync(b, "p/one") }
        try await sync(b, "p")
        #expect(try await published().isSuperset(of: ["p/one", "p/two"]))
    }

    @Test
    func `a folder above it, and a name in the very run that receives the end, do not send it`()
        async throws
    {
        let (a, b) = try await scene()
        try await endRule(a)
        try await sync(b, "d/p.env")
        try await sync(b, "d")
        #expect(try await !published().contains("d/p.env"))
    }

    @Test func `rules that cannot be read do not end it`() async throws {
        let (_, b) = try await ended()
        // Larger than a file of rules may be.
        let file = open(b.at("d/.filesinkiignore"), O_WRONLY | O_CREAT, 0o644)
        #expect(ftruncate(file, 17 << 20) == 0)
        close(file)
        #expect(try await !b.sync().problems.isEmpty)
        #expect(try noted(b) == ["d/p.env"])
        b.remove("d/.filesinkiignore")
        try await b.sync()
        #expect(try await !published().contains("d/p.env"))
    }

    @Test func `a damaged note stops the run`() async throws {
        let (_, b) = try await ended()
        try b.write([".filesinki": .directory(["withheld": .file("?\n")])])
        await #expect(throws: Failure.self) { try await b.sync() }
        #expect(try await !published().contains("d/p.env"))
    }

    @Test(arguments: [(101, ["p"]), (2, ["p/f0", "p/f1"])])
    func `a folder stands for many paths`(_ count: Int, _ expected: [String]) async throws {
        let (a, b) = try await world.pair([".filesinkiignore": .file("p/*\n"), "k": .file("keep")])
        var files: [TreeFixture.Name: TreeFixture.Node] = [:]
        for number in 0..<count { files[.init(Array("f\(number)".utf8))] = .file("\(number)") }
        try b.write(["p": .directory(TreeFixture(files))])
        try await b.sync()
        a.remove(".filesinkiignore")
        try await a.sync()
        try await b.sync()
        #expect(try noted(b) == expected)
    }

    @Test(arguments: [("*.env\n*.o\n", [] as [String]), ("*.x\n", ["d/p.env"])])
    func `the run that receives rules says what is withheld by them`(
        _ rules: String, _ expected: [String]
    ) async throws {
        let (a, b) = try await ended()
        try a.write([".filesinkiignore": .file(rules)])
        try await a.sync()
        for _ in 1...2 {
            let said = try await noticesOfWithheld(b.sync())
            #expect(said.map { "\($0.path)" } == expected)
        }
        #expect(try noted(b) == expected)
        #expect(try await !published().contains("d/p.env"))
    }

    @Test func `commands refuse it`() async throws {
        let (_, b) = try await ended()
        await #expect(throws: Failure.self) { try await b.save("new", at: "d/p.env") }
        #expect(b.text("d/p.env") == "secret")
    }

    @Test(arguments: ["*.o\n", "*.o\n!*.env\n"])
    func `a rule of the device's own keeps it private, and ends that it is withheld`(
        shared: String
    ) async throws {
        let (a, b) = try await scene()
        try a.write([".filesinkiignore": .file(shared)])
        try await a.sync()
        try await b.sync()
        try b.write([".filesinki": .directory(["ignore": .file("*.env\n")])])
        try await b.sync()
        #expect(try noted(b).isEmpty)
        #expect(try await !published().contains("d/p.env"))
    }
}
