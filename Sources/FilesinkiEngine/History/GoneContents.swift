import FilesinkiModel

/// Why a content that the log names may be in the store no more.
enum ContentLoss {
    /// A prune has dropped the version.
    case pruned
    /// The store was damaged, and a repair has given the content up.
    case lost
}

/// What the log tells of a path at some time, whose content may be gone.
protocol LoggedFile {
    /// What the path was then.
    var file: Entry { get }
    /// Whether a prune has removed its content.
    var isPruned: Bool { get set }
    /// Whether its content is gone because the store was damaged, and a repair has given it up.
    var isLost: Bool { get set }
}

extension PathVersion: LoggedFile {
    var file: Entry { change.entry }
}

extension DeletionRecord: LoggedFile {
    var file: Entry { entry }
}

extension History {
    /// Marks the files whose content cannot be read any more since a prune or a repair. What another version needs, or
    /// lies in a commit, or was stored again, is there. Asks for the indexes of packs only if something may be gone.
    ///
    /// - Parameter loss: Why the content of a file may be gone; nil where neither a prune nor a repair was about it.
    func markGone<Files: MutableCollection>(
        _ files: inout Files, in reader: HistoryReader, _ loss: (Files.Element) -> ContentLoss?
    ) async throws where Files.Element: LoggedFile {
        var gone: [(index: Files.Index, why: ContentLoss)] = []
        for index in files.indices where files[index].file.kind == .file {
            if let why = loss(files[index]) { gone.append((index, why)) }
        }
        guard !gone.isEmpty else { return }
        let source = try await historyContents(reader)
        try await source.locate(gone.map { files[$0.index].file.content })
        for (index, why) in gone {
            let entry = files[index].file
            if try await isReadable(entry.content, entry.size, source) { continue }
            files[index].isLost = why == .lost
            files[index].isPruned = why == .pruned
        }
    }
}
