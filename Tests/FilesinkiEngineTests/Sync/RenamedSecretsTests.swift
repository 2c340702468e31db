import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiTesting
import Testing

/// A folder is renamed, and a rule that names a place in it does not match any more: what it ignored there is withheld.
@Suite struct RenamedSecretsTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    /// A replica with a secret in a folder that it has synced.
    private func secret(_ rule: String = "p/secret/") async throws -> Machine {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("\(rule)\n"),
            "p": .directory(["secret": .directory(["one": .file("secret")]), "t": .file("t")]),
        ])
        try await a.sync()
        #expect(try await count("secret") == 0)
        return a
    }

    @Test(arguments: [("p/secret/", "q/secret"), ("/p/secret/one", "q/secret/one")])
    func `it is withheld by its new name until that is named`(
        _ rule: String, _ path: String
    ) async throws {
        let a = try await secret(rule)
        a.rename("p", "q")
        let report = try await a.sync()
        let said = report.notices.filter { $0.failure.message.hasPrefix("Withheld") }
        #expect(said.map { "\($0.path)" } == [path] && said.allSatisfy(\.isUrgent))
        #expect(said.first?.failure.message.contains("former name of its folder, p/secret") == true)
        #expect(withheld(report) == [path])
        #expect(try await published().contains("q/t"))
        for _ in 1...2 {
            let later = try await a.sync()
            #expect(later.notices.count == 1 && later.withheld.isEmpty)
        }
        try await sync(a, "q")
        #expect(try await count("secret") == 0)
        #expect(try noted(a) == [path])
        try await sync(a, path)
        #expect(try await count("secret") == 1)
        #expect(try noted(a).isEmpty)
    }

    @Test func `who names exactly the new path after the rename has decided`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        try await sync(a, "q/secret")
        #expect(try await published().contains("q/secret/one"))
        try await a.sync()
        #expect(try noted(a).isEmpty)
    }

    @Test func `a dry run says so, and notes nothing`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        let report = try await a.sync { $0.isDryRun = true }
        #expect(report.notices.contains { $0.failure.message.hasPrefix("Withheld") })
        #expect(report.steps.allSatisfy { !"\($0.path)".hasPrefix("q/secret") })
        #expect(try noted(a).isEmpty)
    }

    @Test func `it stays withheld in a further rename, and ends as the old name is back`()
        async throws
    {
        let a = try await secret()
        a.rename("p", "q")
        try await a.sync()
        a.rename("q", "r")
        try await a.sync()
        #expect(try noted(a) == ["r/secret"])
        a.rename("r", "p")
        try await a.sync()
        #expect(try noted(a).isEmpty)
        #expect(try await count("secret") == 0)
    }

    @Test func `so it is in a folder of a renamed folder`() async throws {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("x/p/*.env\n"),
            "x": .directory(["p": .directory(["one.env": .file("secret"), "t": .file("t")])]),
        ])
        try await a.sync()
        a.rename("x", "y")
        #expect(try await withheld(a.sync()) == ["y/p/one.env"])
        #expect(try await published().contains("y/p/t"))
    }

    @Test func `a rule for the new name keeps it private`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        try a.write([".filesinkiignore": .file("q/secret/\n")])
        #expect(try await a.sync().withheld.isEmpty)
        #expect(try noted(a).isEmpty)
        #expect(try await count("secret") == 0)
    }

    @Test func `a rule that the user ends with the rename withholds nothing`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        try a.write([".filesinkiignore": .file("*.o\n")])
        #expect(try await a.sync().withheld.isEmpty)
        #expect(try await count("secret") == 1)
    }

    @Test func `the ignore files in the folder move with it`() async throws {
        let a = try await secret("p/secret/\np/*.env")
        try a.write(["p": .directory([".filesinkiignore": .file("!a.env\n")])])
        try await a.sync()
        try a.write(["p": .directory(["a.env": .file("public"), "b.env": .file("private")])])
        a.rename("p", "q")
        #expect(try await withheld(a.sync()) == ["q/b.env", "q/secret"])
        #expect(try await published().contains("q/a.env"))
    }

    @Test func `an option of the run that includes it sends it`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        let patterns = try RunPatterns(excluded: [], included: ["secret"])
        let report = try await a.sync { $0.patterns = patterns }
        #expect(report.withheld.isEmpty)
        #expect(try await count("secret") == 1)
    }

    @Test func `a new folder of another inode withholds nothing`() async throws {
        let a = try await secret()
        try a.write(["q": .directory(["secret": .directory(["two": .file("2")])])])
        a.remove("p")
        #expect(try await a.sync().withheld.isEmpty)
        #expect(try await published().contains("q/secret/two"))
    }

    @Test func `a watch does not send it either`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        try await a.syncChanges("p", "p/t", "q", folders: ["q"])
        #expect(try noted(a) == ["q/secret"])
        #expect(try await published().contains("q/t"))
        #expect(try await count("secret") == 0)
    }

    @Test func `a command for the folder does not send it either`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        _ = try await a.with {
            try await $0.delete([RelativePath("q")], recursive: true, SyncOptions())
        }
        #expect(try await count("secret") == 0)
        #expect(a.text("q/secret/one") == "secret")
    }
}
