import FilesinkiModel

/// Stops a run that looks like an accident until a person has looked at its plan.
///
/// A rename is not a deletion, and what is deleted on both sides already counts for neither.
package struct Guard: Hashable, Sendable {
    /// The most deletions on either side.
    package var maxDelete: MaxDelete
    /// A share of deletions counts only from this many on: in a small tree every share is large.
    package var minimumDeletions: Int
    /// The largest share of the base's paths whose content may be overwritten in one run on either
    /// side, 0 to 1.
    package var maxOverwriteShare: Double
    /// A share of overwrites counts only from this many on.
    package var minimumOverwrites: Int
    /// The fewest paths in the base for which finding none of them here counts as an emptied root.
    package var minimumEmptied: Int

    package init(
        maxDelete: MaxDelete = .standard, minimumDeletions: Int = 25,
        maxOverwriteShare: Double = 0.9, minimumOverwrites: Int = 100, minimumEmptied: Int = 2
    ) {
        self.maxDelete = maxDelete
        self.minimumDeletions = minimumDeletions
        self.maxOverwriteShare = maxOverwriteShare
        self.minimumOverwrites = minimumOverwrites
        self.minimumEmptied = minimumEmptied
    }

    /// What stops the run; empty when nothing does.
    ///
    /// - Parameters:
    ///   - plan: The run's plan.
    ///   - input: What the plan was made from.
    package func check(_ plan: Plan, _ input: ReconcileInput) -> [GuardViolation] {
        let gone = input.here.reduce(into: 0) { count, change in
            if change.value.entry == nil { count += 1 }
        }
        return check(plan.counts, baseCount: input.base.count, goneHere: gone)
    }

    /// What stops a run of these numbers.
    ///
    /// - Parameters:
    ///   - baseCount: The number of paths in the base.
    ///   - goneHere: How many of them the local tree does not have.
    package func check(
        _ counts: Plan.Counts, baseCount: Int, goneHere: Int
    ) -> [GuardViolation] {
        var violations: [GuardViolation] = []
        if goneHere >= baseCount, baseCount >= minimumEmptied, counts.deletedThere > 0 {
            violations.append(.emptiedRoot(paths: baseCount))
        }
        if exceeds(counts.deletedThere, baseCount) {
            violations.append(.deletionsThere(counts.deletedThere, of: baseCount, limit: maxDelete))
        }
        if exceeds(counts.deletedHere, baseCount) {
            violations.append(.deletionsHere(counts.deletedHere, of: baseCount, limit: maxDelete))
        }
        if isMass(counts.overwrittenThere, baseCount) {
            violations.append(.overwritesThere(counts.overwrittenThere, of: baseCount))
        }
        if isMass(counts.overwrittenHere, baseCount) {
            violations.append(.overwritesHere(counts.overwrittenHere, of: baseCount))
        }
        return violations
    }

    private func exceeds(_ deletions: Int, _ baseCount: Int) -> Bool {
        switch maxDelete {
        case .count(let limit): deletions > limit
        case .share(let share):
            deletions >= minimumDeletions && Double(deletions) > share * Double(baseCount)
        }
    }

    private func isMass(_ overwrites: Int, _ baseCount: Int) -> Bool {
        overwrites >= minimumOverwrites
            && Double(overwrites) > maxOverwriteShare * Double(baseCount)
    }
}

/// Why a run stops until its plan is approved.
package enum GuardViolation: Hashable, Sendable {
    /// Nothing of the base is in the root any more, as after a disk was not mounted.
    case emptiedRoot(paths: Int)
    /// So many paths would be deleted from the remote tree.
    case deletionsThere(Int, of: Int, limit: MaxDelete)
    /// So many paths would be deleted from the root.
    case deletionsHere(Int, of: Int, limit: MaxDelete)
    /// So many files would be overwritten in the remote tree.
    case overwritesThere(Int, of: Int)
    /// So many files would be overwritten in the root.
    case overwritesHere(Int, of: Int)
}

extension GuardViolation: CustomStringConvertible {
    /// The violation in a sentence.
    package var description: String {
        switch self {
        case .emptiedRoot(let paths):
            "The root is empty, and the run would delete all \(paths) paths that were in it."
        case .deletionsThere(let count, let all, let limit):
            "The run would delete \(count) of \(all) paths at the remote; the limit is \(limit)."
        case .deletionsHere(let count, let all, let limit):
            "The run would delete \(count) of \(all) paths here; the limit is \(limit)."
        case .overwritesThere(let count, let all):
            "The run would overwrite \(count) of \(all) paths at the remote."
        case .overwritesHere(let count, let all):
            "The run would overwrite \(count) of \(all) paths here."
        }
    }
}
