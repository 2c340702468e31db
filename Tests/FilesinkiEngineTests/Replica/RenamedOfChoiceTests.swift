import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// A folder of a partial replica is renamed, and a new choice does not hold its former name, which a rule names.
@Suite struct RenamedOfChoiceTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    /// A replica that holds `p` only, which is called `q` now, with a secret in it.
    private func renamed() async throws -> Machine {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("p/secret/\n"),
            "p": .directory(["secret": .directory(["one": .file("secret")]), "t": .file("t")]),
        ])
        try await a.sync()
        try await a.choose(["p"])
        try await a.sync()
        a.rename("p", "q")
        return a
    }

    @Test func `what the rule ignored there is withheld until it is named`() async throws {
        let a = try await renamed()
        let report = try await a.choose(["q"])
        #expect(report.notices.map { "\($0.path)" } == ["q/secret"])
        #expect(try noted(a) == ["q/secret"])
        for _ in 1...2 { try await a.sync() }
        #expect(try await published().contains("q/t"))
        #expect(try await count("secret") == 0)
        try await sync(a, "q/secret")
        #expect(try await count("secret") == 1)
    }

    @Test func `so it is where the new name is chosen later`() async throws {
        let a = try await renamed()
        try await a.choose(["k"])
        try await a.sync()
        #expect(try await a.choose(["q"]).notices.isEmpty)
        try await a.sync()
        #expect(try await published().contains("q/t"))
        #expect(try await count("secret") == 0)
    }

    @Test func `a choice that holds the former name, too, leaves it to the sync`() async throws {
        let a = try await renamed()
        #expect(try await a.choose(["p", "q"]).notices.isEmpty)
        #expect(try await withheld(a.sync()) == ["q/secret"])
        #expect(try await count("secret") == 0)
    }
}
