import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// Which points in time each rule keeps.
@Suite("Retention rules")
struct RetentionPolicyTests {
    private static let hour: Int64 = 3600
    private static let day: Int64 = 86_400

    /// The ranges of commits that are kept of a log whose commits have these times, in seconds.
    private func kept(
        _ seconds: [Int64], unchanged: Set<UInt64> = [], now: Int64 = .max / 2_000_000_000,
        points: [UInt64] = [],
        _ change: (inout RetentionPolicy) -> Void
    ) -> [ClosedRange<UInt64>] {
        var times = CommitTimes()
        for (index, time) in seconds.enumerated() {
            let sequence = UInt64(index) + 1
            times.add(
                sequence, Timestamp(seconds: time, nanoseconds: 0),
                changes: !unchanged.contains(sequence))
        }
        times.finish(now: Timestamp(seconds: now, nanoseconds: 0))
        var policy = RetentionPolicy()
        change(&policy)
        return policy.kept(times, points: points).trees
    }

    @Test("the last commits; the last one always")
    func last() {
        #expect(kept([1, 2, 3, 4]) { $0.last = 2 } == [3...4])
        #expect(kept([1, 2, 3, 4]) { $0.last = 9 } == [1...4])
        #expect(kept([1, 2, 3, 4]) { $0.versions = 1 } == [4...4])
        #expect(kept([]) { $0.last = 1 } == [])
        // Commits without changes, such as those of a prune, are no points of their own.
        #expect(kept([1, 2, 3, 4, 5], unchanged: [3, 5]) { $0.last = 2 } == [2...5])
        #expect(kept([1, 2], unchanged: [1, 2]) { $0.last = 2 } == [2...2])
    }

    @Test("what devices have seen is kept; later commits than the last do not exist")
    func points() {
        #expect(kept([1, 2, 3, 4, 5], points: [2, 0, 9, 4]) { $0.last = 1 } == [2...2, 4...5])
    }

    @Test("a time before the last commit, both ends included")
    func within() {
        #expect(kept([10, 20, 30, 40]) { $0.within = 20 } == [2...4])
        #expect(kept([10, 20, 30, 40]) { $0.within = 19 } == [3...4])
        #expect(kept([10, 20]) { $0.within = .max } == [1...2])
    }

    @Test(
        "the last commit of each period that has one",
        arguments: [
            (RetentionPolicy.Period.hourly, [0, 3599, 3600, 7200, 7300], [2, 3, 5]),
            (.daily, [0, 86_399, 86_400, 200_000], [2, 3, 4]),
            // 1970-01-04 was a Sunday.
            (.weekly, [0, 345_599, 345_600, 950_399, 950_400], [2, 4, 5]),
            // The ends of January, February (28 days) and December 1970.
            (.monthly, [0, 2_678_399, 2_678_400, 5_097_599, 5_097_600], [2, 4, 5]),
            (.yearly, [0, 31_535_999, 31_536_000, 63_071_999], [2, 4]),
            // Before 1970.
            (.daily, [-86_401, -86_400, -1, 0], [1, 3, 4]),
        ] as [(RetentionPolicy.Period, [Int64], [UInt64])])
    func periods(_ period: RetentionPolicy.Period, _ times: [Int64], _ expected: [UInt64]) {
        let all = kept(times) { $0.periods = [period: 100] }
        #expect(all.flatMap { Array($0) } == expected)
        let two = kept(times) { $0.periods = [period: 2] }
        #expect(two.flatMap { Array($0) } == expected.suffix(2))
    }

    @Test("a clock that was ahead makes commits count as newer, never as older")
    func wrongClocks() {
        // The second commit says that it was made ten days after the others.
        let times = [0, 10 * Self.day, 100, 200]
        #expect(kept(times) { $0.within = 50 } == [2...4])
        // All clocks were ahead of this one.
        #expect(kept([100, 200, 300], now: 50) { $0.within = 10 } == [1...3])
    }

    @Test("rules add up, and ranges are joined")
    func several() {
        let times = (0..<10).map { Int64($0) * Self.hour }
        let all = kept(times) {
            $0.last = 2
            $0.within = 2 * Self.hour
            $0.periods = [.hourly: 4]
        }
        #expect(all == [7...10])
    }
}

/// Which versions are dropped beyond the kept ones.
@Suite("Versions of a log")
struct VersionHistoryTests {
    @Test("a version is kept if a kept tree has it")
    func trees() {
        let kept = KeptVersions(trees: [2...3, 6...6])
        let cases: [(UInt64, UInt64, Bool)] = [
            (1, 2, false), (1, 3, true), (2, 3, true), (3, 4, true), (4, 6, false), (4, 7, true),
            (6, 7, true), (7, 9, false),
        ]
        for (first, end, expected) in cases {
            #expect(kept.containsTree(from: first, before: end) == expected, "\(first)..<\(end)")
        }
        #expect(!KeptVersions().containsTree(from: 1, before: .max))
    }
}
