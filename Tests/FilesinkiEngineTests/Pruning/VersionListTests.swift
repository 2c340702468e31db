import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import Testing

@testable import FilesinkiEngine

/// Which versions a log has, and which of them prunes and repairs have taken away.
@Suite struct VersionListTests {
    private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

    private func id(_ text: String) -> ContentID { ContentHasher.hash(Array(text.utf8)) }

    private func history(_ commits: Commit...) -> VersionHistory {
        var history = VersionHistory()
        for commit in commits { history.add(commit) }
        return history
    }

    private func prune(_ kept: KeptVersions, lost: [String] = []) -> Pruning {
        Pruning(retired: [], kept: kept, lost: lost.map(id))
    }

    private func contents(_ history: VersionHistory) -> [String] {
        let texts = ["1", "22", "333", "a", "b"]
        return texts.filter { history.keptContents[id($0)] != nil }
    }

    /// f is 1, 22, 333 by the commits 1, 2 and 4; g is a, and is deleted by 3.
    private func log(_ more: Commit...) -> VersionHistory {
        var history = history(
            Commit(1, [Change("f", "1"), Change("g", "a")]), Commit(2, [Change("f", "22")]),
            Commit(3, [Change("g", nil)]), Commit(4, [Change("f", "333")]))
        for commit in more { history.add(commit) }
        return history
    }

    @Test func `each change of a file is a version, a deletion is none`() {
        let history = log()
        #expect(history.paths.map(\.description) == ["f", "g"])
        #expect(history.keptCount == 4 && history.droppedCount == 0)
        #expect(history.keptBytes == 7)
        #expect(contents(history) == ["1", "22", "333", "a"])
        #expect(history.keptContents[id("22")]?.path == path("f"))
        #expect(history.keptContents[id("22")]?.size == 2)
    }

    @Test(
        "a version is dropped if no kept tree has it, and it is not among the last ones",
        arguments: [
            // kept trees, versions of each path, what stays
            ([], 0, ["333"]), ([4...4], 0, ["333"]), ([1...1], 0, ["1", "333", "a"]),
            ([2...2], 0, ["22", "333", "a"]), ([3...3], 0, ["22", "333"]),
            ([2...3], 0, ["22", "333", "a"]), ([], 1, ["333", "a"]), ([], 2, ["22", "333", "a"]),
            ([], 3, ["1", "22", "333", "a"]), ([1...4], 0, ["1", "22", "333", "a"]),
        ] as [([ClosedRange<UInt64>], Int, [String])])
    func dropped(_ trees: [ClosedRange<UInt64>], _ versions: Int, _ stays: [String]) {
        let kept = KeptVersions(trees: trees, versions: versions)
        var history = log()
        history.drop(beyond: kept, before: 5)
        #expect(contents(history) == stays)
        #expect(history.keptCount == stays.count && history.droppedCount == 4 - stays.count)
        let bytes = stays.joined().utf8.count
        #expect(history.keptBytes == Int64(bytes))
        // A commit says the same.
        #expect(contents(log(Commit(5, pruning: prune(kept)))) == stays)
        // A second time drops nothing more.
        history.drop(beyond: kept, before: 5)
        #expect(history.droppedCount == 4 - stays.count)
    }

    @Test(
        "only what was replaced before the commit is dropped",
        arguments: [
            (2, ["1", "22", "333", "a"]), (3, ["22", "333", "a"]), (4, ["22", "333"]), (5, ["333"]),
        ]
            as [(UInt64, [String])])
    func before(_ sequence: UInt64, _ stays: [String]) {
        var history = log()
        history.drop(beyond: KeptVersions(), before: sequence)
        #expect(contents(history) == stays)
    }

    @Test func `the last versions are counted up to the prune, not to the end of the log`() {
        let history = history(
            Commit(1, [Change("f", "1")]), Commit(2, [Change("f", "22")]),
            Commit(3, pruning: prune(KeptVersions(versions: 1))), Commit(4, [Change("f", "333")]))
        #expect(contents(history) == ["22", "333"])
        #expect(history.dropped(of: path("f")).map(\.first) == [1])
        #expect(history.dropped(of: path("g")).isEmpty)
    }

