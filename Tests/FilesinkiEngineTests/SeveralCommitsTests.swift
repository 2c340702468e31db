import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Runs that publish more than one commit holds, with limits that are reached by little.
@Suite("Publishing several commits")
struct SeveralCommitsTests {
    let world: World
    let (a, b): (Machine, Machine)
    let rival: RivalRemote

    init() async throws {
        world = try World()
        var (a, b) = try await world.pair([:])
        let rival = RivalRemote(remote: world.remote)
        a.options.connect = { _ in rival }
        a.options.commitLimits = Self.limits
        b.options.commitLimits = Self.limits
        (self.a, self.b, self.rival) = (a, b, rival)
    }

    private static let limits = CommitLimits(rows: 4, pathBytes: 4_000, plainBytes: 20_000)

    private func tree(_ count: Int, _ text: String) -> TreeFixture {
        var tree = TreeFixture()
        for number in 0..<count {
            tree[TreeFixture.Name(Array("f\(100 + number)".utf8))] = .file("\(text) \(number)\n")
        }
        return tree
    }

    private func expectLimits(
        _ commits: [Commit], _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for commit in commits {
            #expect(commit.refused.isEmpty, sourceLocation: sourceLocation)
            #expect(commit.changes.count <= Self.limits.rows, sourceLocation: sourceLocation)
            #expect(commit.superseded.count <= Self.limits.rows, sourceLocation: sourceLocation)
            let paths = (commit.changes + commit.superseded).reduce(0) {
                $0 + $1.path.bytes.count + ($1.movedFrom?.bytes.count ?? 0)
            }
            #expect(paths <= Self.limits.pathBytes, sourceLocation: sourceLocation)
        }
    }

    /// Both edit every file; `a` publishes.
    private func quarrel(
        _ count: Int, base: String = "base", a first: String, b second: String
    ) async throws {
        try a.write(tree(count, base))
        try await a.sync()
        try await b.sync()
        try a.write(tree(count, first))
        try b.write(tree(count, second))
        try await a.sync()
    }

    @Test("E1.1 superseded contents are kept by as many commits as they need")
    func preserved() async throws {
        try await quarrel(10, a: "a's", b: "b's, longer")
        let before = try await world.commits().count
        let report = try await b.sync { $0.strategy = try? Strategy(parsing: "there") }
        let commits = try await world.commits().dropFirst(before)
        expectLimits(Array(commits))
        #expect(commits.map(\.superseded.count) == [4, 4, 2])
        #expect(report.publishedCommits == 3)
        try await world.converge()
        for change in commits.flatMap(\.superseded) {
            let shown = try await a.with { try await $0.shown(change.entry.content) }
            #expect(shown.hasPrefix("b's, longer"))
        }
    }

    @Test("E1.1 each merge names the commit that keeps its other side")
    func merged() async throws {
        let lines = "two\nthree\nfour\n"
        try await quarrel(
            10, base: "one\n\(lines)five", a: "ONE\n\(lines)five", b: "one\n\(lines)FIVE")
        let report = try await b.sync()
        #expect(report.steps.count { $0.reason == .merged("auto:text") } == 10)
        let commits = try await world.commits()
        expectLimits(commits)
        let merges = commits.flatMap(\.changes).filter { $0.reason == "auto:text" }
        #expect(merges.count == 10)
        for merge in merges {
            let kept = try #require(commits.first { $0.sequence == merge.mergedWith })
            #expect(kept.superseded.map(\.path).contains(merge.path))
        }
        #expect(Set(merges.map(\.mergedWith)).count == 3)
    }

    @Test("E1.1 a renamed folder with long paths is published, and read by others")
    func renamed() async throws {
        let name = TreeFixture.Name([UInt8](repeating: UInt8(ascii: "n"), count: 250))
        var deep = tree(9, "x")
        for _ in 0..<3 { deep = TreeFixture([name: .directory(deep)]) }
        try a.write(["old": .directory(deep)])
        try await a.sync()
        a.rename("old", "new")
        try await a.sync()
        expectLimits(try await world.commits())
        try await world.converge()
        #expect(try b.tree() == (try a.tree()))
        #expect(try b.names.contains("new"))
    }

