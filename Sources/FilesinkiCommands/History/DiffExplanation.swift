import FilesinkiEngine
import FilesinkiMerge
import FilesinkiModel
import FilesinkiText

/// `diff --explain`: what differs, place by place.
extension DiffCommand {
    /// What a merge decides about an open conflict, and what it cannot.
    func explainConflict(
        at target: RelativePath, _ session: Session
    ) async throws -> ExitCode {
        let open = try await session.openConflictsWithBases()
        try await session.requireNotEnded(target, open)
        let trace = try await session.trace(of: open.one(target))
        var object: JSONObject = ["type": "explanation"]
        object.add("path", target)
        return try show(trace, object, in: session.console)
    }

    /// Where the newer of two versions is otherwise than the older one.
    func explainDifference(
        _ difference: Difference, _ session: Session
    ) async throws -> ExitCode {
        let trace = try await session.comparison(of: difference)
        var object: JSONObject = ["type": "explanation"]
        object.add("path", difference.path)
        object.add("old", difference.oldName)
        object.add("new", difference.newName)
        return try show(trace, object, in: session.console)
    }

    /// - Parameter object: What JSON has before the explanation.
    private func show(
        _ trace: MergeTrace, _ object: JSONObject, in console: Console
    ) throws -> ExitCode {
        let explanation = MergeExplanation(trace)
        if report.json {
            var object = object
            explanation.add(to: &object)
            try console.output.json(object)
        } else if trace.rule.isEmpty {
            // No merge was tried: what a sync says of such contents.
            try console.output.line(MergeTrace.noFormat)
        } else {
            try explanation.write(asOutput: true, in: console)
        }
        return .negative
    }

    /// What shows the places of versions that are not text, without the options that name the replica.
    func placesStep(of target: RelativePath, _ hints: CommandHints) -> String {
        var words = ["filesinki diff --explain", hints.word(target)]
        if let at = history.at { words += ["--at", ShellWord.shown(at.utf8)] }
        if let commit = history.commit { words += ["--commit", "\(commit)"] }
        words += [first, second].compactMap(\.self).map { "\($0)" }
        return "To see which places differ: " + words.joined(separator: " ")
    }
}

extension Session {
    /// What a merge by the kind of the content tells of two versions, of which only one is changed. Merges nothing.
    fileprivate func comparison(of difference: Difference) async throws -> MergeTrace {
        let contents = [difference.old, difference.new, difference.old]
        return try await merging(contents, at: difference.path) { merge, outputs in
            var merge = merge
            // They decide about what both sides changed.
            merge.settings.fields = []
            merge.settings.fieldChoice = nil
            let trace = MergeTrace(isComparison: true)
            merge.trace = trace
            _ = try await merge.run(keepingIn: outputs)
            return trace
        }
    }
}
