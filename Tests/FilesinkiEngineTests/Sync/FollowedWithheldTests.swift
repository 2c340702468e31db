import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiTesting
import Glibc
import Testing

/// What is withheld gets another name, and is not known by its inode alone.
@Suite struct FollowedWithheldTests: EndedRuleScene {
    let world: World

    init() throws { world = try World() }

    /// A replica in which `q/secret` is withheld, as `q` was `p`, which a rule names.
    private func renamed(_ secret: TreeFixture.Node = .file("secret")) async throws -> Machine {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("/p/secret\n"),
            "o": .directory(["secret": .file("public")]),
            "p": .directory(["secret": secret, "t": .file("t")]),
        ])
        try await a.sync()
        a.rename("p", "q")
        #expect(try await withheld(a.sync()) == ["q/secret"])
        return a
    }

    /// As an editor does it: the file has another inode then.
    private func replace(_ path: String, in folder: TreeFixture.Name, _ a: Machine) throws {
        try a.write([folder: .directory(["new": .file("other")])])
        a.rename(String(decoding: folder.bytes, as: UTF8.self) + "/new", path)
    }

    @Test(arguments: ["sync", "exclude", "watch", "save"])
    func `a file that was replaced stays withheld as its folder is renamed`(
        _ command: String
    ) async throws {
        let a = try await renamed()
        try replace("q/secret", in: "q", a)
        a.rename("q", "r")
        switch command {
        case "exclude":
            let patterns = try RunPatterns(excluded: ["r/secret"], included: [])
            try await a.sync { $0.patterns = patterns }
        case "watch": try await a.syncChanges("q", "q/t", "r", folders: ["r"])
        case "save": try await a.save("new", at: "k")
        default:
            let report = try await a.sync()
            let said = noticesOfWithheld(report)
            #expect(said.contains { "\($0.path)" == "r/secret" && $0.isUrgent })
            #expect(report.withheld.isEmpty)
        }
        #expect(try noted(a) == ["r/secret"])
        try await a.sync()
        #expect(try noted(a) == ["r/secret"])
        #expect(try await published().contains("r/t"))
        #expect(try await count("other") == 0)
    }

    @Test func `so does what a rule ignored that another device has ended`() async throws {
        let (_, b) = try await ended()
        try replace("d/p.env", in: "d", b)
        b.rename("d", "e")
        for _ in 1...2 { try await b.sync() }
        #expect(try noted(b) == ["e/p.env"])
        #expect(try await count("other") == 0)
    }

    @Test func `so does a folder that was replaced, with all that is in it`() async throws {
        let a = try await renamed(.directory(["one": .file("secret")]))
        try a.write(["q": .directory(["new": .directory(["two": .file("other")])])])
        a.remove("q/secret")
        a.rename("q/new", "q/secret")
        a.rename("q", "r")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["r/secret"])
        #expect(try await count("other") == 0)
    }

    @Test func `so does what swaps names with a synced file of another folder`() async throws {
        let a = try await renamed()
        a.rename("q", "z")
        a.rename("o", "q")
        a.rename("z", "o")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a).contains("o/secret"))
        #expect(try await count("secret") == 0)
    }

    @Test(arguments: [true, false])
    func `who names exactly the new path has decided`(_ isReplaced: Bool) async throws {
        let a = try await renamed()
        if isReplaced { try replace("q/secret", in: "q", a) }
        a.rename("q", "r")
        try await sync(a, "r/secret")
        #expect(try await count(isReplaced ? "other" : "secret") == 1)
        #expect(try noted(a).isEmpty)
    }

    @Test func `a dry run leaves the note as it is`() async throws {
        let a = try await renamed()
        try replace("q/secret", in: "q", a)
        a.rename("q", "r")
        let report = try await a.sync { $0.isDryRun = true }
        #expect(report.steps.allSatisfy { "\($0.path)" != "r/secret" })
        #expect(try noted(a) == ["q/secret"])
    }

    @Test func `it is found also where the run leaves out its new name`() async throws {
        let a = try await renamed()
        a.rename("q", "r")
        let patterns = try RunPatterns(excluded: ["r/secret"], included: [])
        try await a.sync { $0.patterns = patterns }
        #expect(try noted(a) == ["r/secret"])
        try await a.sync()
        #expect(try await count("secret") == 0)
    }

    @Test func `it is found also where the replica does not hold its new name`() async throws {
        let a = try await renamed()
        try await a.choose(["k"])
        try await a.sync()
        a.rename("q", "r")
        try await a.sync()
        #expect(try noted(a) == ["r/secret"])
        try await a.choose(nil)
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["r/secret"])
        #expect(try await count("secret") == 0)
    }

    @Test func `a choice finds it by the former name of its folder`() async throws {
        let a = try await renamed()
        try await a.choose(["k", "q"])
        try await a.sync()
        try replace("q/secret", in: "q", a)
        a.rename("q", "r")
        let report = try await a.choose(["k"])
        #expect(report.notices.map { "\($0.path)" } == ["r/secret"])
        try await a.choose(nil)
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["r/secret"])
        #expect(try await count("other") == 0)
    }

    @Test(arguments: [("save", "s"), ("away", "s"), ("save", "q")])
    func `so it does if the run that found a first rename has published nothing of it`(
        _ command: String, _ name: String
    ) async throws {
        let a = try await renamed()
        a.rename("q", "r")
        if command == "away" {
            world.remote.isAway = true
            _ = try? await a.sync()
            world.remote.isAway = false
        } else {
            try await a.save("new", at: "k")
        }
        #expect(try noted(a) == ["r/secret"])
        try replace("r/secret", in: "r", a)
        a.rename("r", name)
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["\(name)/secret"])
        #expect(try await count("other") == 0)
    }

    @Test(arguments: ["sync", "watch", "save", "name"])
    func `what has another name stays withheld where another file has its former one`(
        _ command: String
    ) async throws {
        let a = try await renamed()
        a.rename("q/secret", "q/secret.bak")
        try a.write(["q": .directory(["secret": .file("other")])])
        switch command {
        case "watch": try await a.syncChanges("q/secret", "q/secret.bak")
        case "save": try await a.save("new", at: "k")
        case "name": try await sync(a, "q/secret")
        default: break
        }
        for _ in 1...2 { try await a.sync() }
        let isNamed = command == "name"
        let expected = isNamed ? ["q/secret.bak"] : ["q/secret", "q/secret.bak"]
        #expect(try noted(a) == expected)
        #expect(try await count("secret") == 0)
        #expect(try await count("other") == (isNamed ? 1 : 0))
    }

    @Test func `a folder that was moved stays withheld where a symlink has its place`()
        async throws
    {
        let a = try await renamed(.directory(["one": .file("secret")]))
        a.rename("q/secret", "o/moved")
        try a.write(["q": .directory(["secret": .symlink("../o/moved")])])
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["o/moved", "q/secret"])
        #expect(try await count("secret") == 0)
    }

    @Test func `it is found where a symlink has the place of the folder above it`() async throws {
        let a = try await renamed()
        try a.write(["n": .directory()])
        a.rename("q/secret", "n/secret")
        a.remove("q")
        try a.write(["q": .symlink("n")])
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["n/secret"])
        #expect(try await count("secret") == 0)
        a.remove("n/secret")
        try await a.sync()
        #expect(try noted(a).isEmpty)
    }

    @Test func `it is found where another folder has the former name, and a choice leaves it out`()
        async throws
    {
        let a = try await renamed()
        try await a.choose(["k", "q"])
        try await a.sync()
        try replace("q/secret", in: "q", a)
        a.rename("q", "r")
        try a.write(["q": .directory(["secret": .file("new"), "t": .file("2")])])
        try await a.sync()
        try await a.choose(nil)
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["q/secret", "r/secret"])
        #expect(try await count("other") == 0)
    }

    @Test(arguments: [
        ("d/p.o", "d/p.env"), ("d/p.o", "open"), ("x.o/in/p.env", "d/p.env"),
    ])
    func `it is withheld again as it comes back from where a rule ignores it`(
        _ place: String, _ name: String
    ) async throws {
        let (_, b) = try await ended()
        try b.write(["x.o": .directory(["in": .directory([:])])])
        b.rename("d/p.env", place)
        for _ in 1...2 {
            let report = try await b.sync()
            #expect(noticesOfWithheld(report).isEmpty)
            #expect(report.withheld.isEmpty)
            #expect(try noted(b).isEmpty)
        }
        b.rename(place, name)
        await #expect(throws: Failure.self) { try await b.save("new", at: name) }
        let report = try await b.sync()
        let said = noticesOfWithheld(report)
        #expect(said.map { "\($0.path)" } == [name] && said.allSatisfy(\.isUrgent))
        #expect(withheld(report) == [name])
        #expect(try await b.sync().withheld.isEmpty)
        #expect(try noted(b) == [name])
        #expect(try await count("secret") == 0)
        try await sync(b, name)
        #expect(try await count("secret") == 1)
    }

    @Test func `so it is where the rule ends that ignores its new name`() async throws {
        let (_, b) = try await ended()
        b.rename("d/p.env", "d/p.o")
        try await b.sync()
        try b.write([".filesinkiignore": .file("*.tmp\n")])
        #expect(try await withheld(b.sync()) == ["d/p.o"])
        #expect(try await b.sync().withheld.isEmpty)
        #expect(try noted(b) == ["d/p.o"])
        #expect(try await count("secret") == 0)
    }

    @Test(arguments: [("*.o\n*.tmp\n", []), ("*.tmp\n", ["d/p.o"])] as [(String, [String])])
    func `so it is where another device changes the rules meanwhile`(
        _ rules: String, _ expected: [String]
    ) async throws {
        let (a, b) = try await ended()
        b.rename("d/p.env", "d/p.o")
        try await b.sync()
        try a.write([".filesinkiignore": .file(rules)])
        try await a.sync()
        #expect(try await withheld(b.sync()) == expected)
        b.rename("d/p.o", "d/p.env")
        for _ in 1...2 { try await b.sync() }
        #expect(try noted(b) == ["d/p.env"])
        #expect(try await count("secret") == 0)
    }

    @Test func `what is gone from where a rule ignored it is forgotten`() async throws {
        let (_, b) = try await ended()
        b.rename("d/p.env", "d/p.o")
        try await b.sync()
        #expect(try b.options.stateFolder.notedPaths() == [RelativePath("d/p.o")])
        b.remove("d/p.o")
        try await b.sync()
        #expect(try b.options.stateFolder.notedPaths().isEmpty)
    }

    @Test func `a folder in a renamed one is replaced before the base has the rename`() async throws
    {
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write([
            ".filesinkiignore": .file("/p/s/secret\n"),
            "p": .directory(["s": .directory(["secret": .file("secret"), "t": .file("t")])]),
        ])
        try await a.sync()
        a.rename("p", "q")
        #expect(try await withheld(a.sync()) == ["q/s/secret"])
        a.rename("q", "r")
        try await a.save("new", at: "k")
        try a.write(["r": .directory(["new": .directory(["secret": .file("other")])])])
        a.remove("r/s")
        a.rename("r/new", "r/s")
        a.rename("r", "u")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["u/s/secret"])
        #expect(try await count("other") == 0)
    }

    @Test func `what is gone is forgotten beside a new folder that cannot be read`() async throws {
        let a = try await renamed()
        try a.write(["other": .directory([:])])
        let file = open(a.at("other/.filesinkiignore"), O_WRONLY | O_CREAT, 0o644)
        #expect(ftruncate(file, 17 << 20) == 0)
        close(file)
        a.remove("q/secret")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a).isEmpty)
    }

    @Test func `nothing is forgotten while a new folder cannot be read`() async throws {
        let a = try await renamed()
        a.rename("q", "r")
        // Larger than a file of rules may be.
        let file = open(a.at("r/.filesinkiignore"), O_WRONLY | O_CREAT, 0o644)
        #expect(ftruncate(file, 17 << 20) == 0)
        close(file)
        for _ in 1...2 { #expect(try await !a.sync().problems.isEmpty) }
        #expect(try noted(a) == ["q/secret"])
        a.remove("r/.filesinkiignore")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["r/secret"])
        #expect(try await count("secret") == 0)
    }

    @Test func `a note that has no inodes of folders is read, and gets them`() async throws {
        let a = try await renamed()
        // The path is q/secret.
        let note: TreeFixture = ["withheld": .file("712f736563726574 0\n")]
        try a.write([".filesinki": .directory(note)])
        try await a.sync()
        try replace("q/secret", in: "q", a)
        a.rename("q", "r")
        for _ in 1...2 { try await a.sync() }
        #expect(try noted(a) == ["r/secret"])
        #expect(try await count("other") == 0)
    }
}
