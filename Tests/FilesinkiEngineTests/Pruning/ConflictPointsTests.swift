import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Which trees open conflicts keep. In the table `f` is changed by the commits 1 and 2, and `g` by 2.
@Suite("The trees that open conflicts keep")
struct ConflictPointsTests {
    private static let copy = "f (conflict b 0123abcd)"

    /// A commit that makes a conflict copy.
    private static func found(
        _ sequence: UInt64, _ copy: String = copy, naming named: [UInt64]
    ) -> Commit {
        var commit = Commit(sequence, [Change(copy, "b", reason: "conflict-copy")])
        commit.basedOnTokens = named
        return commit
    }

    private static let start = [
        Commit(1, [Change("f", "1")]), Commit(2, [Change("f", "22"), Change("g", "x")]),
    ]

    private static func kept(_ commits: [Commit]) -> [ClosedRange<UInt64>] {
        var (points, history) = (ConflictPoints(), VersionHistory())
        var view = RemoteView(token: ChangeToken(sequence: 0, hash: .none))
        for commit in commits {
            points.add(commit)
            history.add(commit)
            view.fold(commit)
        }
        return points.ranges(in: view.changes, history)
    }

    @Test(
        "the base is kept while the copy is beside its file, under each name that the file had",
        arguments: [
            ("open", [found(3, naming: [1])], [1...1]),
            ("more edits", [found(3, naming: [1]), Commit(4, [Change("f", "333")])], [1...1]),
            ("no base is named", [found(3, naming: [])], []),
            ("of another conflict of the commit", [found(3, naming: [1, 2])], [1...1, 2...2]),
            (
                "what is no version of it",
                [Commit(3, [Change("g", "y")]), found(4, naming: [1, 3])], [1...1]
            ),
            ("not before the commit", [found(3, naming: [0, 3, .max])], []),
            ("resolved", [found(3, naming: [1]), Commit(4, [Change(copy, nil)])], []),
            ("nothing in place", [found(3, naming: [1]), Commit(4, [Change("f", nil)])], []),
            (
                "a folder in place",
                [
                    found(3, naming: [1]),
                    Commit(4, [Change("f", nil), Change("f/in", "4")]),
                ], []
            ),
            (
                "a name of its own",
                [
                    found(3, naming: [1]),
                    Commit(4, [Change("mine", "b", movedFrom: copy), Change(copy, nil)]),
                ], []
            ),
            (
                "opened again by one that knows no base",
                [
                    found(3, naming: [1]), Commit(4, [Change(copy, nil)]),
                    found(5, naming: []),
                ], [1...1]
            ),
            ("edited", [found(3, naming: [1]), Commit(4, [Change(copy, "bb")])], [1...1]),
            (
                "renamed before",
                [
                    Commit(3, [Change("h", "22", movedFrom: "f"), Change("f", nil)]),
                    found(4, "h (conflict b 0123abcd)", naming: [1]),
                ], [1...1]
            ),
            (
                "another file had the name",
                [
                    Commit(3, [Change("g", "22", movedFrom: "f"), Change("f", nil)]),
                    found(4, "g (conflict b 0123abcd)", naming: [1, 2]),
                ], [1...1, 2...2]
            ),
            (
                "renamed with its folder since",
                [
                    found(3, naming: [1]),
                    Commit(
                        4,
                        [
                            Change("d/f", "22", movedFrom: "f"), Change("f", nil),
                            Change("d/" + copy, "b", movedFrom: copy), Change(copy, nil),
                        ]),
                ], [1...1]
            ),
            (
                "pruned before",
                [
                    Commit(3, pruning: Pruning(retired: [], kept: KeptVersions())),
                    found(4, naming: [1]),
                ], []
            ),
        ].map(Row.init))
    fileprivate func kept(_ row: Row) {
        #expect(Self.kept(Self.start + row.commits) == row.kept, "\(row.name)")
    }

    @Test("more trees than a commit should list are one range", arguments: [0, 1])
    func many(_ more: UInt64) {
        let last = UInt64(ConflictPoints.limit) + more
        let commits = [
            Commit(last + 1, [Change("f", "1", movedFrom: "e")]),
            Self.found(last + 2, naming: Array(1...last)),
        ]
        #expect(Self.kept(commits).count == (more == 0 ? ConflictPoints.limit : 1))
        #expect(Self.kept(commits).first?.lowerBound == 1)
        #expect(Self.kept(commits).last?.upperBound == last)
    }

    @Test("what an open conflict alone keeps is counted by itself")
    func counted() {
        var history = VersionHistory()
        for commit in Self.start + [Commit(3, [Change("f", "333")])] { history.add(commit) }
        let reasons = history.reasons(
            KeptVersions(trees: [2...2]), [], KeptVersions(trees: [1...2]))
        #expect(reasons.current == 2 && reasons.byRules == 1)
        #expect(reasons.byConflicts == 1 && reasons.byDevices == 0)
        let none = history.reasons(KeptVersions(), [], KeptVersions())
        #expect(none.byConflicts == 0)
    }
}

/// A log, and the trees that its open conflict keeps.
private struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    let commits: [Commit]
    let kept: [ClosedRange<UInt64>]

    var testDescription: String { name }
}

/// What a prune does while a conflict is open.
@Suite("Pruning beside open conflicts")
struct OpenConflictPruneTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    /// `b` has edited the second of three versions, and no acknowledgement of it keeps that.
    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["k": .file("keep")])
        try await publishVersions(1...2)
        try await b.sync()
        try await publishVersions(3...3)
        try b.write(["f": large(9)])
        try await a.with { try await $0.forgetDevice("b") }
    }

    private func pruned() async throws -> [Bool] {
        let path = try RelativePath("f")
        return try await a.with { try await $0.history(of: path) }.map(\.isPruned)
    }

    @Test("the base of a conflict that is found while a prune is at work stays")
    func raced() async throws {
        let rival = RivalRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in rival }
        let b = b
        rival.beforePublishing { try await b.sync() }
        try await prune(machine)
        #expect(try await pruned() == [true, false, false])
        try await expectWhole()
    }

    @Test(
        "the base of a conflict that only the device that prunes knows stays until it is resolved",
        arguments: [ConflictRow.State.open, .resolved])
    func own(_ state: ConflictRow.State) async throws {
        let path = try RelativePath("f")
        let base = try await a.with { try await $0.history(of: path) }[1].change.entry
        let row = ConflictRow(
            path: path, base: base, ours: nil, theirs: nil, rule: "open",
            time: Timestamp(nanoseconds: 1), state: state)
        let manifest = try ManifestDatabase.open(
            at: a.at(".filesinki/manifest.sqlite"), create: false)
        try manifest.write { writer in _ = try writer.addConflict(row) }
        try await prune(a)
        #expect(try await pruned() == [true, state == .resolved, false])
    }

    @Test("where no conflict is found, it goes")
    func none() async throws {
        try await prune(a)
        #expect(try await pruned() == [true, true, false])
    }
}
