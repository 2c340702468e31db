import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

/// What is withheld is moved to where no scan sees it, and comes back from there.
@Suite struct HiddenWithheldTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    /// A replica in which `q/secret` is withheld, as `q` was `p`, which a rule names.
    ///
    /// - Parameters:
    ///   - rules: More rules.
    ///   - withheld: What else is withheld.
    ///   - change: Adds to `p`.
    private func renamed(
        rules: String = "*.nosync\nign/\n", besides withheld: [String] = [],
        _ change: (Machine) throws -> Void = { _ in }
    ) async throws -> Machine {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("/p/secret\n" + rules),
            "o": .directory(["u": .file("u")]),
            "p": .directory(["secret": .file("secret"), "t": .file("t")]),
        ])
        try change(a)
        try await a.sync()
        a.rename("p", "q")
        #expect(try await self.withheld(a.sync()) == ["q/secret"] + withheld)
        return a
    }

    private func all(_ a: Machine) throws -> [String] {
        try a.options.stateFolder.notedPaths().sorted().map { "\($0)" }
    }

    /// A run that publishes nothing of what was renamed.
    private func runWithout(_ command: String, _ a: Machine) async throws {
        if command == "away" {
            world.remote.isAway = true
            for _ in 1...2 { _ = try? await a.sync() }
            world.remote.isAway = false
        } else {
            try await a.save("new", at: "k")
        }
    }

    @Test(arguments: ["save", "away"])
    func `it has an ignored name while a run that publishes nothing of its folder follows that`(
        _ command: String
    ) async throws {
        let a = try await renamed()
        a.rename("q/secret", "q/secret.nosync")
        try await a.sync()
        a.rename("q", "r")
        try await runWithout(command, a)
        #expect(try noted(a).isEmpty)
        try await a.sync()
        #expect(try all(a) == ["r/secret.nosync"])
        a.rename("r/secret.nosync", "r/secret")
        #expect(try await withheld(a.sync()) == ["r/secret"])
        #expect(try noted(a) == ["r/secret"])
        #expect(try await count("secret") == 0)
    }

    @Test(arguments: ["save", "away"])
    func `a rule names the place that its folder is renamed to`(_ command: String) async throws {
        let a = try await renamed(rules: "/r/secret\n")
        a.rename("q", "r")
        try await runWithout(command, a)
        try await a.sync()
        #expect(try all(a) == ["r/secret"])
        a.rename("r/secret", "r/x")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["r/x"])
        #expect(try await count("secret") == 0)
    }

    @Test func `another hard link of it is withheld, too`() async throws {
        let a = try await renamed(rules: "/p/secret2\n*.nosync\n", besides: ["q/secret2"]) { a in
            #expect(link(a.at("p/secret"), a.at("p/secret2")) == 0)
        }
        a.rename("q/secret", "q/secret.nosync")
        try await a.sync()
        #expect(try all(a) == ["q/secret.nosync", "q/secret2"])
        a.rename("q/secret.nosync", "q/secret")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["q/secret", "q/secret2"])
        #expect(try await count("secret") == 0)
    }

    @Test(arguments: [false, true])
    func `it is moved into another withheld folder and back`(_ isIgnored: Bool) async throws {
        let a = try await renamed(rules: "/p/w\nign/\n", besides: ["q/w"]) { a in
            try a.write([
                "ign": .directory([:]), "p": .directory(["w": .directory(["f": .file("w")])]),
            ])
        }
        a.rename("q/secret", "q/w/secret")
        let report = try await a.sync()
        #expect(try all(a) == ["q/w", "q/w/secret"])
        // The folder stands for what is in it.
        #expect(try noted(a) == ["q/w"])
        let said = noticesOfWithheld(report)
        #expect(!said.contains { "\($0.path)" == "q/w/secret" })
        if isIgnored {
            a.rename("q/w", "ign/w")
            try await a.sync()
            #expect(try all(a) == ["ign/w", "ign/w/secret"])
            a.rename("ign/w", "q/w")
            try await a.sync()
            #expect(try all(a) == ["q/w", "q/w/secret"])
        }
        a.rename("q/w/secret", "q/secret")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["q/secret", "q/w"])
        #expect(try await count("secret") == 0)
    }

    @Test func `it is published with the withheld folder that it was moved into`() async throws {
        let a = try await renamed(rules: "/p/w\n", besides: ["q/w"]) { a in
            try a.write(["p": .directory(["w": .directory(["f": .file("w")])])])
        }
        a.rename("q/secret", "q/w/secret")
        try await a.sync()
        try await sync(a, "q/w")
        #expect(try all(a).isEmpty)
        #expect(try await count("secret") == 1)
    }

    @Test func `it is in a folder whose rules cannot be read`() async throws {
        let a = try await renamed()
        try a.write(["o": .directory(["s": .directory(["y": .file("y")])])])
        try await a.sync()
        // Larger than a file of rules may be.
        let file = open(a.at("o/s/.filesinkiignore"), O_WRONLY | O_CREAT, 0o644)
        #expect(ftruncate(file, 17 << 20) == 0)
        close(file)
        a.rename("q/secret", "o/s/x")
        for _ in 1...2 { try await a.sync() }
        #expect(try all(a).contains("o/s/x"))
        a.remove("o/s/.filesinkiignore")
        a.rename("o/s/x", "o/x")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["o/x"])
        #expect(try await count("secret") == 0)
    }

    @Test(.enabled(if: geteuid() != 0, "root reads every folder"))
    func `it is in an ignored folder that cannot be read`() async throws {
        let a = try await renamed()
        try a.write(["ign": .directory([:])])
        a.rename("q/secret", "ign/x")
        a.setMode("ign", 0)
        for _ in 1...2 { try await a.sync() }
        a.setMode("ign", 0o755)
        #expect(try all(a) == ["q/secret"])
        a.rename("ign/x", "o/x")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["o/x"])
        #expect(try await count("secret") == 0)
    }
}
