import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

/// A command for some paths receives the rules that hold for them before it sends anything.
@Suite struct RulesOfPathRunsTests {
    private let world: World

    init() throws { world = try World() }

    /// Two replicas; the first one has made a rule that the second has not received.
    private func scene() async throws -> (Machine, Machine) {
        let (a, b) = try await world.pair([
            "f": .file("1"), "old.key": .file("old"),
            "d": .directory(["g": .file("2"), "x.key": .file("x")]),
        ])
        try await remove("old.key", on: b)
        try await a.sync()
        try a.write([".filesinkiignore": .file("*.key\n")])
        try await a.sync()
        return (a, b)
    }

    private func remove(_ path: String, on machine: Machine) async throws {
        let path = try RelativePath(path)
        try await machine.with { try await $0.delete([path], recursive: true, SyncOptions()) }
    }

    /// What the commits after the first `skipped` have, deletions behind a minus.
    private func published(after skipped: Int) async throws -> [String] {
        let commits = try await world.commits().dropFirst(skipped)
        let changes: [Change] = commits.flatMap { $0.changes + $0.superseded }
        return changes.map { change -> String in
            let isDeletion = change.entry.kind == .tombstone
            return isDeletion ? "-\(change.path)" : change.path.description
        }
    }

    private func refusal(_ body: () async throws -> Void) async -> Failure? {
        do {
            try await body()
            return nil
        } catch { return error as? Failure }
    }

    @Test(arguments: ["save", "save if", "undelete", "restore", "undelete many", "rm", "publish"])
    func `a path that the rule ignores is refused, and nothing is sent`(
        _ command: String
    ) async throws {
        let (_, b) = try await scene()
        let path = try RelativePath("old.key")
        let new = try RelativePath("new.key")
        if ["rm", "publish"].contains(command) { try b.write(["new.key": .file("here")]) }
        let known = try await world.commits().count
        let failure = await refusal {
            switch command {
            case "save": try await b.save("here", at: "new.key")
            case "save if": try await b.save("here", at: "new.key", ifVersion: 0)
            case "undelete": _ = try await b.with { try await $0.undelete(path, SyncOptions()) }
            case "restore":
                _ = try await b.with { try await $0.restore(path, version: 1, SyncOptions()) }
            case "undelete many":
                let report = try await b.with {
                    try await $0.undelete([path], SyncOptions())
                }
                if let problem = report.problems.first { throw problem.failure }
            case "rm":
                _ = try await b.with {
                    try await $0.delete([new], recursive: false, SyncOptions())
                }
            default: _ = try await b.with { try await $0.publish(new, SyncOptions()) }
            }
        }
        #expect(failure?.code == .usage)
        #expect(try await published(after: known).isEmpty)
        #expect(b.text(".filesinkiignore") == "*.key\n" && b.text("old.key") == nil)
        // The content of an unconditional save is kept, and stays private.
        #expect((b.text("new.key") == "here") == ["save", "rm", "publish"].contains(command))
        try await b.sync()
        #expect(try await published(after: known).isEmpty)
    }

    @Test func `a rename to a name that the rule ignores does not send the new name`() async throws
    {
        let (_, b) = try await scene()
        let known = try await world.commits().count
        let rename = PathRename(from: try RelativePath("f"), to: try RelativePath("f.key"))
        try await b.with { try await $0.move([rename], SyncOptions()) }
        #expect(try await published(after: known) == ["-f"])
        #expect(b.text("f.key") == "1")
    }

    @Test func `a deleted folder stays with what the rule ignores`() async throws {
        let (_, b) = try await scene()
        let known = try await world.commits().count
        try await remove("d", on: b)
        #expect(try await published(after: known) == ["-d/g"])
        #expect(b.text("d/x.key") == "x" && b.text("d/g") == nil)
    }

    @Test func `an edit that a save replaces is not kept in the history`() async throws {
        let (_, b) = try await scene()
        let known = try await world.commits().count
        try b.write(["d": .directory(["x.key": .file("edited")])])
        let failure = await refusal { try await b.save("saved", at: "d/x.key") }
        #expect(failure?.code == .usage && b.text("d/x.key") == "edited")
        #expect(try await published(after: known).isEmpty)
    }

    @Test(arguments: [nil, 0 as UInt64?])
    func `a save that loses its slot to the commit with the rule is not sent`(
        _ version: UInt64?
    ) async throws {
        let (a, b) = try await world.pair(["f": .file("1")])
        let rival = RivalRemote(remote: world.remote)
        var racing = b
        racing.options.connect = { _ in rival }
        rival.beforePublishing {
            try a.write([".filesinkiignore": .file("*.key\n")])
            try await a.sync()
        }
        let failure = await refusal {
            try await racing.save("here", at: "new.key", ifVersion: version)
        }
        #expect(failure?.code == .usage)
        #expect(try await published(after: 1) == [".filesinkiignore"])
        #expect(b.text("new.key") == (version == nil ? "here" : nil))
    }

    @Test func `rules that an earlier command has learned of hold, too`() async throws {
        let (a, b) = try await world.pair(["f": .file("1"), "d": .directory(["g": .file("2")])])
        // A command that has nothing to do with the folder learns of its rules.
        try a.write(["d": .directory([".filesinkiignore": .file("*.key\n")])])
        try await a.sync()
        try await b.save("2", at: "f")
        #expect(b.text("d/.filesinkiignore") == nil)
        let known = try await world.commits().count
        let failure = await refusal { try await b.save("here", at: "d/new.key") }
        #expect(failure?.code == .usage)
        #expect(b.text("d/.filesinkiignore") == "*.key\n")
        #expect(try await published(after: known).isEmpty)
    }
}
