import FilesinkiModel

/// The laws of what a replica leaves out.
extension SimulationWorld {
    /// A replica publishes nothing about paths that it does not hold, and neither publishes nor changes what it ignores
    /// when a run ends. A new file follows the rename of its folder by another device also to a name that is ignored: it
    /// was none of what is private.
    ///
    /// - Parameter isCalm: Whether nothing happened during the run, so that its rules are those of its beginning and
    ///   those that it received first.
    func checkOmitted(
        _ run: SimulatedRun, _ before: TreeFixture, _ after: TreeFixture, isCalm: Bool
    ) throws {
        let (there, here) = (before.flat, after.flat)
        for commit in witness.takeRecent() {
            for replica in replicas
            where commit.device.hasPrefix("device\(replica.number)")
                && !copied.contains(replica.number)
            {
                let isOwn = replica.number == run.replica && isCalm && run.events.isEmpty
                let omission = try replica.omission(run)
                for path in commit.paths where omission.isUnheld(path) {
                    addViolation(
                        run, "replica \(replica.number) changed \(path), which it does not hold")
                }
                for path in commit.paths where isOwn && omission.leavesOut("\(path)") {
                    let isMoved = here[path.description] != nil && there[path.description] == nil
                    if isMoved { continue }
                    addViolation(run, "published \(path), which is left out")
                }
            }
        }
        guard isCalm, run.events.isEmpty else { return }
        let omission = try replicas[run.replica].omission(run)
        for (path, node) in there where omission.leavesOut(path) && node.isFile {
            if here[path] != node { addViolation(run, "changed \(path), which is left out") }
        }
    }
}

extension TreeFixture.Node {
    fileprivate var isFile: Bool { if case .bytes = self { true } else { false } }
}
