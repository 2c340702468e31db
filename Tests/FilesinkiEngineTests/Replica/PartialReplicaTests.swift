import FilesinkiModel
import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

extension Machine {
    /// Chooses exactly these paths; nil for all.
    @discardableResult
    func choose(_ paths: [String]?) async throws -> ChoiceReport {
        let paths = try paths.map { try $0.map { try RelativePath($0) } }
        return try await with { try await $0.choosePaths(paths) }
    }

    func statusReport() async throws -> StatusReport { try await with { try await $0.status() } }

    /// The code of the failure with which a command ends; nil if it does not fail.
    func failure<Result: Sendable>(
        _ command: (Replica) async throws -> Result
    ) async throws -> Failure? {
        do {
            _ = try await with(command)
            return nil
        } catch let failure as Failure {
            return failure
        }
    }
}

/// A replica that holds some paths only: what is not here by choice is deleted nowhere.
@Suite struct PartialReplicaTests {
    private static let tree: TreeFixture = [
        "docs": .directory(["a": .file("a"), "b": .file("b")]),
        "p": .directory([
            "2024": .directory(["x": .file("x")]), "2025": .directory(["y": .file("y")]),
            "f": .file("f"),
        ]),
        "top": .file("top"),
    ]

    /// A complete replica `a`, and `b`, which holds some paths of its files.
    private func pair(
        _ world: World, only paths: [String], _ tree: TreeFixture = tree
    ) async throws -> (Machine, Machine) {
        let a = try await world.replica("a")
        try a.write(tree)
        try await a.sync()
        let b = try await world.replica("b", only: paths)
        try await b.sync()
        return (a, b)
    }

