import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

/// By which changes of rules something is withheld, and what it ends with.
@Suite struct EndedRulesTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

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

    @Test
    func `an ignore file that is undeleted here holds again, and one restored ends rules here`()
        async throws
    {
        let (a, b) = try await world.pair([".filesinkiignore": .file("*.o\n")])
        try a.write([".filesinkiignore": .file("*.env\n*.o\n")])
        try await a.sync()
        try await b.sync()
        try b.write(["p.env": .file("secret")])
        try await b.sync()
        try await endRule(a, deleting: true)
        try await b.sync()
        #expect(try noted(b) == ["p.env"])
        let rules = try RelativePath(".filesinkiignore")
        _ = try await b.with { try await $0.undelete(rules, SyncOptions()) }
        try await b.sync()
        #expect(try noted(b).isEmpty)
        #expect(try await !published().contains("p.env"))
        let first = try await world.commits().first { $0.changes.contains { $0.path == rules } }
        let version = try #require(first?.sequence)
        _ = try await b.with { try await $0.restore(rules, version: version, SyncOptions()) }
        try await b.sync()
        #expect(try noted(b).isEmpty)
        #expect(try await published().contains("p.env"))
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

    @Test func `what is written while a run receives the end of a rule is withheld, too`()
        async throws
    {
        let folder: TreeFixture = [".filesinkiignore": .file("*.env\n"), "k": .file("keep")]
        let (a, b) = try await world.pair(["z": .directory(folder)])
        try a.write(["a": .file("new"), "z": .directory([".filesinkiignore": .file("*.o\n")])])
        try await a.sync()
        let isDone = Mutex(false)
        let report = try await b.sync {
            $0.progress = { progress in
                let isFirst = isDone.withLock { done in
                    guard progress.phase == .applying, progress.files > 0, !done else {
                        return false
                    }
                    done = true
                    return true
                }
                guard isFirst else { return }
                #expect(b.text("z/.filesinkiignore") == "*.env\n")
                #expect(throws: Never.self) {
                    try b.write(["z": .directory(["late.env": .file("late")])])
                }
            }
        }
        #expect(withheld(report) == ["z/late.env"])
        for _ in 1...2 { try await b.sync() }
        #expect(try await !published().contains("z/late.env"))
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

    @Test(arguments: ["2", "longer"])
    func `a version that the store had is received anew`(_ text: String) async throws {
        let (a, b) = try await scene()
        try await endRule(a)
        try a.write(["old.env": .file(text)])
        try await a.sync()
        for _ in 1...2 { try await b.sync() }
        #expect(b.text("old.env") == text)
        #expect(try noted(b) == ["d/p.env"])
    }

    @Test func `a first sync withholds nothing`() async throws {
        let (a, _) = try await scene()
        try await endRule(a)
        let c = try await world.replica("c")
        try c.write(["c.env": .file("of c")])
        #expect(try await c.sync().withheld.isEmpty)
        #expect(try await published().contains("c.env"))
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

    /// The paths of which a report says that they are withheld.
    private func said(_ report: SyncReport) -> [String] {
        noticesOfWithheld(report).map { "\($0.path)" }
    }

    @Test func `a withheld folder stands for what was noted in it, which is refused by itself`()
        async throws
    {
        let (_, b) = try await ended()
        try b.write([
            ".filesinkiignore": .file("*.o\n/i/g\n"),
            "i": .directory(["g": .directory([:]), "t": .file("t")]),
        ])
        b.rename("d/p.env", "i/g/x")
        try await b.sync()
        #expect(try b.options.stateFolder.notedPaths() == [RelativePath("i/g/x")])
        b.rename("i", "j")
        let report = try await b.sync()
        #expect(withheld(report) == ["j/g"])
        #expect(said(report) == ["j/g"])
        #expect(try await said(b.sync()) == ["j/g"])
        #expect(try noted(b) == ["j/g"])
        let refused = await #expect(throws: Failure.self) { try await sync(b, "j/g/x") }
        #expect(refused?.code == .usage)
        #expect(refused?.remedy.contains("filesinki sync j/g;") == true)
        for _ in 1...2 { try await b.sync() }
        #expect(try await count("secret") == 0)
        try await sync(b, "j/g")
        #expect(try await count("secret") == 1)
        #expect(try b.options.stateFolder.notedPaths().isEmpty)
    }

    @Test func `so does a folder that another device has ended the rule of`() async throws {
        let (a, b) = try await ended()
        try a.write([".filesinkiignore": .file("*.o\nign/\n")])
        try await a.sync()
        try await b.sync()
        try b.write(["ign": .directory([:])])
        b.rename("d/p.env", "ign/x")
        try await b.sync()
        try a.write([".filesinkiignore": .file("*.o\n")])
        try await a.sync()
        let report = try await b.sync()
        #expect(withheld(report) == ["ign"])
        #expect(said(report) == ["ign"])
        let next = try await b.sync()
        #expect(next.withheld.isEmpty)
        #expect(said(next) == ["ign"])
        #expect(try noted(b) == ["ign"])
    }
}
