import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// What `restore` or `undelete` brought back, to be counted.
///
/// Folders are counted only where no file came back.
struct RestoredPaths {
    private var paths: Set<RelativePath> = []
    private var folders: Set<RelativePath> = []

    init() {}

    init(_ report: RestoreReport) { add(report) }

    var isEmpty: Bool { paths.isEmpty }

    mutating func add(_ report: RestoreReport) {
        paths.formUnion(report.restored)
        folders.formUnion(report.folders)
    }

    /// The number, with its noun.
    var text: String {
        let files = paths.count - folders.count
        return files == 0 && !folders.isEmpty
            ? CountText.text(folders.count, "folder") : CountText.text(files, "file")
    }
}

extension Console {
    /// Says how much was brought back.
    func say(restored paths: RestoredPaths) { say("Restored \(paths.text).") }

    /// Says that what was asked for is in its place.
    ///
    /// - Parameters:
    ///   - path: The first path of it.
    ///   - later: What else is in its folders, which is not as it was then.
    ///   - done: What was done, or would be.
    func say(unchanged path: RelativePath, _ later: LaterPaths?, _ done: String) {
        guard let later, let first = later.paths.first else {
            return say("\(path) is already as it was then: \(done).")
        }
        let count = later.paths.count
        let what = CountText.text(count, later.areFolders ? "folder" : "file")
        let more = count == 1 ? "" : " and \(CountText.text(count - 1)) more"
        say(
            "Everything that was in \(later.folder) then is there as it was: \(done). \(what) that came since "
                + "\(count == 1 ? "stays" : "stay"): \(first)\(more).")
    }

    /// Shows what `restore` or `undelete` would bring back.
    ///
    /// - Parameter failures: Why paths that were named cannot be brought back.
    /// - Returns: How the command would end.
    func show(plan: RestoreReport, _ failures: [Failure]) throws -> ExitCode {
        for failure in failures { try report(failure) }
        try show(restored: plan.restored, folders: plan.folders, isPlan: true)
        try show(plan.problems, type: "problem")
        try show(plan.notices, type: "notice")
        let isNothing = plan.restored.isEmpty && plan.unchanged.isEmpty
        if plan.restored.isEmpty, plan.problems.isEmpty, let path = plan.unchanged.first {
            say(unchanged: path, plan.later, "nothing would be changed")
        } else if failures.isEmpty || !isNothing {
            say("Would restore \(RestoredPaths(plan).text).")
            say("Nothing was changed.")
        }
        if let refusal = plan.refusal { return ExitCode(refusal) }
        if let failure = failures.first { return isNothing ? ExitCode(failure) : .partial }
        return plan.problems.isEmpty ? .done : .partial
    }

    /// So many paths that were brought back are named without being asked for.
    private static var namedRestores: Int { 20 }

    /// Names paths that were brought back. One alone has just been named by the user, unless a pattern has found it.
    ///
    /// - Parameters:
    ///   - folders: Those of them that are folders.
    ///   - named: What the user has named; nil where that is not known.
    ///   - isPlan: Whether they only would be: then they are what was asked for.
    func show(
        restored paths: [RelativePath], folders: Set<RelativePath>,
        named: Set<RelativePath>? = nil, isPlan: Bool = false
    ) throws {
        if !outputOptions.isJSON, !outputOptions.isNull {
            let isVerbose = outputOptions.verbosity == .verbose
            let isFound = named.map { named in paths.contains { !named.contains($0) } } ?? false
            let isNews = outputOptions.verbosity == .normal && (paths.count > 1 || isFound)
            guard isPlan || isVerbose || isNews else { return }
            let shown = isVerbose ? paths[...] : paths.prefix(Self.namedRestores)
            let word = isPlan ? "restore" : "restored"
            for path in shown { try output.line("  \(word)  \(path)") }
            let more = paths.count - shown.count
            if more > 0 { try output.line("  and \(CountText.text(more)) more; -v lists all") }
            // What was done comes before what is said of it.
            return try output.flush()
        }
        for path in paths {
            if outputOptions.isJSON {
                var object: JSONObject = ["type": "restored"]
                object.add("path", path)
                if folders.contains(path) { object.add("kind", "directory") }
                if isPlan { object.add("dry_run", true) }
                try output.json(object)
            } else {
                try output.path(path)
            }
        }
    }
}
