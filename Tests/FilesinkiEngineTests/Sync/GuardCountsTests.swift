import FilesinkiModel
import FilesinkiReconcile
import Testing

@testable import FilesinkiEngine

private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

/// A deletion, here or there, of what the base has since a commit.
private func deletion(_ name: String, here: Bool = false, since version: UInt64 = 1) -> Step {
    Step(
        path: path(name), base: VersionedEntry(.made("x"), version: version),
        ours: here ? .made("x") : nil,
        theirs: VersionedEntry(here ? .tombstone : .made("x"), version: version),
        action: here ? .take(.tombstone) : .publish(.tombstone), reason: .deleted)
}

/// What guards count over the rounds of a run.
@Suite struct GuardCountsTests {
    @Test func `rounds add up`() {
        var counts = GuardCounts()
        counts.add([deletion("a"), deletion("b", here: true)])
        counts.add([deletion("c"), deletion("d")])
        #expect(counts.done.deletedTheirs == 3 && counts.done.deletedOurs == 1)
        // Missing here is what the root has not and the base has.
        #expect(counts.missingOurs == 3)
        var new = deletion("n")
        new.base = nil
        counts.add([new])
        #expect(counts.missingOurs == 3)
    }

    @Test func `what a user approved does not count, in whatever round it is done`() {
        var counts = GuardCounts()
        let approved = [deletion("a"), deletion("b")]
        #expect(counts.unapproved(Plan(approved)).counts.deletedTheirs == 2)
        counts.approve(Plan(approved))
        #expect(counts.unapproved(Plan(approved + [deletion("c")])).counts.deletedTheirs == 1)
        counts.add([deletion("a"), deletion("c")])
        #expect(counts.done.deletedTheirs == 1)
        // Another action at the same path was not approved.
        #expect(counts.unapproved(Plan([deletion("a", here: true)])).counts.deletedOurs == 1)
    }
}

/// What unattended runs have deleted of late.
@Suite struct RecentDeletionsTests {
    private func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds, nanoseconds: 0) }

    private func recent(_ items: [(seconds: Int64, sequence: UInt64, ours: Int, theirs: Int)])
        -> RecentDeletions
    {
        let lines = items.map {
            "\($0.seconds * 1_000_000_000) \($0.sequence) \($0.ours) \($0.theirs)\n"
        }
        return RecentDeletions(Array(lines.joined().utf8))
    }

    @Test func `the text makes the round trip, without malformed lines`() {
        let found = recent([(5, 2, 1, 0), (6, 3, 0, 4)])
        #expect(found.items.count == 2)
        #expect(RecentDeletions(found.bytes) == found)
        let damaged =
            found.bytes + Array("1 2 3\nx 1 1 1\n1 -1 1 1\n1 1 -1 1\n1 1 1 -1\n1 1 1 1 1\n".utf8)
        #expect(RecentDeletions(damaged) == found)
        #expect(RecentDeletions([]).items.isEmpty)
        #expect(found.counts.deletedOurs == 1 && found.counts.deletedTheirs == 4)
    }

    @Test(
        "what is older than ten minutes is forgotten, what seems to come is not",
        arguments: [
            (0, 2), (600, 2), (601, 1), (602, 1), (1000, 1), (-5000, 2), (1600, 1), (1601, 0),
        ]
            as [(Int64, Int)])
    func window(_ now: Int64, _ left: Int) {
        var found = recent([(0, 1, 1, 1), (1000, 2, 1, 1)])
        found.drop(before: time(now))
        #expect(found.items.count == left)
    }

    @Test func `a run is one item, whatever the number of its rounds`() {
        var found = RecentDeletions()
        found.add([deletion("a")], began: time(5), at: 3)
        found.add([deletion("b"), deletion("c", here: true)], began: time(5), at: 4)
        #expect(found.items == recent([(5, 3, 1, 2)]).items)
        found.add([deletion("d")], began: time(6), at: 4)
        #expect(found.items.count == 2)
        found.add([], began: time(7), at: 4)
        #expect(found.items.count == 2)
    }

    @Test func `a path that is younger than the window does not count`() {
        var found = RecentDeletions()
        found.add([deletion("old", since: 3), deletion("new", since: 4)], began: time(5), at: 3)
        #expect(found.items == recent([(5, 3, 0, 1)]).items)
        // The window begins with its first item.
        found.add([deletion("new", since: 4)], began: time(6), at: 9)
        #expect(found.items.count == 1)
        found.add([deletion("known", since: 3)], began: time(6), at: 9)
        #expect(found.items.count == 2)
        var unknown = deletion("x")
        unknown.base = nil
        found.add([unknown], began: time(7), at: 9)
        #expect(found.items.count == 2)
    }

    @Test func `what stopped a run stays until a user approves`() {
        var found = recent([(0, 1, 1, 0), (5, 2, 0, 1)])
        found.hold(at: time(700))
        found.drop(before: time(1300))
        #expect(found.items.map(\.time) == [time(700), time(700)])
        #expect(found.counts.deletedOurs == 1 && found.counts.deletedTheirs == 1)
        found.drop(before: time(1301))
        #expect(found.items.isEmpty)
    }
}

