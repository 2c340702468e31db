import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiItems

/// What becomes of an item on this device when another device's arrives.
@Suite("Applying items")
struct ApplyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// What is here since the last exchange; the former text for no change.
        var ours: String?
        var theirs: String?
        /// What is here afterwards.
        var left: String?
        /// The text that is in the history then, and why it gave way.
        var loser: [String] = []
        var isRefused = false
        /// Whether the item then waits to be published.
        var isSent = false

        var testDescription: String { "\(ours ?? "-") beside \(theirs ?? "-")" }
    }

    private static let rows = [
        Row(ours: "mine", theirs: "yours", left: "yours", loser: ["mine", "theirs"]),
        Row(ours: "mine", theirs: "ours", left: "mine", isSent: true),
        Row(ours: "mine", theirs: "both:sum", left: "sum", isSent: true),
        Row(ours: "mine", theirs: "lose:sum", left: "sum", loser: ["mine", "why"], isSent: true),
        Row(
            ours: "mine", theirs: "refuse", left: "refuse", loser: ["mine", "no"], isRefused: true),
        Row(ours: "mine", theirs: nil, left: nil, loser: ["mine", "theirs"]),
        // What is no edit of this device, or has no content, has nothing to be kept.
        Row(ours: "base", theirs: "yours", left: "yours"),
        Row(ours: "base", theirs: "refuse", left: "refuse", isRefused: true),
        Row(ours: "base", theirs: "lose:sum", left: "sum", isSent: true),
        Row(ours: nil, theirs: "yours", left: "yours"),
        Row(ours: nil, theirs: "ours", left: nil, isSent: true),
        Row(ours: nil, theirs: nil, left: nil),
        // What both have is no loss.
        Row(ours: "yours", theirs: "yours", left: "yours"),
        Row(ours: "sum", theirs: "lose:sum", left: "sum", isSent: true),
    ]

    @Test("a merge says which text stays, and what is kept of the other", arguments: rows)
    func outcomes(_ row: Row) async throws {
        let board = try await PinBoard()
        let (a, b) = (try board.device("a"), try board.device("b"))
        try await a.set("k", "base")
        try await a.sync()
        try await b.sync()
        try await a.set("k", row.theirs)
        try await a.sync()
        if row.ours != "base" { try await b.set("k", row.ours) }
        let report = try await b.sync()
        #expect(try await b.text("k") == row.left)
        #expect(report.losers.flatMap { [$0.held.text ?? "", $0.reason] } == row.loser)
        #expect(report.refused == (row.isRefused ? [try ItemKey("k")] : []))
        #expect(report.published == (row.isSent ? [try ItemKey("k")] : []))
        // A change of this device that stays is none to report.
        #expect(report.changed == (row.left == row.ours ? [] : [try ItemKey("k")]))
        #expect(
            try await b.zone.losers(try ItemKey("k")).map(\.reason) == Array(row.loser.suffix(1)))
        #expect(try await b.zone.pendingKeys().isEmpty)
        try await a.sync()
        #expect(try await a.text("k") == row.left)
    }

    @Test func `a merge is told whether the item is an edit, and whether the log has its base`()
        async throws
    {
        let board = try await PinBoard()
        let (a, b) = (try board.device("a"), try board.device("b"))
        for key in ["edited", "same"] { try await a.set(key, "base") }
        try await a.sync()
        try await b.sync()
        for key in ["edited", "same", "both", "new"] { try await a.set(key, "yours") }
        try await a.sync()
        for key in ["edited", "both"] { try await b.set(key, "mine") }
        let told = try await b.sync().problems.map { "\(printable($0.path)) \($0.message)" }
        #expect(
            Set(told) == [
                "edited pending known stored server", "same agreed known stored server",
                "both pending known new server", "new agreed known new server",
            ])
    }

    @Test(
        "at the first exchange an item of this device is unknown, and the user has said what stays",
        arguments: InitialPolicy.allCases)
    func first(_ policy: InitialPolicy) async throws {
        let board = try await PinBoard()
        let (a, b) = (try board.device("a"), try board.device("b"))
        for key in ["both", "other"] { try await a.set(key, "yours") }
        try await a.sync()
        try await b.set("both", "mine")
        let report = try await b.sync(policy)
        let told = report.problems.map { "\(printable($0.path)) \($0.message)" }
        #expect(
            Set(told) == [
                "both pending unknown new \(policy.rawValue)",
                "other agreed known new \(policy.rawValue)",
            ])
        #expect(report.reason == .initial)
        // Whatever the merge says: what was here before gave way at the first exchange.
        #expect(report.losers.map(\.reason) == ["initial"])
        #expect(report.losers.map(\.version) == [0])
    }

    @Test func `the clock follows what was fetched, and is kept`() async throws {
        let board = try await PinBoard()
        let (a, b) = (try board.device("a"), try board.device("b"))
        try await b.sync()
        try await a.set("k", "yours")
        let set = board.clock.now.nanoseconds
        try await a.sync()
        try await b.sync()
        #expect(try await b.zone.number("clock") == set)
    }

    @Test func `who has seen a commit once merges it no more`() async throws {
        let board = try await PinBoard()
        let (a, b) = (try board.device("a"), try board.device("b"))
        try await a.set("k", "plain")
        try await a.sync()
        #expect(try await b.sync().problems.count == 1)
        let again = try await b.sync()
        #expect(again.problems.isEmpty && again.changed.isEmpty && again.published.isEmpty)
        #expect(again.sequence == 1)
        // Its own commits are not merged either.
        try await a.set("k", "more")
        let own = try await a.sync()
        #expect(own.problems.isEmpty && own.sequence == 2)
        #expect(try await a.sync().problems.isEmpty)
    }

    @Test func `a copy of the file has a name of its own, wherever the file is`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        try #require(mkdirs(folder.path("it's")))
        let board = try await PinBoard()
        var place = (try board.device("a")).zone.place
        place.state = folder.path("it's")
        let zone = try ItemZone.open(place)
        let path = try await zone.archive()
        #expect(path.hasPrefix(folder.path("it's/pins/default.archive-1700000000-")))
        #expect(path.hasSuffix(".sqlite"))
        #expect(try ItemDatabase<PinKind>(reading: path)?.generation() == 1)
        #expect(try await zone.archive() != path)
        #expect(try LocalZones<PinKind>.names(state: place.state) == ["default"])
    }

    private func mkdirs(_ path: String) -> Bool { (try? TreeFixture().write(to: path)) != nil }
}