    @Test func `what gave way in a conflict is a version until the path is changed again`() {
        let history = history(
            Commit(1, [Change("f", "1")], superseded: [Change("f", "a")]),
            Commit(2, [Change("g", "b")], superseded: [Change("f", nil)]),
            Commit(3, pruning: prune(KeptVersions())))
        #expect(contents(history) == ["1", "a", "b"])
        let later = self.history(
            Commit(1, [Change("f", "1")], superseded: [Change("f", "a")]),
            Commit(2, [Change("f", "22")]), Commit(3, pruning: prune(KeptVersions())))
        #expect(contents(later) == ["22"])
        #expect(later.dropped(of: path("f")).map(\.content) == [id("1"), id("a")])
    }

    @Test func `a content that another version has is needed, although one was dropped`() {
        let history = history(
            Commit(1, [Change("f", "1"), Change("g", "1")]), Commit(2, [Change("f", "22")]),
            Commit(3, pruning: prune(KeptVersions())))
        #expect(contents(history) == ["1", "22"])
        #expect(history.keptContents[id("1")]?.path == path("g"))
    }

    @Test func `of one path only its versions are added`() {
        var history = VersionHistory()
        for commit in [
            Commit(
                1, [Change("f", "1"), Change("g", "a")],
                superseded: [Change("g", "b"), Change("f", "22")])
        ] { history.add(commit, of: path("f")) }
        #expect(history.paths == [path("f")])
        #expect(contents(history) == ["1", "22"])
    }

    @Test func `what a repair has given up is lost until it is stored again`() {
        var history = log(
            Commit(5, pruning: prune(KeptVersions(trees: [1...4]), lost: ["22", "a"])))
        #expect(history.lost == [id("22"), id("a")])
        #expect(contents(history) == ["1", "333"])
        #expect(history.keptCount == 4)
        #expect(history.lost(of: path("f")).map(\.first) == [2])
        #expect(history.lost(of: path("none")).isEmpty)
        history.add(Commit(6, [Change("h", "22")]))
        #expect(history.lost == [id("a")])
        #expect(contents(history) == ["1", "22", "333"])
        #expect(history.keptContents[id("22")]?.path == path("h"))
    }

    @Test func `the versions with some contents are named, with the one that is current`() {
        let history = log(Commit(5, [Change("f", "333", mode: 0o600), Change("e", "a")]))
        var tree: [RelativePath: RemoteChange] = [:]
        tree[path("f")] = RemoteChange(VersionedEntry(.made("333", mode: 0o600), version: 5))
        tree[path("e")] = RemoteChange(VersionedEntry(.made("a"), version: 5))
        tree[path("g")] = RemoteChange(VersionedEntry(.tombstone, version: 3))
        let found = history.versions(with: [id("333"), id("a")], in: tree)
        #expect(found.map(\.path.description) == ["e", "f", "f", "g"])
        #expect(found.map(\.version) == [5, 4, 5, 1])
        #expect(found.map(\.isCurrent) == [true, false, true, false])
        #expect(history.versions(with: [], in: tree).isEmpty)
        var pruned = history
        pruned.drop(beyond: KeptVersions(), before: 6)
        #expect(pruned.versions(with: [id("333"), id("a")], in: tree).map(\.version) == [5, 5])
    }
}

/// Which packs a prune takes out of use, and in which steps.
@Suite struct PackChoiceTests {
    private static let mebibyte: Int64 = 1 << 20

    private func share(
        _ number: Int, size: Int64 = 4 * mebibyte, first: Int = 1, used: Int64? = nil,
        blocks: Int64? = nil, zstd: Int64 = 0
    ) -> PackShare {
        let id =
            withUnsafeBytes(of: number.bigEndian) { Array($0) } + [UInt8](repeating: 0, count: 8)
        var share = PackShare(pack: PackReference(id: id, size: size, indexHash: .none))
        share.first = first
        share.needed = first
        share.usedBytes = used ?? size
        share.blockBytes = blocks ?? size
        share.zstdBytes = zstd
        return share
    }

    private func numbers(_ shares: [PackShare]) -> [Int] {
        shares.map { $0.pack.id.prefix(8).reduce(0) { $0 << 8 | Int($1) } }
    }

