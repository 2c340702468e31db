import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// Another device ends a rule: what it ignored here is not sent until the user of this device decides.
@Suite struct WithheldPathsTests {
    private let world: World

    init() throws { world = try World() }

    private func published() async throws -> Set<String> {
        let changes = try await world.commits().flatMap { $0.changes + $0.superseded }
        return Set(changes.map { "\($0.path)" })
    }

    /// Two replicas with rules; `b` has a secret, and a file that was synced before it was ignored.
    private func scene() async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair(["old.env": .file("1"), "k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("*.env\n*.o\n"),
            ".filesinki.toml": .file("gitignore = true\n"),
            ".gitignore": .file("*.key\n"),
        ])
        try await a.sync()
        try await b.sync()
        try b.write(["d": .directory(["p.env": .file("secret")]), "s.key": .file("secret")])
        try await b.sync()
        return (a, b)
    }

    /// `a` takes `*.env` out of the synced rules.
    private func endRule(_ a: Machine, deleting isDeleted: Bool = false) async throws {
        if isDeleted {
            a.remove(".filesinkiignore")
        } else {
            try a.write([".filesinkiignore": .file("*.o\n")])
        }
        try await a.sync()
    }

    /// As ``scene()``, after the end of the rule, which `b` has received.
    private func ended() async throws -> (Machine, Machine) {
        let (a, b) = try await scene()
        try await endRule(a)
        #expect(try await withheld(b.sync()) == ["d/p.env"])
        return (a, b)
    }

    private func withheld(_ report: SyncReport) -> [String] {
        report.withheld.sorted().map { "\($0)" }
    }

    private func noted(_ machine: Machine) throws -> [String] {
        try machine.options.stateFolder.withheldPaths().sorted().map { "\($0)" }
    }

    private func sync(_ machine: Machine, _ paths: String...) async throws {
        let paths = try paths.map { try RelativePath($0) }
        try await machine.sync { $0.paths = paths }
    }

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
        let said = report.notices.filter { $0.failure.message.hasPrefix("Withheld") }
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

    /// How often the content was published.
    private func count(_ text: String) async throws -> Int {
        let content = ContentHasher.hash(Array(text.utf8))
        return try await world.commits().flatMap { $0.changes + $0.superseded }
            .count { $0.entry.content == content }
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

    @Test func `a rule that comes back ends it, and the user here may end the rule`() async throws {
        let (a, b) = try await ended()
        try a.write([".filesinkiignore": .file("*.env\n*.o\n")])
        try await a.sync()
        for _ in 1...2 { try await b.sync() }
        #expect(try noted(b).isEmpty)
        b.remove(".filesinkiignore")
        try await b.sync()
        #expect(try await published().contains("d/p.env"))
    }

    @Test(arguments: [true, false])
    func `of two edits of the rules, that of the other device withholds`(_ isOthers: Bool)
        async throws
    {
        let (a, b) = try await scene()
        let (ending, adding) = isOthers ? (a, b) : (b, a)
        try ending.write([".filesinkiignore": .file("*.o\n")])
        try adding.write([".filesinkiignore": .file("*.env\n*.o\n*.tmp\n")])
        try await a.sync()
        for _ in 1...2 { try await b.sync() }
        #expect(b.text(".filesinkiignore") == "*.o\n*.tmp\n")
        #expect(try await published().contains("d/p.env") != isOthers)
        #expect(try noted(b) == (isOthers ? ["d/p.env"] : []))
    }

    @Test func `the end of a rule in a folder concerns what is in that`() async throws {
        let rules = TreeFixture.Node.directory([".filesinkiignore": .file("*.txt\n")])
        let (a, b) = try await world.pair(["d": rules, "e": rules])
        for folder in ["d", "e"] {
            try b.write([.init(Array(folder.utf8)): .directory(["x.txt": .file(folder)])])
        }
        try await b.sync()
        a.remove("d/.filesinkiignore")
        try await a.sync()
        for _ in 1...2 { try await b.sync() }
        #expect(try noted(b) == ["d/x.txt"])
        #expect(try await published().allSatisfy { !$0.hasSuffix("x.txt") })
    }

    @Test func `what a run leaves out is withheld from the next one, too`() async throws {
        let (a, b) = try await scene()
        try await endRule(a)
        let patterns = try RunPatterns(excluded: ["*.env"], included: [])
        try await b.sync { $0.patterns = patterns }
        try await b.sync()
        #expect(try await !published().contains("d/p.env"))
    }

    @Test func `a partial replica withholds, too`() async throws {
        let (a, _) = try await scene()
        let c = try await world.replica("c", only: ["d"])
        try await c.sync()
        try c.write(["d": .directory(["c.env": .file("secret of c")])])
        try await c.sync()
        try await endRule(a)
        for _ in 1...2 { try await c.sync() }
        #expect(try await count("secret of c") == 0)
        #expect(try noted(c) == ["d/c.env"])
    }

    @Test(arguments: ["secret", "other"], [true, false])
    func `what both have is equal, or waits`(_ text: String, _ isDeleted: Bool) async throws {
        let (a, b) = try await scene()
        try a.write(["d": .directory(["p.env": .file(text)])])
        try await endRule(a, deleting: isDeleted)
        for _ in 1...2 { try await b.sync() }
        #expect(b.text("d/p.env") == "secret")
        #expect(try noted(b) == (text == "secret" ? [] : ["d/p.env"]))
        #expect(try await count("secret") == (text == "secret" ? 1 : 0))
        try await sync(b, "d/p.env")
        #expect(try await count("secret") == 1)
    }

    @Test func `a first sync withholds nothing`() async throws {
        let (a, _) = try await scene()
        try await endRule(a)
        let c = try await world.replica("c")
        try c.write(["c.env": .file("of c")])
        #expect(try await c.sync().withheld.isEmpty)
        #expect(try await published().contains("c.env"))
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

    @Test func `commands refuse it`() async throws {
        let (_, b) = try await ended()
        await #expect(throws: Failure.self) { try await b.save("new", at: "d/p.env") }
        #expect(b.text("d/p.env") == "secret")
    }

    @Test func `an ignore file that is here at a first sync stays though an equal one was deleted`()
        async throws
    {
        let (a, _) = try await world.pair([".filesinkiignore": .file("*.env\n")])
        a.remove(".filesinkiignore")
        try await a.sync()
        let c = try await world.replica("c")
        try c.write([".filesinkiignore": .file("*.env\n"), "p.env": .file("secret")])
        for _ in 1...2 { try await c.sync() }
        #expect(c.text(".filesinkiignore") == "*.env\n")
        #expect(try await !published().contains("p.env"))
    }

    @Test func `what is in a folder whose ignore file is a symbolic link is not synced`()
        async throws
    {
        let (a, _) = try await world.pair(["rules": .file("*.env\n")])
        try a.write([
            "d": .directory([".filesinkiignore": .symlink("../rules"), "p.env": .file("secret")]),
            "e": .file("beside"),
        ])
        let report = try await a.sync()
        let told = report.problems.map(\.failure.message)
        #expect(told.count == 1 && told[0].contains("symbolic link"), "\(told)")
        #expect(try await published().isSuperset(of: ["e"]))
        #expect(try await published().allSatisfy { !$0.hasPrefix("d/") })
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
