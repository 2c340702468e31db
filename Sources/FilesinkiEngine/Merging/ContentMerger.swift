import FilesinkiLiveDatabase
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile

/// Runs the merge that a link names upon the three files of a folder.
struct ContentMerger: Sendable {
    /// How long a command of the user's may take.
    let commandLimit: Duration

    /// - Throws: `Failure` where a file cannot be read or written; what a merge cannot do is an
    ///   answer.
    func merge(
        _ link: MergeLink, _ question: MergeQuestion, in folder: MergeFolder
    ) throws -> LinkOutcome {
        switch link {
        case .text: return try inMemory(TextMerge(), "text", question, folder)
        case .lines: return try inMemory(LinesMerge(), "lines", question, folder)
        case .json: return try inMemory(JSONMerge(), "json", question, folder)
        case .csv: return try inMemory(CSVMerge(), "csv", question, folder)
        case .sqlite: return try databases("sqlite", question, folder)
        case .exec(let command):
            return try ExecMerge(command: command, limit: commandLimit)
                .merge(in: folder, path: question.path)
        case .auto: return try auto(question, folder)
        }
    }

    /// Chooses by content: SQLite databases, JSON, then text.
    private func auto(
        _ question: MergeQuestion, _ folder: MergeFolder
    ) throws -> LinkOutcome {
        let kind = try ContentKind.common(of: folder, hasBase: question.hasBase)
        switch kind {
        case .database: return try databases("auto:sqlite", question, folder)
        case .json: return try inMemory(JSONMerge(), "auto:json", question, folder)
        case .text: return try inMemory(TextMerge(), "auto:text", question, folder)
        case .other:
            return .refused("The contents are neither databases, nor JSON, nor text.")
        }
    }

    private func databases(
        _ word: String, _ question: MergeQuestion, _ folder: MergeFolder
    ) throws -> LinkOutcome {
        let merge = SQLiteMerge(
            settings: question.settings, oursModified: question.hereModified,
            theirsModified: question.thereModified)
        let outcome = try merge.merge(
            base: question.hasBase ? folder.file(.base) : nil, ours: folder.file(.here),
            theirs: folder.file(.there), into: folder.file(.result))
        switch outcome {
        case .merged:
            // As a scan will read it, so that it is the same content then.
            try LiveDatabases.normalize(folder.file(.result))
            return .merged(file: folder.file(.result), by: word)
        case .declined(let conflicts): return .declined(conflicts.map(\.description))
        }
    }

    private func inMemory(
        _ merge: any ContentMerge, _ word: String, _ question: MergeQuestion,
        _ folder: MergeFolder
    ) throws -> LinkOutcome {
        guard let input = try question.input(from: folder, limit: LinkRunner.memoryLimit) else {
            return .refused("A content is larger than \(LinkRunner.memoryLimit) bytes.")
        }
        switch merge.merge(input) {
        case .declined(let conflicts): return .declined(conflicts.map(\.description))
        case .merged(let bytes):
            try folder.write(bytes, as: .result)
            return .merged(file: folder.file(.result), by: word)
        }
    }
}

extension LinkOutcome {
    /// A link that failed as a whole.
    static func refused(_ reason: String) -> LinkOutcome { .declined([reason]) }
}
