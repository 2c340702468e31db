import FilesinkiModel

/// Says when what was heard has come to rest, path by path, so that one busy file holds back no other.
///
/// A pure value: moments are given, as time since any fixed one, and nothing waits here.
///
/// * A file that was closed after writing, or renamed into place, is due after ``Limits/quick``, a new
///   one after ``Limits/fresh``, for it may be about to be renamed; what may go on (a file still open,
///   a deletion before the file comes again) after ``Limits/quiet``.
/// * Whatever happens, a path is due ``Limits/longest`` after the first change of it.
/// * A path that changes again and again, without a rest of ``Limits/rest`` in between, is told in growing
///   distances, up to the same. Once it has rested, the next change is due as the first one was.
/// * Both ends of a rename are due together, so that they are seen to be one.
/// * Of more than ``Limits/paths`` nothing is told singly: then everything is due at once.
package struct Debouncer: Sendable {
    package struct Limits: Hashable, Sendable {
        /// The rest after which a change is over that may go on.
        package var quiet: Duration
        /// The rest after which a change is over that seems to be.
        package var quick: Duration
        /// The longest that a change is held back.
        package var longest: Duration
        /// So many paths are told singly at most.
        package var paths: Int

        /// The rest after which a new file is not about to be renamed any more.
        var fresh: Duration { max(quick, quiet * 2 / 5) }

        /// The rest after which a path that changed again and again no longer does: 100 ms by default.
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

    /// What is due.
    package enum Due: Hashable, Sendable {
        case changes(LocalChanges)
        case everything
    }

    private struct PendingPath {
        var first: Duration
        var last: Duration
        var quiet: Duration
        /// Not before, because the path was told shortly ago and keeps changing; a rest ends that.
        var earliest: Duration
        /// Whether its first change came before the path had rested from what was told last.
        var isBusy: Bool
        /// Whether it came into being since ``first``.
        var isNew: Bool
        /// Whether it went away since ``first``: who does that may do it again.
        var wasGone = false
        /// Whether what is below counts, too.
        var isWhole: Bool
        var partner: RelativePath?
    }

    /// When a path was told last, and how long it then has to wait while it keeps changing.
    private struct Report {
        var at: Duration
        var distance: Duration
        /// When its last change was heard.
        var heard: Duration
    }

    private let limits: Limits
    private var paths: [RelativePath: PendingPath] = [:]
    /// First and last moment of a change, once everything is due.
    private var flood: (first: Duration, last: Duration)?
    private var reports: [RelativePath: Report] = [:]

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Takes note of a change.
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
        pending.wasGone = pending.wasGone || change.kind == .gone
        pending.partner = partner(of: change) ?? pending.partner
        paths[change.path] = pending
        if paths.count > limits.paths { addEverything(at: now) }
    }

    /// Takes note that anything may have changed.
    package mutating func addEverything(at now: Duration) {
        let first = paths.values.map(\.first).min() ?? now
        flood = (flood?.first ?? first, now)
        paths = [:]
        reports = [:]
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

    /// The other end of a rename; none of a file that was made to be renamed, for nobody knew it.
    private func partner(of change: TreeChange) -> RelativePath? {
        guard let partner = change.partner, partner != change.path else { return nil }
        if change.kind == .written, paths[partner]?.isNew == true { return nil }
        if change.kind == .gone, paths[change.path]?.isNew == true { return nil }
        return partner
    }

    private func due(_ pending: PendingPath) -> Duration {
        let held = min(pending.earliest, pending.last + limits.rest)
        return max(min(pending.last + pending.quiet, pending.first + limits.longest), held)
    }

    /// When something is due next; nil when nothing waits.
    package var next: Duration? {
        if let flood { return min(flood.last + limits.quiet, flood.first + limits.longest) }
        return paths.values.lazy.map(due).min()
    }

    /// Takes what is due.
    package mutating func removeDue(at now: Duration) -> Due? {
        guard let next, next <= now else { return nil }
        if flood != nil {
            flood = nil
            return .everything
        }
        var changes = LocalChanges()
        let ready = paths.filter { due($0.value) <= now }.map(\.key)
        for path in ready {
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
        return .changes(changes)
    }

    /// Remembers that a path was told: again without a rest means less often.
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
