import FilesinkiModel

/// What a rule of a replica's tree kept private is published only by a run that names it, or after the user of that replica has
/// ended the rule.
///
/// A secret is a value that a rule ignored when a run began, that no commit had, and that no rule ignores after the run: only
/// other devices end rules during a run in which the user changes nothing.
extension SimulationWorld {
    /// Forgets what the user has moved, replaced or removed: a secret is a value at its path.
    func keepSecrets(of number: Int, in present: Set<Placement>) {
        secrets[number] = secrets[number]?.filter {
            present.contains(Placement(path: $0.key, value: $0.value))
        }
    }

    /// Forgets what the user names, and what a rule ignores again: a later end of that is looked at anew.
    ///
    /// - Parameter omission: What the replica leaves out when the run begins.
    func endSecrets(_ run: SimulatedRun, _ omission: SimulatedOmission) {
        var named: Set<RelativePath> = []
        // As long as they are no secrets, a name is no decision.
        if case .sync(let paths) = run.task {
            named = Set(paths.compactMap { try? RelativePath($0) })
        }
        secrets[run.replica] = secrets[run.replica]?.filter { path, _ in
            guard let path = try? RelativePath(path) else { return false }
            return !path.isAtOrInside(named) && !omission.ignores(path)
        }
    }

    /// Adds what is a secret from this run on.
    ///
    /// - Parameters:
    ///   - omission: What the replica left out when the run began.
    ///   - published: What commits had then.
    func addSecrets(
        _ run: SimulatedRun, _ before: TreeFixture, _ after: TreeFixture,
        _ omission: SimulatedOmission, _ published: Set<HeldValue>
    ) throws {
        guard omission.synced != nil, !disturbed.contains(run.replica),
            !copied.contains(run.replica)
        else { return }
        let now = try replicas[run.replica].omission()
        let present = after.placements
        for placement in before.placements.intersection(present)
        where !published.contains(placement.value) {
            let path = try RelativePath(placement.path)
            guard omission.ignores(path), !now.ignores(path) else { continue }
            secrets[run.replica, default: [:]][placement.path] = placement.value
        }
    }

    func checkSecrets(_ run: SimulatedRun) {
        for (number, values) in secrets {
            for (path, value) in values where witness.values.contains(value) {
                addViolation(
                    run,
                    "published \(path) of replica \(number), whose user has not ended the rule that "
                        + "ignored it")
            }
        }
    }

    /// A run withholds nothing but what a rule ignored or was withheld, also by the name that it had before it, or a folder
    /// above it, was renamed.
    ///
    /// - Parameters:
    ///   - omission: What the replica left out when the run began.
    ///   - now: What it leaves out now.
    func checkWithheld(
        _ run: SimulatedRun, _ before: TreeFixture, _ omission: SimulatedOmission,
        _ now: SimulatedOmission
    ) {
        let present = Set(before.flat.keys)
        // What is not at its path any more is withheld at another one.
        guard omission.withheld.allSatisfy({ present.contains($0.description) }) else { return }
        for path in now.withheld.subtracting(omission.withheld) {
            // A rule may have arrived in this run.
            let isPrivate = names(of: path).contains {
                omission.ignores($0) || now.ignores($0) || $0.isAtOrInside(omission.withheld)
            }
            if !isPrivate { addViolation(run, "withholds \(path), which no rule ignored") }
        }
    }

    /// The path, and what it may have been called before users have renamed folders.
    private func names(of path: RelativePath) -> Set<RelativePath> {
        var names: Set<RelativePath> = [path]
        for rename in renames.reversed() {
            names.formUnion(names.compactMap { $0.moved(from: rename.new, to: rename.old) })
        }
        return names
    }
}
