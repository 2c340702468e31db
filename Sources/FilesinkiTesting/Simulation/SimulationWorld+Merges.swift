import FilesinkiEngine
import FilesinkiModel

/// What merges come to.
extension SimulationWorld {
    /// The strategies that lose nothing of a side.
    static let losslessStrategies: Set<String> = [
        "auto", "text", "lines", "union-lines", "json, text", "text, lines", "keep-both",
    ]

    /// In a run in which nothing else happened, changes that go together are merged without a conflict, and where
    /// they do not, the committed version keeps the name and the other one is kept beside it.
    ///
    /// - Parameter remote: The remote tree before the run.
    func checkMerges(
        _ run: SimulatedRun, _ before: TreeFixture, _ after: TreeFixture,
        _ remote: [String: Entry], _ report: SyncReport
    ) {
        let (ours, results) = (before.flat, after.flat)
        for (path, base) in texts.base(run.replica) {
            let here = ours[path].flatMap(HeldValue.init)
            let there = remote[path].flatMap(HeldValue.init)
            guard let here, let there, here != there, here != base, there != base,
                let base = texts.text(base), let mine = texts.text(here),
                let theirs = texts.text(there),
                let expected = ExpectedMerge(base: base, ours: mine, theirs: theirs)
            else { continue }
            let result = results[path].flatMap(HeldValue.init)
            switch expected {
            case .merged(let units):
                let found = texts.text(result)?.units ?? []
                guard base.isDocument ? Set(found) == Set(units) : found == units else {
                    addViolation(run, "\(path) was merged to \(found), and not to \(units)")
                    continue
                }
                if report.conflicted.contains(where: { $0.description == path }) {
                    addViolation(run, "\(path) was merged, and is reported as a conflict")
                }
            case .conflict:
                if result != there || !after.values.contains(here) {
                    addViolation(run, "\(path) is in conflict, and one of the versions is gone")
                }
            }
        }
    }

    /// No line of a text is lost, and none is there twice.
    ///
    /// - Parameter present: All values that are left.
    func checkTexts(_ present: Set<HeldValue>) {
        let end = SimulatedRun(0)
        for lost in texts.unfinished.subtracting(texts.units(present)).sorted() {
            addViolation(end, "lost: no user removed '\(lost)', and it is in no text")
        }
        for (path, entry) in witness.tree.sorted(by: { $0.key < $1.key }) {
            guard let text = texts.text(HeldValue(entry)), !text.isWhole else { continue }
            addViolation(end, "\(path) has a line twice or none: \(text.units)")
        }
    }
}
