import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// A folder is moved out of another one, which is removed then, with the ignore file in it.
@Suite struct RemovedRulesTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    /// A replica in which that has been done with `p/a`, which is `a` now.
    private func moved(removing removed: String = "p") async throws -> Machine {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            "p": .directory([
                ".filesinkiignore": .file("secret\n*.env\n"),
                "a": .directory([
                    "secret": .directory(["one": .file("secret")]), "t": .file("t"),
                ]),
            ])
        ])
        try await a.sync()
        a.rename("p/a", "a")
        a.remove(removed)
        return a
    }

    @Test(arguments: ["sync", "watch", "save"])
    func `what it ignored is withheld, and nothing else`(_ command: String) async throws {
        let a = try await moved()
        try a.write(["a": .directory(["new": .file("new")])])
        switch command {
        case "watch": try await a.syncChanges("p", "p/.filesinkiignore", "a", folders: ["p", "a"])
        case "save": try await a.save("edited", at: "a/t")
        default: #expect(try await withheld(a.sync()) == ["a/secret"])
        }
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["a/secret"])
        #expect(try await count("secret") == 0)
        #expect(try await published().isSuperset(of: ["a/t", "a/new"]))
    }

    @Test func `a file of rules that was removed by itself ends them`() async throws {
        let a = try await moved(removing: "p/.filesinkiignore")
        #expect(try await withheld(a.sync()).isEmpty)
        #expect(try await count("secret") == 1)
    }
}
