import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

extension Array where Element == Step {
    /// The versions that the conflict copies among the steps are based on, for ``FilesinkiStore/CommitDraft/basedOnTokens``:
    /// a device that receives the conflict finds its base by them.
    ///
    /// - Parameter given: What a command says that makes copies again: nobody has changed the path since.
    func basesOfCopies(in plan: [Step], _ given: [UInt64]) -> [UInt64] {
        let copied = Set(compactMap(\.copied))
        guard !copied.isEmpty || !given.isEmpty else { return [] }
        let steps = plan.filter { copied.contains($0.path) }
        let versions =
            given
            + plan.starts(of: steps).values.compactMap { step in
                // Where nobody has changed it there, an undo makes the copy, or it is a folder that keeps its name.
                let isUnchanged = step.base?.version == step.theirs?.version
                return isUnchanged && step.base?.entry.kind != .directory ? nil : step.base?.version
            }
        // A commit has a limited size.
        return Set(versions).sorted().suffix(1000).map { $0 }
    }

    /// The steps of the paths at which the base has the files of some steps: of one that was renamed, that of its old name.
    ///
    /// - Returns: Each by the path of the given step.
    func starts(of steps: [Step]) -> [RelativePath: Step] {
        let origins = Set(steps.compactMap(\.movedFrom))
        let moved = Dictionary(
            lazy.filter { origins.contains($0.path) }.map { ($0.path, $0) }
        ) { first, _ in first }
        var starts: [RelativePath: Step] = [:]
        for step in steps {
            guard let origin = step.movedFrom else { starts[step.path] = step; continue }
            starts[step.path] = moved[origin]
        }
        return starts
    }
}
