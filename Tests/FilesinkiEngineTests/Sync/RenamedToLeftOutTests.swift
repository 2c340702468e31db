import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

@Suite("What was renamed to a name that is not synced")
struct RenamedToLeftOutTests {
    /// What one replica writes. The other one, which receives it, renames: a file that was written in the moment of a scan is not
    /// known by its inode.
    private let tree: TreeFixture = [
        ".filesinkiignore": .file("*.bak\n"), "f": .file("f"),
        "d": .directory(["x": .file("x")]),
    ]

    @Test(
        "one that a rule ignores is deleted elsewhere, with a word",
        arguments: [
            ("f", "f.bak", "*.bak\n"), ("d", "d.bak", "*.bak\n"), ("d", "d.bak", "*.bak/\n"),
        ])
    func ignored(_ old: String, _ new: String, _ rule: String) async throws {
        let world = try World()
        var tree = self.tree
        tree[".filesinkiignore"] = .file(rule)
        let (b, a) = try await world.pair(tree)
        a.rename(old, new)
        let report = try await a.sync()
        #expect(
            report.notices.map(\.failure.description) == [
                "\(old): Deleted for the other devices: it is \(new) now, which a rule ignores. To bring it back there, run "
                    + "filesinki undelete \(old)."
            ])
        try await b.sync()
        #expect(try !b.names.contains(old))
        #expect(try await a.sync().notices.isEmpty)
    }

    @Test(
        "one that the run leaves out waits for a run that does not",
        arguments: [("f", "f.tmp"), ("d", "d.tmp")])
    func excluded(_ old: String, _ new: String) async throws {
        let world = try World()
        let (b, a) = try await world.pair(tree)
        a.rename(old, new)
        let patterns = try RunPatterns(excluded: ["*.tmp"], included: [])
        let report = try await a.sync { $0.patterns = patterns }
        #expect(report.publishedCommits == 0)
        #expect(
            report.notices.map(\.failure.description) == [
                "\(old): Not sent as deleted: it is \(new) now, which this run leaves out. A sync without the pattern sends "
                    + "the rename."
            ])
        try await b.sync()
        #expect(try b.names.contains(old))
        #expect(
            try await a.sync().steps.contains { $0.movedFrom?.description.hasPrefix(old) == true })
        try await b.sync()
        #expect(try b.names.contains(new) && !b.names.contains(old))
    }

    @Test("a new file that a rule ignores is no renamed one")
    func other() async throws {
        let world = try World()
        let (b, a) = try await world.pair(tree)
        a.remove("f")
        try a.write(["f.bak": .file("another")])
        #expect(try await a.sync().notices.isEmpty)
        try await b.sync()
        #expect(try !b.names.contains("f"))
    }

    @Test("a file that was written in the moment of the scan is known by its content")
    func unstamped() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["f": .file("f")])
        try await a.sync()
        // As such a scan leaves it.
        let path = try RelativePath("f")
        try await a.with { replica in
            try await replica.perform(SyncEngine.self) { engine in
                var row = try #require(try engine.manifest.base(path))
                row.stamp = nil
                try engine.manifest.write { [row] in try $0.putBase(row) }
            }
        }
        a.rename("f", "f.tmp")
        try a.write(["g.tmp": .file("g")])
        let patterns = try RunPatterns(excluded: ["*.tmp"], included: [])
        let report = try await a.sync { $0.patterns = patterns }
        #expect(report.publishedCommits == 0)
        #expect(
            report.notices.first?.failure.description.contains("it is f.tmp now") == true,
            "\(report.notices)")
    }
}
