import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiTesting
import Testing

/// A folder is renamed to where the run does not look, and the base forgets its former name, which a rule names.
@Suite struct RenamedUnseenTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    /// A replica with a secret in `p`, a folder that it has synced, and another one.
    private func secret() async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("p/secret/\n"),
            "o": .directory(["x": .file("x")]),
            "p": .directory(["secret": .directory(["one": .file("secret")]), "t": .file("t")]),
        ])
        try await a.sync()
        return (a, b)
    }

    private func sync(_ a: Machine, without pattern: String) async throws -> SyncReport {
        let patterns = try RunPatterns(excluded: [pattern], included: [])
        return try await a.sync { $0.patterns = patterns }
    }

    /// Expects that later runs, which leave nothing out, do not send it.
    private func expectPrivate(_ path: String, _ a: Machine) async throws {
        #expect(try noted(a) == [path])
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == [path])
        #expect(try await count("secret") == 0)
    }

    @Test(arguments: ["moved", "taken", "covered", "ignored"])
    func `the patterns of the run leave out its new name`(_ scene: String) async throws {
        let (a, _) = try await secret()
        let name = scene == "moved" ? "o/q" : "q"
        a.rename("p", name)
        switch scene {
        case "taken": try a.write(["p": .directory(["n": .file("new")])])
        case "covered": try a.write(["p": .file("new")])
        case "ignored": try a.write([".filesinkiignore": .file("p/secret/\n/p\n")])
        default: break
        }
        let report = try await sync(a, without: "q")
        #expect(withheld(report) == ["\(name)/secret"])
        try await expectPrivate("\(name)/secret", a)
        #expect(try await published().contains("\(name)/t"))
    }

    @Test(arguments: ["sync", "watch"])
    func `the replica does not hold its new name`(_ command: String) async throws {
        let (a, _) = try await secret()
        try await a.choose(["p"])
        try await a.sync()
        a.rename("p", "q")
        try a.write(["p": .directory(["n": .file("new")])])
        if command == "watch" {
            try await a.syncChanges("p", "p/t", "p/n", folders: ["p"])
        } else {
            #expect(try await withheld(a.sync()) == ["q/secret"])
        }
        try await a.choose(nil)
        try await expectPrivate("q/secret", a)
    }

    @Test func `a watch hears of a new folder of the former name first`() async throws {
        let (a, _) = try await secret()
        a.rename("p", "q")
        try a.write(["p": .directory(["n": .file("new")])])
        try await a.syncChanges("p", "p/n", folders: ["p"])
        try await expectPrivate("q/secret", a)
    }

    @Test func `a watch receives what is new by the former name, and has not heard of the rename`()
        async throws
    {
        let (a, b) = try await secret()
        try await b.sync()
        try b.write(["p": .directory(["n": .file("new")])])
        try await b.sync()
        a.rename("p", "q")
        try await a.syncChanges(hinted: true)
        try await expectPrivate("q/secret", a)
    }

    @Test func `a command deletes what was in it by its former name`() async throws {
        let (a, _) = try await secret()
        a.rename("p", "q")
        let report = try await a.with {
            try await $0.delete([RelativePath("p")], recursive: true, SyncOptions())
        }
        #expect(withheld(report) == ["q/secret"])
        try await expectPrivate("q/secret", a)
    }

    @Test func `a command makes another folder of its former name`() async throws {
        let (a, _) = try await secret()
        a.rename("p", "q")
        #expect(try await withheld(a.save("new", at: "p/n").sync) == ["q/secret"])
        try await expectPrivate("q/secret", a)
    }

    @Test func `a command receives the deletion of its former name`() async throws {
        let (a, b) = try await secret()
        try await b.sync()
        b.remove("p")
        try await b.sync()
        a.rename("p", "q")
        await #expect(throws: Failure.self) { try await a.load("p/t") }
        try await expectPrivate("q/secret", a)
    }

    @Test func `a command receives a rule for its former name`() async throws {
        let (a, b) = try await secret()
        try a.write(["p": .directory([".filesinkiignore": .file("*.o\n")])])
        try await a.sync()
        try await b.sync()
        try b.write(["p": .directory([".filesinkiignore": .file("*.o\n*.p\n")])])
        try await b.sync()
        a.rename("p", "q")
        try a.write(["p": .directory(["n": .file("other")])])
        #expect(try await withheld(a.save("new", at: "p/n").sync) == ["q/secret"])
        try await expectPrivate("q/secret", a)
    }

    @Test func `a folder that was deleted makes nothing private elsewhere`() async throws {
        let (a, _) = try await secret()
        try a.write(["q": .directory(["secret": .directory(["two": .file("2")])])])
        a.remove("p")
        #expect(try await sync(a, without: "q").withheld.isEmpty)
        try await a.sync()
        #expect(try await published().contains("q/secret/two"))
    }
}
