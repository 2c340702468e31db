import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiStore
import FilesinkiTesting
import Testing

/// What a rule ignores is private: no command sends it, nor removes it.
@Suite struct IgnoredChangeTests {
    /// All contents and paths that the store has in commits.
    private func published(_ world: World) async throws -> (paths: Set<String>, texts: Set<String>)
    {
        let commits = try await world.commits()
        let paths = commits.flatMap { $0.changes + $0.superseded }.map(\.path.description)
        let texts = commits.flatMap(\.inline).map { String(decoding: $0.bytes, as: UTF8.self) }
        return (Set(paths), Set(texts))
    }

    @Test(
        "a command that names an ignored path is refused, whether it was synced before or not",
        arguments: [
            "save", "save if", "delete", "publish", "publish deletion", "undelete", "restore",
            "resolve",
        ], [false, true])
    func refused(_ command: String, _ isFormer: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["p.env": .file("old"), "k": .file("keep")])
        if !isFormer { try a.write(["new.env": .file("secret")]) }
        let path = try RelativePath(isFormer ? "p.env" : "new.env")
        try a.write([".filesinkiignore": .file("*.env\n"), "p.env": .file("edited secret")])
        let failure = try await a.failure { replica in
            switch command {
            case "save": _ = try await replica.save(path, SaveOptions()) { _ in }
            case "save if":
                var options = SaveOptions()
                options.ifVersion = isFormer ? 1 : 0
                _ = try await replica.save(path, options) { _ in }
            case "delete": _ = try await replica.delete([path], recursive: true, SyncOptions())
            case "publish": _ = try await replica.publish(path, SyncOptions())
            case "publish deletion":
                _ = try await replica.publishDeletion(of: path, SyncOptions())
            case "undelete": _ = try await replica.undelete(path, SyncOptions())
            case "resolve": _ = try await replica.resolve(path, .ours, SyncOptions())
            default: _ = try await replica.restore(path, version: 1, SyncOptions())
            }
        }
        let isFound = isFormer || !["restore"].contains(command)
        if command != "resolve" {
            let code = failure?.code
            #expect(code == (isFound ? .usage : .notFound), "\(String(describing: failure))")
        }
        for machine in [a, b] { try await machine.sync() }
        let (paths, texts) = try await published(world)
        #expect(paths == ["p.env", "k", ".filesinkiignore"])
        #expect(texts.isDisjoint(with: ["secret", "edited secret"]))
        #expect(a.text("p.env") == "edited secret" && b.text("p.env") == "old")
    }

    @Test(
        "a resolve of a path that a rule ignores which it receives is refused, and changes nothing",
        arguments: ["ours", "theirs", "ours without a copy", "undo"])
    func receivedRule(_ choice: String) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["g.key": .file("base"), "k": .file("keep")])
        try a.write(["g.key": .file("from a")])
        try b.write(["g.key": .file("from b!")])
        try await a.sync()
        try await b.sync {
            if choice == "ours without a copy" { $0.strategy = try? Strategy(parsing: "ask") }
        }
        let path = try RelativePath("g.key")
        if choice == "undo" {
            try await b.with { _ = try await $0.resolve(path, .theirs, SyncOptions()) }
        }
        try await a.sync()
        try a.write([".filesinkiignore": .file("*.key\n")])
        try await a.sync()
        let names = try b.names
        let before = names.map { b.text($0) }
        let failure = try await b.failure { replica in
            switch choice {
            case "undo": _ = try await replica.unresolve(path, SyncOptions())
            case "theirs": _ = try await replica.resolve(path, .theirs, SyncOptions())
            default: _ = try await replica.resolve(path, .ours, SyncOptions())
            }
        }
        #expect(failure?.code == .usage && failure?.path == path.bytes)
        #expect(b.text(".filesinkiignore") == "*.key\n")
        #expect(try b.names.filter { $0 != ".filesinkiignore" } == names)
        #expect(names.map { b.text($0) } == before)
    }

    @Test("a run for a folder sends neither a file nor an edit that a rule ignores there")
    func folder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["p.env": .file("old"), "f": .file("1")]), "k": .file("keep"),
        ])
        try a.write([
            ".filesinkiignore": .file("*.env\n"),
            "d": .directory(["p.env": .file("edited secret"), "new.env": .file("secret")]),
        ])
        _ = try await a.with {
            try await $0.move(
                [PathRename(from: try RelativePath("d"), to: try RelativePath("e"))], SyncOptions())
        }
        #expect(a.text("e/p.env") == "edited secret" && a.text("e/new.env") == "secret")
        #expect(a.text("e/f") == "1")
        for machine in [a, b, a, b] { try await machine.sync() }
        #expect(b.text("e/f") == "1" && b.text("d/p.env") == "old")
        let (_, texts) = try await published(world)
        #expect(texts.isDisjoint(with: ["secret", "edited secret"]))
    }

    @Test("a file in the place of a folder with files that are ignored here is named")
    func heldPlace() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .directory(["n.txt": .file("1")])])
        try b.write([".filesinki": .directory(["ignore": .file("*.txt\n")])])
        b.remove("d")
        try b.write(["d": .file("in its place")])
        for _ in 0..<2 {
            let report = try await b.sync()
            #expect(report.problems.map(\.path.description) == ["d"])
        }
        try await a.sync()
        #expect(a.text("d/n.txt") == "1" && b.text("d") == "in its place")
        b.rename("d", "e")
        #expect(try await b.sync().problems.isEmpty)
        try await a.sync()
        #expect(a.text("e") == "in its place" && a.text("d/n.txt") == "1")
    }

    @Test("a deleted folder stays with its ignored files and their rules")
    func keptFolder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory([
                ".filesinkiignore": .file("*.key\n"), "f": .file("1"),
                "s": .directory(["g": .file("2")]), "gone": .directory(["h": .file("3")]),
            ]), "k": .file("keep"), ".filesinkiignore": .file("*.env\nbuild/\n"),
        ])
        let path = try RelativePath("d")
        try a.write([
            "d": .directory([
                "local.key": .file("key"), "s": .directory(["local.env": .file("env")]),
                "build": .directory(["out": .file("built")]),
            ])
        ])
        let report = try await a.with {
            try await $0.delete([path], recursive: true, SyncOptions())
        }
        #expect(report.notices.map(\.path.description) == ["d"])
        #expect(report.problems.isEmpty)
        #expect(a.text("d/local.key") == "key" && a.text("d/s/local.env") == "env")
        #expect(a.text("d/build/out") == "built")
        #expect(a.text("d/f") == nil && a.text("d/s/g") == nil)
        #expect(a.text("d/gone/h") == nil)
        for machine in [a, b] { try await machine.sync() }
        #expect(b.text("d/f") == nil && b.text("d/s/g") == nil)
        let (paths, texts) = try await published(world)
        #expect(!paths.contains { $0.hasSuffix(".key") || $0.hasSuffix(".env") })
        #expect(texts.isDisjoint(with: ["key", "env", "built"]))
        for name in ["d/f", "d/s/g", "d/gone"] {
            let deleted = try RelativePath(name)
            _ = try await a.with { try await $0.undelete(deleted, SyncOptions()) }
        }
        #expect(a.text("d/f") == "1" && a.text("d/s/g") == "2" && a.text("d/gone/h") == "3")
        #expect(a.text("d/local.key") == "key")
    }

    @Test("delete --keep deletes in the store, and keeps what is here and on devices with the rule")
    func kept() async throws {
        let world = try World()
        let made = try await world.replicas(
            "a", "b", "c", holding: ["p.env": .file("old"), "d": .directory(["q": .file("q")])])
        let (a, b, c) = (made[0], made[1], made[2])
        let path = try RelativePath("p.env")
        let early = try await a.failure {
            try await $0.deleteInStore([path], recursive: false, SyncOptions())
        }
        #expect(early?.code == .usage)
        try a.write([".filesinkiignore": .file("*.env\n/d\n"), "p.env": .file("secret")])
        // c learns of the rule and of the deletion at once.
        for machine in [a, b] { try await machine.sync() }
        let folder = try RelativePath("d")
        let refused = try await a.failure {
            try await $0.deleteInStore([folder], recursive: false, SyncOptions())
        }
        #expect(refused?.code == .usage)
        let report = try await a.with {
            try await $0.deleteInStore([path, folder], recursive: true, SyncOptions())
        }
        #expect(report.steps.filter { $0.reason == .deleted }.count == 3)
        for machine in [a, b, c] { try await machine.sync() }
        #expect(a.text("p.env") == "secret" && a.text("d/q") == "q")
        for other in [b, c] {
            #expect(other.text("p.env") == "old" && other.text("d/q") == "q")
        }
        let again = try await a.failure {
            try await $0.deleteInStore([path], recursive: false, SyncOptions())
        }
        #expect(again?.code == .notFound)
        // The end of the rule deletes nothing.
        a.remove(".filesinkiignore")
        for machine in [a, b, c] { try await machine.sync() }
        try await c.sync { $0.paths = [path] }
        #expect(a.text("p.env") == "secret" && c.text("p.env") == "secret")
    }

    @Test("what the store has of ignored paths is listed, and counted")
    func listed() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["p.env": .file("old"), "k": .file("keep")])
        try a.write([".filesinkiignore": .file("*.env\n"), "new.env": .file("secret")])
        try await a.sync()
        let found = try await a.with { try await $0.listIgnored([]) }
        #expect(found.map(\.0.description) == ["p.env"])
        #expect(found.map(\.1.version) == [1])
        #expect(try await a.with { try await $0.listIgnored([try RelativePath("k")]) }.isEmpty)
        #expect(try await a.statusReport().ignoredFiles == 1)
    }

    @Test("the deletion of an ignored path at which nothing is waits for nobody")
    func nothingHere() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        try b.write([".filesinki": .directory(["ignore": .file("*.o\n")])])
        try a.write(["x.o": .file("1"), "y.o": .file("1")])
        try b.write(["y.o": .file("mine")])
        for machine in [a, b] { try await machine.sync() }
        for name in ["x.o", "y.o"] { a.remove(name) }
        try await a.sync()
        let first = try await b.sync()
        #expect(first.steps.filter { $0.reason == .ignored }.map(\.path.description) == ["y.o"])
        #expect(first.knownSequence > 0 && first.knownSequence < first.sequence)
        let patterns = try RunPatterns(excluded: ["y.o"], included: [])
        let second = try await b.sync { $0.patterns = patterns }
        #expect(second.steps.map(\.reason) == [.ignored])
    }

    @Test("what only the run leaves out has a reason of its own, and is not received")
    func excluded() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        try a.write(["x.o": .file("1")])
        try await a.sync()
        let patterns = try RunPatterns(excluded: ["*.o"], included: [])
        #expect(try await b.sync { $0.patterns = patterns }.steps.map(\.reason) == [.excluded])
        #expect(b.text("x.o") == nil)
        try await b.sync()
        #expect(b.text("x.o") == "1")
    }
}
