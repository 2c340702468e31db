import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// `resolve --undo`: which conflicts are opened again.
extension ResolveCommand {
    /// What is meant, in order and each once. A pattern means the conflicts in whose place nobody has written since they ended.
    ///
    /// - Throws: Code `not-found` if a pattern matches none.
    func undoTargets(_ names: [String], _ session: Session) async throws -> [ResolveTarget] {
        var paths: [RelativePath] = []
        for argument in names {
            let name = try session.path(argument)
            var meant = [name]
            if PathPattern.isPattern(argument) {
                let ended = try await session.replica.reopenableConflicts()
                if !ended.contains(conflictOriginal(of: name)?.path ?? name) {
                    meant = ended.filter(try PathPattern(argument).covers)
                    guard !meant.isEmpty else {
                        let none = Failure.noneReopenable(argument)
                        throw session.naming(pattern: argument, in: none, among: ended)
                    }
                }
            }
            paths += meant.filter { !paths.contains($0) }
        }
        return paths.map { ResolveTarget(path: $0, conflicts: []) }
    }
}

extension Failure {
    /// - Parameter pattern: As the user typed it.
    fileprivate static func noneReopenable(_ pattern: String) -> Failure {
        Failure(
            .notFound, path: ArgumentText.bytes(of: pattern),
            "No resolved conflict that matches was found here.",
            remedy:
                "A pattern leaves out what is open, and what was edited after its resolve: give such a path itself."
        )
    }
}

extension Session {
    /// Says how many conflicts are open that were not before, because the files of ended ones are back.
    func sayOpened(since before: [OpenConflict]) async throws {
        guard !console.outputOptions.isJSON else { return }
        let known = Set(before.map { [$0.path, $0.copy ?? $0.path] })
        let new = try await replica.conflicts().filter {
            !known.contains([$0.path, $0.copy ?? $0.path])
        }
        if !new.isEmpty { console.sayReopened(new.count) }
    }

    /// Says how many conflicts an undo has opened again, where it was more than one.
    func sayReopened(_ paths: [RelativePath]) async throws {
        guard paths.count > 1, !console.outputOptions.isJSON else { return }
        let open = Set(try await replica.conflicts().map(\.path))
        let count = Set(paths.map { conflictOriginal(of: $0)?.path ?? $0 }).intersection(open).count
        console.sayReopened(count)
    }
}

extension Console {
    fileprivate func sayReopened(_ count: Int) {
        say(
            CountText.text(count, "conflict") + (count == 1 ? " is" : " are")
                + " open again: see filesinki conflicts.")
    }
}
