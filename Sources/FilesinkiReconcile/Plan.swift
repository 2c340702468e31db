import FilesinkiModel

/// The work of one run, in the order in which it is safe to do it.
///
/// First come the directories that are new here, then conflict copies, renames, deletions inside
/// directories that become something else, then everything else from the root down, and last the
/// other deletions from the leaves up.
package struct Plan: Hashable, Sendable {
    package var steps: [Step]

    package init(_ steps: [Step] = []) {
        self.steps = steps
    }

    package var isEmpty: Bool { steps.isEmpty }

    /// How many steps do what.
    package struct Counts: Hashable, Sendable {
        package var agreed = 0
        package var published = 0
        package var taken = 0
        package var writtenToBoth = 0
        package var undecided = 0
        package var left = 0
        package var skipped = 0
        /// Conflict copies; each is also one of the other numbers.
        package var conflictCopies = 0
        /// Files and directories that go from this replica, without those that are renamed.
        package var deletedOurs = 0
        /// Files and directories that go from the remote tree, without those that are renamed.
        package var deletedTheirs = 0
        /// Files whose content changes here because it did there.
        package var overwrittenOurs = 0
        /// Files whose content changes there because it did here.
        package var overwrittenTheirs = 0

        package init() {}
    }

    package var counts: Counts {
        var counts = Counts()
        for step in steps { counts.add(step) }
        return counts
    }
}

extension Plan.Counts {
    /// Adds what another plan does.
    package mutating func add(_ other: Plan.Counts) {
        let numbers: [WritableKeyPath<Plan.Counts, Int>] = [
            \.agreed, \.published, \.taken, \.writtenToBoth, \.undecided, \.left, \.skipped,
            \.conflictCopies, \.deletedOurs, \.deletedTheirs, \.overwrittenOurs,
            \.overwrittenTheirs,
        ]
        for number in numbers { self[keyPath: number] += other[keyPath: number] }
    }

    fileprivate mutating func add(_ step: Step) {
        switch step.action {
        case .agree: agreed += 1
        case .publish: published += 1
        case .take: taken += 1
        case .both: writtenToBoth += 1
        case .undecided: undecided += 1
        case .leave: left += 1
        case .skip: skipped += 1
        }
        if step.isConflictCopy { conflictCopies += 1 }
        guard let entry = step.action.entry, !step.isMovedAway else { return }
        let theirs = step.theirs.flatMap { $0.entry.kind == .tombstone ? nil : $0.entry }
        if step.action.writesOurs, let ours = step.ours, !ours.hasSameContent(as: entry) {
            if entry.kind == .tombstone { deletedOurs += 1 } else { overwrittenOurs += 1 }
        }
        if step.action.writesTheirs, let theirs, !theirs.hasSameContent(as: entry) {
            if entry.kind == .tombstone { deletedTheirs += 1 } else { overwrittenTheirs += 1 }
        }
    }
}

extension Plan: CustomStringConvertible {
    /// One line for each step, as `--dry-run` prints them.
    package var description: String {
        steps.map(\.description).joined(separator: "\n")
    }
}