    @Test func `only the chosen paths are written, and the rest stays elsewhere`() async throws {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs", "p/2024"])
        #expect(
            try b.tree() == [
                "docs": .directory(["a": .file("a"), "b": .file("b")]),
                "p": .directory(["2024": .directory(["x": .file("x")])]),
            ])
        let again = try await b.sync()
        #expect(again.publishedCommits == 0)
        #expect(again.isQuiet)
        #expect(again.steps.isEmpty)
        try b.write(["docs": .directory(["a": .file("edited")])])
        b.remove("p/2024/x")
        #expect(try await b.sync().publishedCommits == 1)
        try a.write(["top": .file("new"), "p": .directory(["2024": .directory(["z": .file("z")])])])
        try await a.sync()
        try await b.sync()
        #expect(a.text("docs/a") == "edited")
        #expect(a.text("p/2025/y") == "y")
        #expect(a.text("p/2024/x") == nil)
        #expect(b.text("p/2024/z") == "z")
        #expect(b.text("top") == nil)
    }

    @Test func `status counts nothing that is not chosen, and a list shows it`() async throws {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs"])
        try a.write(["top": .file("new")])
        try await a.sync()
        try await b.sync()
        let status = try await b.statusReport()
        #expect(status.incoming.isEmpty)
        #expect(status.only?.map(\.description) == ["docs"])
        #expect(status.files == 2)
        let list = try await b.with {
            try await $0.listUnheld([RelativePath("p"), RelativePath("top")])
        }
        #expect(
            list.map(\.0.description) == [
                "p", "p/2024", "p/2024/x", "p/2025", "p/2025/y", "p/f", "top",
            ])
        #expect(try await a.with { try await $0.listUnheld([]) }.isEmpty)
    }

    @Test func `an added path is written by the next sync, a removed one leaves this disk only`()
        async throws
    {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs"])
        try await b.choose(["docs", "p"])
        try await b.sync()
        #expect(b.text("p/2025/y") == "y")
        let report = try await b.choose(["p/2024"])
        #expect(report.removed.map(\.description) == ["docs/a", "docs/b", "p/2025/y", "p/f"])
        #expect(try b.tree() == ["p": .directory(["2024": .directory(["x": .file("x")])])])
        #expect(try await b.sync().publishedCommits == 0)
        try await a.sync()
        #expect(try a.tree() == Self.tree)
        try await b.choose(nil)
        try await b.sync()
        try await world.converge()
        #expect(try b.tree() == Self.tree)
    }

    @Test(
        "what is not published does not leave the disk",
        arguments: ["edited", "saved", "occupied", "two", "conflict", "mode"])
    func refused(_ kind: String) async throws {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs", "p"])
        switch kind {
        case "edited": try b.write(["docs": .directory(["a": .file("edited")])])
        case "saved":
            world.remote.isAway = true
            try await b.save("new", at: "docs/n")
            world.remote.isAway = false
        case "occupied":
            try b.write(["docs": .directory(["c": .file("mine")])])
            try a.write(["docs": .directory(["c": .file("theirs")])])
            try await a.sync()
            let part = try RelativePath("p")
            try await b.sync { $0.paths = [part] }
        case "two": try b.write(["docs": .directory(["a": .file("new"), "b": .file("new")])])
        case "mode": b.setMode("docs/a", 0o600)
        default:
            try a.write(["docs": .directory(["a": .file("theirs")])])
            try await a.sync()
            try b.write(["docs": .directory(["a": .file("ours")])])
            try await b.sync()
        }
        let before = try b.tree()
        let failure = try await b.failure { try await $0.choosePaths([RelativePath("p")]) }
        #expect(failure?.code == .differs)
        #expect(failure?.path.starts(with: Array("docs/".utf8)) == true)
        if kind == "two" { #expect(failure?.message.hasSuffix(" So has 1 more path.") == true) }
        #expect(try b.tree() == before)
        #expect(try await b.with { try await $0.chosenPaths()?.count } == 2)
    }

    @Test func `a killed removal is completed by the next command, and an edit since is kept`()
        async throws
    {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs", "p"])
        // What a killed command has left: the note, and files that are still there.
        let note = PathChoiceNote(
            PathChoice([try RelativePath("p/2024")]), isRemoving: true)
        try StateFile.replace(b.options.stateFolder.only, with: note.bytes)
        try b.write(["docs": .directory(["a": .file("edited since")])])
        let report = try await b.sync()
        #expect(
            try b.tree() == [
                "docs": .directory(["a": .file("edited since")]),
                "p": .directory(["2024": .directory(["x": .file("x")])]),
            ])
        #expect(report.publishedCommits == 0)
        #expect(report.notices.map(\.path.description) == ["docs"])
        try await a.sync()
        #expect(try a.tree() == Self.tree)
        #expect(try b.options.stateFolder.choiceNote().isRemoving == false)
    }

    @Test func `a file outside of the choice is named, and neither sent nor touched`() async throws
    {
        let world = try World()
        let (a, b) = try await pair(world, only: ["p/2024"])
        try b.write([
            "mine": .file("1"), "top": .file("other"), "x.nosync": .file("2"),
            "p": .directory(["f": .file("own f"), "new": .directory(["n": .file("3")])]),
        ])
        let report = try await b.sync()
        #expect(report.publishedCommits == 0)
        #expect(report.notices.map(\.path.description) == ["mine", "p/f", "p/new", "top"])
        #expect(b.text("top") == "other")
        try await a.sync()
        #expect(try a.tree() == Self.tree)
        // Chosen later, it is compared as at a first sync.
        try await b.choose(["p", "mine"])
        try await b.sync()
        try await a.sync()
        #expect(a.text("mine") == "1")
        #expect(a.text("p/new/n") == "3")
        #expect(a.text("p/f") == "f")
        #expect(try a.tree()["p"] == b.tree()["p"])
    }

    @Test func `commands refuse paths outside of the choice and change nothing`() async throws {
        let world = try World()
        let (a, b) = try await pair(world, only: ["p/2024"])
        let (top, part, inside) = try (
            RelativePath("top"), RelativePath("p"), RelativePath("p/2024/x")
        )
        let options = SyncOptions()
        var commands: [(Replica) async throws -> Void] = []
        for path in [top, part] {
            commands += [
                { _ = try await $0.delete([path], recursive: true, options) },
                { _ = try await $0.undelete(path, options) },
                { _ = try await $0.restore(path, version: 1, options) },
                { _ = try await $0.move([PathRename(from: path, to: inside)], options) },
                { _ = try await $0.move([PathRename(from: inside, to: path)], options) },
            ]
        }
        commands.append { replica in
            _ = try await replica.save(top, SaveOptions()) { _ in }
        }
        commands.append { replica in
            var options = options
            options.paths = [top]
            _ = try await replica.sync(options)
        }
        let before = try b.tree()
        for (number, command) in commands.enumerated() {
            #expect(try await b.failure(command)?.code == .usage, "command \(number)")
        }
        #expect(try b.tree() == before)
        try await a.sync()
        #expect(try a.tree() == Self.tree)
        // A folder of which a part is here can be synced.
        try b.write(["p": .directory(["2024": .directory(["x": .file("new")])])])
        #expect(try await b.sync { $0.paths = [part] }.publishedCommits == 1)
    }

    @Test func `load prints what the store has, and writes nothing here`() async throws {
        let world = try World()
        let (_, b) = try await pair(world, only: ["docs"])
        #expect(try await b.load("p/2025/y") == "y")
        #expect(try b.names == ["docs"])
        for path in ["p", "nosuch"] {
            let path = try RelativePath(path)
            let failure = try await b.failure {
                try await $0.load(path, isOffline: false, SyncOptions()) { _ in }
            }
            #expect(failure?.code == .notFound)
        }
        let top = try RelativePath("top")
        let failure = try await b.failure {
            try await $0.load(top, isOffline: true, SyncOptions()) { _ in }
        }
        #expect(failure?.code == .usage)
    }

    @Test func `renames of others across the border`() async throws {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs"])
        a.rename("docs/a", "out")
        a.rename("top", "docs/in")
        try await a.sync()
        try await b.sync()
        #expect(try b.tree() == ["docs": .directory(["b": .file("b"), "in": .file("top")])])
        // An edit here of what was renamed to a place that is not here survives.
        a.rename("docs/b", "out2")
        try await a.sync()
        try b.write(["docs": .directory(["b": .file("edited")])])
        try await b.sync()
        try await a.sync()
        #expect(a.text("docs/b") == "edited")
        #expect(a.text("out2") == "b")
        #expect(a.text("out") == "a")
        // A folder that goes away as a whole.
        a.rename("docs", "elsewhere")
        try await a.sync()
        try await b.sync()
        #expect(try b.tree() == [:])
        #expect(a.text("elsewhere/in") == "top")
    }

    @Test func `a folder above the choice that is deleted here keeps what is not here`()
        async throws
    {
        let world = try World()
        let (a, b) = try await pair(world, only: ["p/2024", "docs"])
        b.remove("p")
        try await b.sync()
        try await a.sync()
        #expect(
            try a.tree()["p"]
                == .directory(["2025": .directory(["y": .file("y")]), "f": .file("f")]))
        try await b.sync()
        #expect(try await b.sync().publishedCommits == 0)
        // Deleted by another device, it goes.
        a.remove("p")
        try await a.sync()
        try await b.sync()
        #expect(try b.names == ["docs"])
    }

    @Test func `a file in the place of a folder above the choice is not replaced`() async throws {
        let world = try World()
        let (a, b) = try await pair(
            world, only: ["docs", "q/r"], ["docs": .directory(), "q": .file("q")])
        try b.write(["docs": .directory(["n": .file("n")])])
        try await b.sync()
        #expect(b.text("q") == "q")
        b.remove("q")
        try b.write(["q": .directory(["r": .file("r")])])
        try await b.sync()
        try await a.sync()
        #expect(a.text("q/r") == "r")
    }

    @Test func `settings and ignore files are here, and apply`() async throws {
        let world = try World()
        let (a, b) = try await pair(
            world, only: ["p/2024"],
            [
                ".filesinkiignore": .file("*.o\n"), ".filesinki.toml": .file("max-delete = 3\n"),
                "p": .directory([
                    ".filesinkiignore": .file("*.tmp\n"), "2024": .directory(["x": .file("x")]),
                    "other": .file("1"),
                ]),
            ])
        #expect(b.text(".filesinkiignore") != nil && b.text(".filesinki.toml") != nil)
        #expect(b.text("p/.filesinkiignore") == "*.tmp\n")
        try b.write([
            "p": .directory([
                "2024": .directory(["a.o": .file("1"), "b.tmp": .file("2"), "c": .file("3")])
            ])
        ])
        try await b.sync()
        try await a.sync()
        #expect(
            try a.tree()["p"]
                == .directory([
                    ".filesinkiignore": .file("*.tmp\n"), "other": .file("1"),
                    "2024": .directory(["x": .file("x"), "c": .file("3")]),
                ]))
    }

    @Test func `a folder is not deleted while something is in it that is not held`() async throws {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs", "p/2024"])
        b.remove("p")
        try await b.sync()
        let changes = try await world.commits().flatMap(\.changes)
        let deleted = changes.filter { $0.entry.kind == .tombstone }.map(\.path.description)
        #expect(deleted.sorted() == ["p/2024", "p/2024/x"])
        try await a.sync()
        #expect(
            try a.tree()["p"]
                == .directory(["2025": .directory(["y": .file("y")]), "f": .file("f")]))
    }

    @Test func `runs of a watch leave alone what is not chosen`() async throws {
        let world = try World()
        let (a, b) = try await pair(world, only: ["p/2024"])
        b.setMode("p", 0o700)
        try b.write(["p": .directory(["own": .file("own")], mode: 0o700)])
        try await b.syncChanges("p", "p/own", folders: ["p"], hinted: true)
        #expect(
            try b.tree()["p"]
                == .directory(
                    ["2024": .directory(["x": .file("x")]), "own": .file("own")], mode: 0o700))
        try a.write(["p": .directory(["f": .file("new"), "2024": .directory(["x": .file("2")])])])
        try await a.sync()
        let report = try await b.syncChanges(hinted: true)
        #expect(b.text("p/2024/x") == "2")
        #expect(b.text("p/f") == nil)
        #expect(!report.hasMore)
        #expect(a.text("p/own") == nil)
    }

    @Test func `the store of a partial replica is whole: check, checkpoints and batches`()
        async throws
    {
        let world = try World()
        let (a, b) = try await pair(world, only: ["docs"])
        let report = try await b.with { try await $0.check(.all, progress: nil) }
        #expect(report.failures.isEmpty)
        let c = try await world.replica("c", only: ["p"])
        try await c.sync {
            $0.wholeRunLimit = 2
            $0.batchSize = 1
        }
        #expect(try c.tree()["p"] == Self.tree["p"])
        #expect(try c.names == ["p"])
        #expect(try await c.sync { $0.wholeRunLimit = 2 }.publishedCommits == 0)
        try await a.sync()
        #expect(try a.tree() == Self.tree)
    }
}