/// What the report of a command has of its runs.
@Suite struct SyncReportSumTests {
    private func problem(_ name: String, _ message: String = "x") -> Problem {
        Problem(path(name), Failure(.io, path: name, message, remedy: ""))
    }

    private func report(_ name: String) -> SyncReport {
        var report = SyncReport()
        report.steps = [deletion(name)]
        report.problems = [problem(name)]
        report.notices = [problem(name)]
        report.copies = [path("\(name) (conflict a 01234567)")]
        (report.publishedCommits, report.sentBytes, report.receivedBytes) = (1, 20, 300)
        report.sequence = 4
        return report
    }

    private func names(_ problems: [Problem]) -> [String] { problems.map(\.path.description) }

    @Test func `an earlier run comes first, and is said once`() {
        var sum = report("b")
        sum.add(earlier: report("a"))
        #expect(sum.steps.map(\.path.description) == ["a", "b"])
        #expect(names(sum.problems) == ["a", "b"] && names(sum.notices) == ["a", "b"])
        #expect(sum.copies.count == 2)
        #expect(sum.publishedCommits == 2 && sum.sentBytes == 40 && sum.receivedBytes == 600)
        sum.add(earlier: report("a"))
        #expect(names(sum.problems) == ["a", "b"])
        #expect(sum.copies.count == 2)
        // Another failure of the same path is another one.
        var other = SyncReport()
        other.problems = [problem("a", "y")]
        sum.add(earlier: other)
        #expect(names(sum.problems) == ["a", "a", "b"])
    }

    @Test func `of what was done nothing that failed is added`() {
        var sum = report("b")
        sum.add(done: report("a"))
        #expect(names(sum.problems) == ["b"] && names(sum.notices) == ["b"])
        #expect(sum.steps.count == 2 && sum.copies.map(\.description).first?.hasPrefix("a") == true)
    }

    @Test func `a batch comes behind, with its notices`() {
        var sum = report("a")
        var batch = report("b")
        batch.sequence = 9
        sum.add(batch: batch)
        #expect(sum.steps.map(\.path.description) == ["a", "b"])
        #expect(names(sum.problems) == ["a"] && names(sum.notices) == ["a", "b"])
        #expect(sum.copies.count == 2 && sum.sequence == 9 && sum.sentBytes == 40)
        batch.sequence = 3
        sum.add(batch: batch)
        #expect(sum.sequence == 9)
    }

    @Test func `a path that cannot be used is said once in a run`() {
        var sum = report("a")
        sum.addRefused([problem("a", "refused"), problem("c")])
        #expect(names(sum.problems) == ["a", "c"])
        sum.addRefused([problem("c")])
        #expect(sum.problems.count == 2)
    }

    @Test func `conflicts are those that are open and those that were copied`() {
        var sum = SyncReport()
        sum.conflicts = [path("o"), path("c")]
        sum.copies = [
            path("c (conflict a 01234567)"), path("d/e (conflict a 01234567).txt"), path("odd"),
        ]
        #expect(sum.conflicted.map(\.description).sorted() == ["c", "d/e.txt", "o"])
    }

    @Test(
        "a run is quiet that changes nothing on either side",
        arguments: [
            (Action.agree, true), (.skip, true), (.leave, false), (.take(.tombstone), false),
            (.publish(.tombstone), false),
        ])
    func quiet(_ action: Action, _ isQuiet: Bool) {
        var sum = SyncReport()
        #expect(sum.isQuiet && !sum.hasActed)
        sum.steps = [
            Step(path: path("p"), action: .agree, reason: .equal),
            Step(path: path("q"), action: action, reason: .edit),
        ]
        #expect(sum.isQuiet == isQuiet)
        #expect(sum.hasActed == !isQuiet)
        sum.publishedCommits = 1
        #expect(sum.hasActed)
        sum.isDryRun = true
        #expect(!sum.hasActed)
        sum.steps = []
        sum.givenSteps = 1
        #expect(!sum.isQuiet)
    }
}