    @Test("E1.2 commits are split by the bytes of symlink targets and contents")
    func targets() async throws {
        var links = TreeFixture()
        for number in 0..<9 {
            let target = String(repeating: "t", count: 3_000) + "\(number)"
            links[TreeFixture.Name(Array("l\(number)".utf8))] = .symlink(target)
        }
        try a.write(links)
        var a = a
        a.options.commitLimits.rows = 100
        let report = try await a.sync()
        #expect(report.publishedCommits == 2)
        for number in 0..<6 {
            let name = TreeFixture.Name(Array("c\(number)".utf8))
            let text = String(repeating: "\(number)", count: 8_000)
            try a.write(TreeFixture([name: .file(text)]))
        }
        #expect(try await a.sync().publishedCommits == 3)
        try await world.converge()
        #expect(try b.tree() == (try a.tree()))
    }

    @Test("E1.4 the rest after a lost race for a later commit is published by the same run")
    func lostSecond() async throws {
        try a.write(tree(10, "a's"))
        rival.beforePublishing(skipping: 1) { [b] in
            try b.write(["other": .file("b's")])
            try await b.sync()
        }
        let report = try await a.sync()
        #expect(report.publishedCommits == 3)
        #expect(
            report.steps.filter(\.action.writesTheirs).map(\.path.description).sorted()
                == (0..<10).map { "f\(100 + $0)" })
        #expect(report.problems.isEmpty && !report.isQueued)
        #expect(report.sequence == UInt64(try await world.commits().count))
        #expect(a.text("other") == "b's")
        #expect(try await a.with { try await $0.status() }.pending.isEmpty)
        try await b.sync()
        #expect(try b.tree() == (try a.tree()))
        expectLimits(try await world.commits())
    }

    @Test("E1.4 changes by others meanwhile at a remaining path are a conflict, not lost")
    func conflictInTheRest() async throws {
        try a.write(tree(10, "base"))
        try await a.sync()
        try await b.sync()
        try a.write(tree(10, "a's"))
        rival.beforePublishing(skipping: 1) { [b] in
            try b.write(["f109": .file("b's")])
            try await b.sync()
        }
        let report = try await a.sync { $0.strategy = try? Strategy(parsing: "keep-both") }
        #expect(report.copies.count == 1)
        try await world.converge()
        #expect(try b.names.count == 11)
        #expect(b.text("f109") == "b's")
        #expect(b.text("f100") == "a's 0\n")
    }

    @Test("E1.4 a race lost between two commits of superseded contents keeps all, each once")
    func lostWhilePreserving() async throws {
        try await quarrel(10, a: "a's", b: "b's, longer")
        var second = b
        second.options.connect = { [rival] _ in rival }
        rival.beforePublishing(skipping: 1) { [a] in
            try a.write(["other": .file("a's")])
            try await a.sync()
        }
        try await second.sync { $0.strategy = try? Strategy(parsing: "there") }
        let kept = try await world.commits().flatMap(\.superseded).map(\.path.description)
        #expect(kept.sorted() == (0..<10).map { "f\(100 + $0)" })
        #expect(b.text("other") == "a's")
        try await world.converge()
    }

    @Test("E1.4 a kill between two commits of a run loses nothing and makes no conflict")
    func killed() async throws {
        try a.write(tree(10, "a's"))
        let dying = DyingRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in dying }
        dying.willDie(afterPublishing: 2)
        await #expect(throws: Failure.self) { try await machine.sync() }
        try a.write(["f100": .file("edited")])
        #expect(try await a.sync().copies == [])
        try await world.converge()
        #expect(b.text("f100") == "edited" && b.text("f109") == "a's 9\n")
    }
}
