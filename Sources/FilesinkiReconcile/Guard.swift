package import FilesinkiModel

/// Stops a run that looks like an accident until a person approves its plan. `Sync/Guards.swift` of the
/// engine asks it.
///
/// A rename is not a deletion, unless the file gets another content at once. A path that is deleted on both
/// sides already is not counted.
package struct Guard: Hashable, Sendable {
    /// The most deletions on either side.
    package var maxDelete: MaxDelete
    /// A share of deletions stops a run only from this many on: in a small tree every share is large.
    package var minimumDeletions: Int
    /// The largest share of the base's paths whose content may be overwritten in one run on either
    /// side, 0 to 1.
    package var maxOverwriteShare: Double
    /// A share of overwrites stops a run only from this many on.
    package var minimumOverwrites: Int
    /// An empty root stops a run when the base has at least this many paths.
    package var minimumEmptied: Int

    /// The default of ``maxOverwriteShare``. No option or setting changes it.
    package static let standardOverwriteShare = 0.9

    package init(
        maxDelete: MaxDelete = .standard, minimumDeletions: Int = 25,
        maxOverwriteShare: Double = Guard.standardOverwriteShare, minimumOverwrites: Int = 100,
        minimumEmptied: Int = 2
    ) {
        self.maxDelete = maxDelete
        self.minimumDeletions = minimumDeletions
        self.maxOverwriteShare = maxOverwriteShare
        self.minimumOverwrites = minimumOverwrites
        self.minimumEmptied = minimumEmptied
    }

    /// The reasons to stop the run; empty when it may go on.
    ///
    /// - Parameters:
    ///   - plan: The run's plan.
    ///   - input: What the plan was made from.
    package func check(_ plan: Plan, _ input: ReconcileInput) -> [GuardViolation] {
        let gone = input.ours.reduce(into: 0) { count, change in
            if change.value.entry == nil { count += 1 }
        }
        return check(plan.counts, baseCount: input.base.count, missingOurs: gone)
    }

    /// The reasons to stop a run of these numbers; empty when it may go on.
    ///
    /// - Parameters:
    ///   - counts: What the plan does. Only what it does can stop it.
    ///   - done: What the run has done in earlier rounds, which is added.
    ///   - recent: What earlier runs have deleted, which is added too.
    ///   - baseCount: The number of paths in the base when the run began.
    ///   - missingOurs: How many of them the local tree does not have.
    ///   - young: The deletions of paths that came during the run. They are no share of the base, and what came does not
    ///     make the share of the others smaller.
    package func check(
        _ counts: Plan.Counts, after done: Plan.Counts = Plan.Counts(),
        and recent: Plan.Counts = Plan.Counts(), baseCount: Int, missingOurs: Int,
        young: YoungDeletions = YoungDeletions()
    ) -> [GuardViolation] {
        var violations: [GuardViolation] = []
        let theirs = baseCount + recent.deletedTheirs
        if missingOurs >= baseCount, theirs >= minimumEmptied, counts.deletedTheirs > 0 {
            violations.append(.emptiedRoot(paths: theirs))
        }
        var earlier = done
        earlier.add(recent)
        let recently = recent.deletedOurs + recent.deletedTheirs
        let (all, withYoung) = (baseCount + recently, young.paths + recently)
        if let found = deletions(\.lostTheirs, counts, earlier, young, all, withYoung) {
            violations.append(
                .deletionsTheirs(
                    found.count, of: found.all, limit: maxDelete, earlier: found.earlier))
        }
        if let found = deletions(\.deletedOurs, counts, earlier, young, all, withYoung) {
            violations.append(
                .deletionsOurs(
                    found.count, of: found.all, limit: maxDelete, earlier: found.earlier))
        }
        if let count = isMass(counts.overwrittenTheirs, done.overwrittenTheirs, baseCount) {
            violations.append(
                .overwritesTheirs(count, of: baseCount, share: maxOverwriteShare))
        }
        if let count = isMass(counts.overwrittenOurs, done.overwrittenOurs, baseCount) {
            violations.append(
                .overwritesOurs(count, of: baseCount, share: maxOverwriteShare))
        }
        return violations
    }

    /// The deletions of one side that exceed the limit: those of the base as it was when the run began, else all of them.
    private func deletions(
        _ side: KeyPath<Plan.Counts, Int>, _ planned: Plan.Counts, _ earlier: Plan.Counts,
        _ young: YoungDeletions, _ all: Int, _ withYoung: Int
    ) -> (count: Int, all: Int, earlier: Int)? {
        let (plannedYoung, doneYoung) = (young.planned[keyPath: side], young.done[keyPath: side])
        let older = earlier[keyPath: side] - doneYoung
        if let count = exceeds(planned[keyPath: side] - plannedYoung, older, all) {
            return (count, all, older)
        }
        guard plannedYoung + doneYoung > 0 else { return nil }
        return exceeds(planned[keyPath: side], earlier[keyPath: side], withYoung)
            .map { ($0, withYoung, earlier[keyPath: side]) }
    }

    /// The number of all deletions; nil when it is within the limit, or no deletion is planned.
    private func exceeds(_ planned: Int, _ earlier: Int, _ baseCount: Int) -> Int? {
        let deletions = planned + earlier
        guard planned > 0 else { return nil }
        switch maxDelete {
        case .count(let limit): return deletions > limit ? deletions : nil
        case .share(let share):
            return deletions >= minimumDeletions && Double(deletions) > share * Double(baseCount)
                ? deletions : nil
        }
    }

    /// The number of all overwrites; nil when it is within the limit, or no overwrite is planned.
    private func isMass(_ planned: Int, _ earlier: Int, _ baseCount: Int) -> Int? {
        let overwrites = planned + earlier
        guard planned > 0, overwrites >= minimumOverwrites,
            Double(overwrites) > maxOverwriteShare * Double(baseCount)
        else { return nil }
        return overwrites
    }
}

