import FilesinkiModel

/// Decides per path when its changes have settled, so that one busy file does not delay others.
///
/// A pure value: the caller passes the time, as a duration since any fixed moment, and waits.
///
/// * A file that was closed after writing or renamed is due after ``Limits/quick``; a new one after
/// ``Limits/fresh``, because it may be renamed; one that may change again (still open, or deleted)
/// after ``Limits/quiet``.
/// * A path is due at most ``Limits/longest`` after its first change.
/// * A path that changes repeatedly without a pause of ``Limits/rest`` is reported at growing
/// intervals up to ``Limits/longest``. After a pause the intervals start again.
/// * Both paths of a rename are due together, so that the rename is detected.
/// * Deletions are due together, after a pause of ``Limits/quiet`` in which nothing was deleted: a guard against many
/// deletions sees all of one command, and none is published before it.
/// * Beyond ``Limits/paths`` no single paths are reported, but everything at once.
package struct Debouncer: Sendable {
    package struct Limits: Hashable, Sendable {
        /// The pause after which a change that may continue is complete.
        package var quiet: Duration
        /// The pause after which a change that seems complete is complete.
        package var quick: Duration
        /// The maximum delay of a change.
        package var longest: Duration
        /// The maximum number of single paths.
        package var paths: Int

        /// The pause after which a new file is no longer expected to be renamed.
        var fresh: Duration { max(quick, quiet * 2 / 5) }

        /// The pause that ends a series of changes: 100 ms by default.
        var rest: Duration { quiet * 2 }

        package init(
            quiet: Duration = .milliseconds(50), quick: Duration = .milliseconds(1),
            longest: Duration = .seconds(2), paths: Int = 2000
        ) {
            self.quiet = quiet
            self.quick = min(quick, quiet)
            self.longest = max(longest, quiet)
            self.paths = max(1, paths)
        }
    }

    /// The result of ``removeDue(at:)``.
    package enum Due: Hashable, Sendable {
        case changes(LocalChanges)
        case everything
    }

    private struct PendingPath {
        var first: Duration
        var last: Duration
        var quiet: Duration
        /// The earliest report of a path that was reported recently and keeps changing.
        var earliest: Duration
        /// Whether its first change continues the series of the last report.
        var isBusy: Bool
        /// Whether it was created since ``first``.
        var isNew: Bool
        /// Whether it was deleted since ``first``, which may happen again.
        var wasGone = false
        /// Whether its last change was its deletion.
        var isGone = false
        /// Whether everything below it may have changed.
        var isWhole: Bool
        var partner: RelativePath?
    }

    /// The last report of a path, and the interval to the next one while it keeps changing.
    private struct Report {
        var at: Duration
        var distance: Duration
        /// The time of its last change.
        var heard: Duration
    }

    private let limits: Limits
    private var paths: [RelativePath: PendingPath] = [:]
    /// The first and last change when everything is due.
    private var flood: (first: Duration, last: Duration)?
    private var reports: [RelativePath: Report] = [:]
    /// The first and last deletion that is not reported yet.
    private var deletions: (first: Duration, last: Duration)?

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Adds a change.
    package mutating func add(_ change: TreeChange, at now: Duration) {
        if flood != nil {
            flood?.last = now
            return
        }
        let isFresh = paths[change.path] == nil
        var pending = paths[change.path] ?? startPending(change, at: now)
        pending.last = now
        pending.isWhole = pending.isWhole || change.kind == .folder
        pending.quiet = quiet(change, pending, isFresh: isFresh)
        pending.isGone = change.kind == .gone
        pending.wasGone = pending.wasGone || pending.isGone
        if pending.isGone { deletions = (deletions?.first ?? now, now) }
        pending.partner = partner(of: change) ?? pending.partner
        paths[change.path] = pending
        if paths.count > limits.paths { addEverything(at: now) }
    }

    /// Records that any path may have changed.
    package mutating func addEverything(at now: Duration) {
        let first = paths.values.map(\.first).min() ?? now
        flood = (flood?.first ?? first, now)
        paths = [:]
        reports = [:]
        deletions = nil
    }

    private func startPending(_ change: TreeChange, at now: Duration) -> PendingPath {
        let report = reports[change.path].flatMap { now - $0.heard < limits.rest ? $0 : nil }
        return PendingPath(
            first: now, last: now, quiet: limits.quick,
            earliest: report.map { $0.at + $0.distance } ?? now, isBusy: report != nil,
            isNew: change.kind == .created, isWhole: false)
    }

    private func quiet(_ change: TreeChange, _ pending: PendingPath, isFresh: Bool) -> Duration {
        switch change.kind {
        case .created, .unfinished, .gone, .folder: return limits.quiet
        case .attributes: return isFresh ? limits.quiet : pending.quiet
        case .written:
            if pending.wasGone || partner(of: change) != nil { return limits.quiet }
            return pending.isNew ? limits.fresh : limits.quick
        }
    }

    /// The other path of a rename; nil for a temporary file that was never reported.
    private func partner(of change: TreeChange) -> RelativePath? {
        guard let partner = change.partner, partner != change.path else { return nil }
        if change.kind == .written, paths[partner]?.isNew == true { return nil }
        if change.kind == .gone, paths[change.path]?.isNew == true { return nil }
        return partner
    }

    private func due(_ pending: PendingPath) -> Duration {
        let held = min(pending.earliest, pending.last + limits.rest)
        if pending.isGone, let deletions {
            return max(min(deletions.last + limits.quiet, deletions.first + limits.longest), held)
        }
        return max(min(pending.last + pending.quiet, pending.first + limits.longest), held)
    }

    /// The next due time; nil when nothing is pending.
    package var next: Duration? {
        if let flood { return min(flood.last + limits.quiet, flood.first + limits.longest) }
        return paths.values.lazy.map(due).min()
    }

    /// Removes and returns what is due.
    package mutating func removeDue(at now: Duration) -> Due? {
        guard let next, next <= now else { return nil }
        if flood != nil {
            flood = nil
            return .everything
        }
        var changes = LocalChanges()
        let ready = paths.filter { due($0.value) <= now }
        if ready.values.contains(where: \.isGone) { deletions = nil }
        for path in ready.keys {
            var open = [path]
            while let one = open.popLast() {
                guard let pending = paths.removeValue(forKey: one) else { continue }
                recordReport(one, pending, at: now)
                if pending.isWhole {
                    changes.folders.insert(one)
                } else {
                    changes.paths.insert(one)
                }
                if let partner = pending.partner { open.append(partner) }
            }
        }
        if !paths.values.contains(where: \.isGone) { deletions = nil }
        return .changes(changes)
    }

    /// Records the report of a path. Repeated reports without a pause have growing intervals.
    private mutating func recordReport(
        _ path: RelativePath, _ pending: PendingPath, at now: Duration
    ) {
        var distance = limits.quiet
        if let before = reports[path], pending.isBusy {
            distance = min(before.distance * 2, limits.longest)
        }
        if reports.count >= limits.paths * 2 {
            reports = reports.filter { now - $0.value.heard < limits.rest }
            if reports.count >= limits.paths * 2 { reports = [:] }
        }
        reports[path] = Report(at: now, distance: distance, heard: pending.last)
    }
}
