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
        let said = noticesOfWithheld(report)
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
        #expect(!noticesOfWithheld(report).isEmpty)
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

    @Test(arguments: [["q"], ["q", "n"]] as [[String]])
    func `a command for a file in the folder does not hide the rename from later runs`(
        _ names: [String]
    ) async throws {
        let a = try await secret()
        for name in names { a.rename(name == "q" ? "p" : "q", name) }
        let folder = try #require(names.last)
        let saved = try await a.save("new", at: "\(folder)/t").sync
        #expect(withheld(saved) == ["\(folder)/secret"])
        try await a.sync()
        #expect(try await count("secret") == 0)
        #expect(try noted(a) == ["\(folder)/secret"])
    }

    @Test func `so it is if the folder was moved into one that is named`() async throws {
        let a = try await secret()
        try a.write(["k2": .directory(["x": .file("x")])])
        try await a.sync()
        a.rename("p", "k2/p")
        _ = try await a.with {
            try await $0.delete([RelativePath("k2")], recursive: true, SyncOptions())
        }
        try await a.sync()
        #expect(try await count("secret") == 0)
        #expect(a.text("k2/p/secret/one") == "secret")
    }

    /// As ``secret(_:)``, with another folder that was synced.
    private func besides(_ folder: TreeFixture.Node) async throws -> Machine {
        let a = try await secret()
        try a.write(["o": folder])
        try await a.sync()
        return a
    }

    @Test func `it takes the name of a folder that was deleted`() async throws {
        let a = try await besides(.directory(["secret": .directory(["one": .file("public")])]))
        a.remove("o")
        a.rename("p", "o")
        #expect(try await withheld(a.sync()) == ["o/secret"])
        #expect(try await published().contains("o/t"))
        try await a.sync()
        #expect(try await count("secret") == 0)
    }

    @Test func `it takes the name of an empty folder`() async throws {
        let a = try await besides(.directory([:]))
        a.rename("p", "o")
        #expect(try await withheld(a.sync()) == ["o/secret"])
        #expect(try await count("secret") == 0)
    }

    @Test func `it swaps names with another folder`() async throws {
        let a = try await besides(.directory(["x": .file("x")]))
        a.rename("p", "z")
        a.rename("o", "p")
        a.rename("z", "o")
        #expect(try await withheld(a.sync()) == ["o/secret"])
        #expect(try await published().contains("p/x"))
        try await a.sync()
        #expect(try await count("secret") == 0)
    }

    @Test func `a watch sees that the name is of another folder now`() async throws {
        let a = try await besides(.directory([:]))
        a.rename("p", "o")
        try await a.syncChanges("p", "p/t", "o", folders: ["o"])
        #expect(try noted(a) == ["o/secret"])
        #expect(try await count("secret") == 0)
    }

    @Test func `a folder that was deleted and made again is known by its new inode`() async throws {
        let a = try await besides(.directory(["x": .file("x")]))
        // Else it may get the inode of the other one.
        try a.write(["n": .directory(["x": .file("x")])])
        a.remove("o")
        a.rename("n", "o")
        try a.write([".filesinkiignore": .file("o/key\n")])
        try await a.sync()
        try a.write(["o": .directory(["key": .file("secret")])])
        a.rename("o", "r")
        #expect(try await withheld(a.sync()) == ["r/key"])
    }

    @Test func `an option of the run that excludes it does not send it later`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        let patterns = try RunPatterns(excluded: ["q/secret"], included: [])
        #expect(try await withheld(a.sync { $0.patterns = patterns }) == ["q/secret"])
        try await a.sync()
        #expect(try await count("secret") == 0)
    }

    @Test(arguments: [("q/secret", 1), ("/q/secret/", 1), ("p/secret", 0), ("p/secret/", 0)])
    func `an option includes it by its present name`(
        _ pattern: String, _ times: Int
    ) async throws {
        let a = try await secret()
        a.rename("p", "q")
        let patterns = try RunPatterns(excluded: [], included: [pattern])
        let report = try await a.sync { $0.patterns = patterns }
        #expect(report.withheld.isEmpty == (times == 1))
        #expect(try await count("secret") == times)
    }

    @Test(arguments: [[], ["r/t"]] as [[String]])
    func `the ignore file of a folder above has another name, too`(
        _ saved: [String]
    ) async throws {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            "x": .directory([
                ".filesinkiignore": .file("p/*.env\n"),
                "p": .directory(["one.env": .file("secret"), "t": .file("t")]),
            ])
        ])
        try await a.sync()
        a.rename("x/p", "r")
        a.rename("x", "y")
        for path in saved { try await a.save("new", at: path) }
        let report = try await a.sync()
        #expect(withheld(report) == (saved.isEmpty ? ["r/one.env"] : []))
        #expect(try noted(a) == ["r/one.env"])
        #expect(try await count("secret") == 0)
    }

    @Test func `it is not among what the next run sends, and that is not noted`() async throws {
        let a = try await secret()
        a.rename("p", "q")
        let new = try await a.with { try await $0.localState()?.changed.map(\.description) }
        #expect(new == ["p", "p/t", "q", "q/t"])
        #expect(try noted(a).isEmpty)
    }
}