/// Deletions of paths that were not in the base when the run began: the run itself has sent or received them.
package struct YoungDeletions: Hashable, Sendable {
    /// Of the plan.
    package var planned = Plan.Counts()
    /// Of earlier rounds of the run.
    package var done = Plan.Counts()
    /// How many paths the run could delete: those of the base, and what the run has deleted.
    package var paths = 0

    package init() {}
}

/// Why a run stops until its plan is approved.
package enum GuardViolation: Hashable, Sendable {
    /// Nothing of the base is in the root any more, as when a disk is not mounted. New files may be.
    case emptiedRoot(paths: Int)
    /// So many of the paths that were in the root before it was found empty would be deleted from the remote tree; see
    /// ``EmptiedRoot``.
    case stillMissing(Int, of: Int)
    /// So many paths would be deleted from the remote tree. `earlier` of them were deleted already, in
    /// earlier rounds of the run or by runs shortly before it.
    case deletionsTheirs(Int, of: Int, limit: MaxDelete, earlier: Int = 0)
    /// So many paths would be deleted from the root.
    case deletionsOurs(Int, of: Int, limit: MaxDelete, earlier: Int = 0)
    /// So many files would be overwritten in the remote tree. `share` is the limit.
    case overwritesTheirs(Int, of: Int, share: Double = Guard.standardOverwriteShare)
    /// So many files would be overwritten in the root.
    case overwritesOurs(Int, of: Int, share: Double = Guard.standardOverwriteShare)
}

extension GuardViolation: CustomStringConvertible {
    /// The violation in a sentence.
    package var description: String {
        switch self {
        case .emptiedRoot(let paths):
            "All \(paths) paths that were in the root are gone, and the run would delete them at the remote."
        case .stillMissing(let count, let all):
            "All \(all) paths that were in the root were gone, and \(count) of them "
                + (count == 1
                    ? "is still missing: the run would delete it"
                    : "are still missing: the run would delete them")
                + " at the remote."
        case .deletionsTheirs(let count, let all, let limit, let earlier):
            "The run would delete \(count) of \(all) paths at the remote\(Self.already(earlier)); "
                + "the limit is \(limit)."
        case .deletionsOurs(let count, let all, let limit, let earlier):
            "The run would delete \(Self.part(count, of: all))\(Self.already(earlier)); "
                + "the limit is \(limit)."
        case .overwritesTheirs(let count, let all, let share):
            "The run would overwrite \(count) of \(all) paths at the remote; \(Self.limit(share))"
        case .overwritesOurs(let count, let all, let share):
            "The run would overwrite \(count) of \(all) paths here; \(Self.limit(share))"
        }
    }

    private static func limit(_ share: Double) -> String {
        "the limit of overwrites is \(MaxDelete.share(share)), and only --approve lifts it."
    }

    /// So many of the paths that were synced here; without a base, as where a folder joins a store, more are deleted.
    private static func part(_ count: Int, of all: Int) -> String {
        count <= all
            ? "\(count) of \(all) paths here"
            : "\(count) paths here, where \(all) were synced before"
    }

    private static func already(_ count: Int) -> String {
        count > 0 ? ", \(count) of them already deleted" : ""
    }
}

/// How many deletions a run may carry out without approval: `--max-delete`.
package enum MaxDelete: Hashable, Sendable {
    /// At most this many paths.
    case count(Int)
    /// At most this share of the base's paths, 0 to 1.
    case share(Double)

    /// Reads a number of paths, such as `100`, or a share of all, such as `30%`.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/usage`` for anything else, for a negative
    ///   number and for more than 100%.
    package init(parsing text: String) throws(Failure) {
        if text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) {
            self = .share(percent / 100)
        } else if let count = Int(text), count >= 0 {
            self = .count(count)
        } else {
            throw Failure(
                .usage, path: "", "Invalid limit of deletions: '\(text)'.",
                remedy: "Write a number of paths, such as 100, or a share, such as 30%.")
        }
    }
}

extension MaxDelete: CustomStringConvertible {
    /// The limit as ``init(parsing:)`` reads it.
    package var description: String {
        switch self {
        case .count(let count): return "\(count)"
        case .share(let share):
            guard (0...1).contains(share) else { return "\(share * 100)%" }
            // To a thousandth of a percent: 0.29 times 100 is not 29.
            let thousandths = Int(share * 100_000 + 0.5)
            return thousandths % 1000 == 0
                ? "\(thousandths / 1000)%" : "\(Double(thousandths) / 1000)%"
        }
    }
}

extension MaxDelete {
    /// The default: half of all paths.
    package static let standard = MaxDelete.share(0.5)
}
