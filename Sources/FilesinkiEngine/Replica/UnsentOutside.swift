import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// What is not as the store has it, as of the last sync, and that a new choice of paths does not hold.
struct UnsentOutside {
    /// New files that were never sent: they stay here.
    var new: [RelativePath] = []
    /// What is gone here, and in the store. Nobody has named it to a command: with the new choice its absence deletes
    /// nothing.
    var deleted: [RelativePath] = []
    /// Deletions that a command was told by name, and that wait to be sent: they are meant for all devices.
    var named: [RelativePath] = []
    /// Everything else: edits, renames, open conflicts, and what cannot be read.
    var changed: [RelativePath] = []
    /// Those with an open conflict.
    var disputed: Set<RelativePath> = []

    /// Refuses what would be lost, or would not be sent though it is meant to be.
    ///
    /// - Throws: Code `differs`.
    func requireNone() throws(Failure) {
        if let first = changed.first { throw refusal(ofChanged: first) }
        if !named.isEmpty { throw refusalOfNamed() }
    }

    private func refusal(ofChanged first: RelativePath) -> Failure {
        let others =
            switch changed.count {
            case 1: ""
            case 2: " So has 1 more path."
            default: " So have \(changed.count - 1) more paths."
            }
        let message =
            disputed.contains(first)
            ? "It has an open conflict." : "It has changes that are not published."
        let step = "Run filesinki sync, or resolve the conflict, and run the command again."
        let gone = deletions
        guard let text = Self.text(of: gone) else {
            return Failure(.differs, path: first.bytes, message + others, remedy: step)
        }
        let (verb, them) = gone.count == 1 ? ("was", "it") : ("were", "them")
        return Failure(
            .differs, path: first.bytes,
            "\(message)\(others) \(text) \(verb) deleted here: a sync deletes \(them) on all devices.",
            remedy: "To keep \(them) there, first run \(undelete(gone)). " + step)
    }

    private func refusalOfNamed() -> Failure {
        let gone = deletions
        let them = gone.count == 1 ? "it" : "them"
        let first = Set(named).outermost.sorted().first ?? RelativePath(unchecked: [])
        let rest = gone.filter { $0 != first && !first.isInside($0) }
        let verb = rest.count == 1 ? "was" : "were"
        let also = Self.text(of: rest).map { " \($0) \(verb) deleted here, too." } ?? ""
        return Failure(
            .differs, path: first.bytes,
            "Deleted with filesinki delete, which is not sent yet.\(also)",
            remedy: "Run filesinki sync to delete \(them) on all devices, or \(undelete(gone)) to "
                + "keep \(them) there, and run the command again.")
    }

    /// The topmost paths that are gone.
    private var deletions: [RelativePath] { Set(deleted + named).outermost.sorted() }

    /// So many paths are named at most.
    private static let mostNamed = 3

    private func undelete(_ gone: [RelativePath]) -> String {
        let names = gone.prefix(Self.mostNamed).map { ShellWord.path($0.bytes) }
        return "filesinki undelete " + names.joined(separator: " ")
            + (names.count < gone.count ? " and what else filesinki status shows as deleted" : "")
    }

    /// - Returns: Nil for no path.
    private static func text(of paths: [RelativePath]) -> String? {
        guard let first = paths.first else { return nil }
        guard paths.count > 1 else { return "\(first)" }
        return "\(first) and \(CountText.text(paths.count - 1, "more path"))"
    }
}

extension PartialReplica {
    /// What of the base is gone here: neither renamed, nor with an open conflict.
    ///
    /// - Parameter rows: What runs have recorded to be sent.
    func deletions(in run: SyncRun, recorded rows: [LocalRow]) throws -> Set<RelativePath> {
        let changes = run.local.changes
        let gone = Set(changes.filter { $0.value.entry == nil }.keys)
        let renamed = Set(changes.compactMap(\.value.movedFrom) + rows.compactMap(\.movedFrom))
        return try LocalDeletions(replica).others(of: gone, than: renamed)
    }

    /// The files and symlinks, of what was deleted here, that the store keeps.
    func filesKept(of deleted: [RelativePath]) throws -> [RelativePath] {
        try deleted.filter { path in
            guard let row = try manifest.base(path), row.entry.kind != .directory else {
                return false
            }
            return try manifest.remote(path)?.entry.entry.kind != .tombstone
        }
    }
}
