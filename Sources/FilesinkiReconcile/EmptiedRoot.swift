import FilesinkiModel

/// A root in which a run has found nothing of the base.
///
/// A user who then brings back one file has not said that all the others are to be deleted. While any of the paths
/// is missing, no run deletes one of them until its plan is approved.
package struct EmptiedRoot: Hashable, Sendable {
    /// How far the log was known. All that the base had was missing, so a path belongs to it whose version is not later.
    package var sequence: UInt64
    /// The number of paths that were missing.
    package var paths: Int

    package init(sequence: UInt64, paths: Int) {
        self.sequence = sequence
        self.paths = paths
    }

    /// Whether a path of the base was missing when the root was found empty.
    package func covers(_ version: UInt64) -> Bool { version <= sequence }

    /// Why a run of this plan stops; nil if it deletes none of the paths at the remote.
    package func violation(of plan: Plan) -> GuardViolation? {
        let missing = plan.steps.filter { step in
            step.ours == nil && step.base.map { covers($0.version) } ?? false
        }
        let count = Plan(missing).counts.deletedTheirs
        return count > 0 ? .stillMissing(count, of: paths) : nil
    }
}

extension EmptiedRoot {
    /// Reads what ``bytes`` has written.
    ///
    /// - Returns: Nil for any other text.
    package init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 2, let sequence = UInt64(words[0]), let paths = Int(words[1]),
            paths > 0
        else { return nil }
        self.init(sequence: sequence, paths: paths)
    }

    /// Both numbers as text.
    package var bytes: [UInt8] { Array("\(sequence) \(paths)".utf8) }
}
