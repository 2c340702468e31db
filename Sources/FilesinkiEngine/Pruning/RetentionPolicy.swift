import FilesinkiModel
package import FilesinkiRules
import FilesinkiStore
import FilesinkiText

/// Which versions a prune keeps besides the current tree: those of some points in time, and the last ones of each path.
///
/// A point is a commit, and its tree is what the store had after it. The rules add up: what one of them keeps is kept.
package struct RetentionPolicy: Hashable, Sendable {
    /// A period of the calendar, in UTC. A week begins on Monday.
    package enum Period: String, CaseIterable, Sendable {
        case hourly, daily, weekly, monthly, yearly
    }

    /// The trees after so many of the last commits are kept.
    package var last = 0
    /// All trees of so many seconds before the last commit are kept.
    package var within: Int64?
    /// The last tree of each of so many of the last hours, days, weeks, months and years with a commit is kept.
    package var periods: [Period: Int] = [:]
    /// So many of the last versions of each path are kept.
    package var versions = 0

    package init() {}

    /// The policy of settings or options.
    ///
    /// - Parameter rules: Numbers of 1 at least, and seconds.
    package init(_ rules: [PruneKey: Int64]) {
        for (key, value) in rules {
            let count = Int(clamping: value)
            switch key {
            case .keepLast: last = count
            case .keepWithin: within = value
            case .keepHourly: periods[.hourly] = count
            case .keepDaily: periods[.daily] = count
            case .keepWeekly: periods[.weekly] = count
            case .keepMonthly: periods[.monthly] = count
            case .keepYearly: periods[.yearly] = count
            case .keepVersions: versions = count
            }
        }
    }

    /// Whether no rule is set.
    package var isEmpty: Bool {
        last == 0 && within == nil && versions == 0 && periods.values.allSatisfy { $0 == 0 }
    }

    /// The versions that are kept.
    ///
    /// - Parameters:
    ///   - times: When each commit was made.
    ///   - points: Further commits whose trees are kept.
    func kept(_ times: CommitTimes, points: some Collection<UInt64>) -> KeptVersions {
        let end = times.end
        guard end > 0 else { return KeptVersions(versions: versions) }
        var ranges = [end...end]
        if last > 0, let first = times.first(ofLast: last) { ranges.append(first...end) }
        if let within, let first = times.first(within: within) { ranges.append(first...end) }
        for (period, count) in periods where count > 0 {
            ranges += times.last(count, period).map { $0...$0 }
        }
        ranges += points.filter { (1...end).contains($0) }.map { $0...$0 }
        return KeptVersions(trees: KeptVersions.joined(ranges), versions: versions)
    }
}

/// When the commits of a log that change something were made, as far as their clocks are to be trusted.
///
/// The clocks are those of many devices. The time of a commit is here never before that of an earlier commit, and none is
/// after now or after the last commit's own time: a clock that was wrong makes commits count as newer than they are, and
/// then more is kept.
struct CommitTimes {
    /// The commits, and seconds since 1970; both ascending.
    private var commits: [(sequence: UInt64, time: Int64)] = []
    private var lastTime = Int64.min
    /// The last commit of the log, whether it changes something or not.
    private(set) var end: UInt64 = 0

    /// Adds the next commit of the log.
    ///
    /// - Parameter changes: Whether the tree after it is another one than before.
    mutating func add(_ sequence: UInt64, _ time: Timestamp, changes: Bool) {
        end = sequence
        guard changes else { return }
        lastTime = time.seconds
        commits.append((sequence, max(commits.last?.time ?? .min, lastTime)))
    }

    /// Ends with the last commit.
    ///
    /// - Parameter now: No commit counts as later.
    mutating func finish(now: Timestamp) {
        let end = min(now.seconds, lastTime)
        for index in commits.indices where commits[index].time > end { commits[index].time = end }
    }

    /// The first of so many of the last commits.
    func first(ofLast count: Int) -> UInt64? { commits.suffix(count).first?.sequence }

    /// The first commit of so many seconds before the last one.
    func first(within seconds: Int64) -> UInt64? {
        guard let end = commits.last?.time else { return nil }
        let (start, isBeforeAll) = end.subtractingReportingOverflow(seconds)
        return commits.first { isBeforeAll || $0.time >= start }?.sequence
    }

    /// The last commit of each of the last periods that have one, newest first.
    func last(_ maximum: Int, _ period: RetentionPolicy.Period) -> [UInt64] {
        var found: [UInt64] = []
        var previous: String?
        for (sequence, time) in commits.reversed() {
            let name = period.name(of: time)
            guard name != previous else { continue }
            guard found.count < maximum else { break }
            previous = name
            found.append(sequence)
        }
        return found
    }
}

extension RetentionPolicy.Period {
    /// The period that a time is in.
    ///
    /// - Parameter seconds: Since 1970.
    fileprivate func name(of seconds: Int64) -> String {
        let date = CalendarTime(utc: seconds).date
        return switch self {
        case .hourly: "\(seconds.floored(by: 3600))"
        case .daily: date
        // 1970 began on a Thursday.
        case .weekly: "\((seconds.floored(by: 86_400) + 3).floored(by: 7))"
        case .monthly: String(date.dropLast(3))
        case .yearly: String(date.dropLast(6))
        }
    }
}