    @Test(
        "a pack of which more than a quarter is unused goes",
        arguments: [
            (100, 100, false), (75, 100, false), (74, 100, true), (0, 100, true),
            // Headers and the index do not count.
            (10, 35, false), (10, 36, true),
        ] as [(Int64, Int64, Bool)])
    func unused(_ used: Int64, _ blocks: Int64, _ goes: Bool) {
        let size = 100 * Self.mebibyte
        let one = share(
            1, size: size, used: used * Self.mebibyte, blocks: blocks * Self.mebibyte)
        #expect(numbers(PackShare.candidates(of: [one])) == (goes ? [1] : []))
        #expect(one.unusedBytes == (100 - used) * Self.mebibyte)
        #expect(share(1, size: 5, used: 9).unusedBytes == 0)
    }

    @Test func `packs that nothing needs go first, then those that are copied`() {
        let shares = [
            share(1), share(2, used: 0), share(3, first: 0), share(4, used: 1),
            share(5, first: 0, used: 0),
        ]
        #expect(numbers(PackShare.candidates(of: shares)) == [3, 5, 2, 4])
    }

    @Test(
        "small packs are joined once there are 32 of them",
        arguments: [(31, 0), (32, 32), (33, 33)])
    func small(_ count: Int, _ joined: Int) {
        let small = (0..<count).map { share($0, size: Self.mebibyte - 1) }
        let others = [share(100, size: Self.mebibyte), share(101)]
        #expect(PackShare.candidates(of: others + small).count == joined)
    }

    @Test(
        "only a pack with enough of zstd may be compressed better",
        arguments: [(1, 26, true), (1, 25, false), (0, 100, false), (1, 0, false)]
            as [(Int, Int64, Bool)])
    func recompressed(_ first: Int, _ zstd: Int64, _ may: Bool) {
        #expect(share(1, size: 100, first: first, zstd: zstd).mayRecompress == may)
    }

    @Test func `a plan counts what it takes out of use`() {
        var plan = PrunePlan(KeptVersions())
        let shares = [share(1), share(2, first: 0, used: 0), share(3, used: Self.mebibyte)]
        plan.measure(shares)
        #expect(plan.report.packs == 3)
        #expect(plan.report.bytes == 12 * Self.mebibyte)
        #expect(plan.report.removedPacks == 2 && plan.report.rewrittenPacks == 1)
        #expect(plan.report.freedBytes == 7 * Self.mebibyte)
        #expect(numbers(plan.staying(of: shares)) == [1])
        plan.addRecompression([share(1, zstd: Self.mebibyte)], saving: 0.25)
        #expect(plan.report.removedPacks == 3 && plan.report.rewrittenPacks == 2)
        #expect(plan.report.recompressedPacks == 1)
        #expect(plan.report.freedBytes == 7 * Self.mebibyte + Self.mebibyte / 4)
        #expect(plan.staying(of: shares).isEmpty)
    }

    @Test func `a step has so many packs, so many bytes, and one kind of work`() {
        var plan = PrunePlan(KeptVersions())
        plan.measure((1...6).map { share($0, used: Self.mebibyte) })
        plan.addRecompression([share(7), share(8)], saving: 0)
        // 1 MiB of each is copied: the step ends when it has reached the bytes.
        #expect(plan.nextStep(bytes: 2 * Self.mebibyte, packs: 9).map(numbers) == [1, 2])
        #expect(plan.nextStep(bytes: 2 * Self.mebibyte + 1, packs: 9).map(numbers) == [3, 4, 5])
        #expect(plan.nextStep(bytes: 99 * Self.mebibyte, packs: 9).map(numbers) == [6])
        let last = plan.nextStep(bytes: 99 * Self.mebibyte, packs: 1)
        #expect(last.map(numbers) == [7] && last?.first?.isRecompressed == true)
        #expect(plan.nextStep(bytes: 1, packs: 9).map(numbers) == [8])
        #expect(plan.nextStep(bytes: 1, packs: 9) == nil)
    }

    @Test func `what was done takes the place of what was planned, and nothing else does`() {
        var planned = PruneReport()
        (planned.packs, planned.removedPacks, planned.keptVersions) = (9, 5, 4)
        var done = PruneReport()
        (done.packs, done.removedPacks, done.rewrittenPacks, done.recompressedPacks) = (1, 2, 3, 1)
        (done.freedBytes, done.failures) = (7, [Failure(.corrupt, "x", remedy: "")])
        planned.replacePlanned(by: done)
        #expect(planned.packs == 9 && planned.keptVersions == 4)
        #expect(planned.removedPacks == 2 && planned.rewrittenPacks == 3)
        #expect(planned.recompressedPacks == 1 && planned.freedBytes == 7)
        #expect(planned.failures.count == 1)
    }
}
