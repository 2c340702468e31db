import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// What was written in place after a resolve, or under the name of a conflict copy. An undo does not replace it.
extension Conflicts {
    /// Verifies that what is in place is what the resolve has left there, as far as that is known here.
    ///
    /// - Parameters:
    ///   - rows: The conflicts that the resolve has ended.
    ///   - theirs: What the undo writes.
    ///   - copies: The conflict copies that it brings back.
    /// - Throws: Code `usage` if it was edited since. Another device's resolve is no edit.
    func requireNoLaterEdit(
        _ rows: [ConflictRow], _ theirs: Entry, at path: RelativePath, _ copies: [RelativePath]
    ) async throws {
        let noted = try manifest.lastResolves()[path]
        let isNoted = rows.allSatisfy { noted?.conflicts.contains($0.id) == true }
        let chosen = isNoted ? noted?.chosen : nil
        let base = try manifest.base(path)
        let known = [theirs.identity, chosen].compactMap { $0 }
        if let now = try contentInPlace(of: path), now != base?.entry.identity, !known.contains(now)
        {
            throw Failure.editedAfterResolve(path, copies)
        }
        guard let base, let synced = base.entry.identity, !known.contains(synced) else { return }
        if chosen == nil, try !isLater(base.version, than: copies) { return }
        // One that was pruned may be an edit.
        let commit = try? await connected().log.read(base.version)
        let isResolve = commit?.changes.contains { change in
            change.path == path && change.reason == Change.resolved
                || copies.contains(change.path) && change.entry.kind == .tombstone
        }
        guard isResolve == true else { throw Failure.editedAfterResolve(path, copies) }
    }

    /// What an undo of the last resolve of a path is refused with, as what is in place was edited since; nil if it is
    /// not, or if no copy was deleted.
    ///
    /// Reads the log where this replica cannot tell.
    func laterEdit(of path: RelativePath) async throws -> Failure? {
        let rows = try await undoneRows(of: path)
        let copies = rows.compactMap(\.copyPath)
        guard let theirs = rows.last?.theirs, !copies.isEmpty else { return nil }
        do {
            try await requireNoLaterEdit(rows, theirs, at: path, copies)
        } catch let failure as Failure where failure.code == .usage {
            return failure
        }
        return nil
    }

    /// Verifies that the places of the conflict copies are free, or hold what the undo writes there.
    ///
    /// - Throws: Code `usage` for the first that holds something else.
    func requireFree(
        _ copies: [(path: RelativePath, entry: Entry)], toReopen path: RelativePath
    ) throws {
        for copy in copies where try holdsOther(than: copy.entry, at: copy.path) {
            throw Failure.writtenAfterResolve(copy.path, path)
        }
    }

    private func holdsOther(than entry: Entry, at path: RelativePath) throws -> Bool {
        guard let status = try root.status(path) else { return false }
        guard status.kind.entryKind == entry.kind else { return true }
        return switch entry.kind {
        case .file: try contentInPlace(of: path) != (entry.identity ?? entry.content)
        case .symlink: try root.readLink(path) != entry.target
        case .directory, .tombstone: false
        }
    }

    /// Whether a version came after another device had resolved a conflict, which deletes its copy: nothing notes here what it chose.
    private func isLater(_ version: UInt64, than copies: [RelativePath]) throws -> Bool {
        let deletions = try copies.compactMap { try manifest.tombstone($0)?.version }
        guard let last = deletions.max() else { return false }
        return version > last
    }

    /// The options of a run that ends before it changes anything if another device has written in place what this one has not
    /// received, and what the undo would replace.
    func refusingLater(
        at path: RelativePath, than theirs: Entry, _ copies: [RelativePath],
        _ options: SyncOptions
    ) throws -> SyncOptions {
        let shown = try manifest.base(path)?.entry
        let device = config.device
        var options = options
        options.checkFetched = { view in
            guard let change = view.changes[path], change.entry.entry.kind != .tombstone,
                change.isUnseen(beside: shown ?? .tombstone, by: device),
                change.isUnseen(beside: theirs, by: device)
            else { return }
            throw Failure.editedElsewhereAfterResolve(path, copies, change)
        }
        return options
    }
}

extension Failure {
    fileprivate static func editedAfterResolve(
        _ path: RelativePath, _ copies: [RelativePath]
    ) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "It was edited after the resolve, and the undo would replace that.",
            remedy: besideIt(path, copies))
    }

    fileprivate static func writtenAfterResolve(
        _ copy: RelativePath, _ path: RelativePath
    ) -> Failure {
        let (name, resolved) = (ShellWord.path(copy.bytes), ShellWord.path(path.bytes))
        return Failure(
            .usage, path: copy.bytes,
            "It was written after the resolve, and the undo would replace that.",
            remedy: "Move it away first with filesinki mv \(name) NEW, then run filesinki resolve "
                + "--undo \(resolved) again.")
    }

    fileprivate static func editedElsewhereAfterResolve(
        _ path: RelativePath, _ copies: [RelativePath], _ change: RemoteChange
    ) -> Failure {
        Failure(
            .changing, path: path.bytes,
            "\(change.deed) after the resolve, in version \(change.entry.version), and the undo would replace that.",
            remedy: "Run filesinki sync to receive it. " + besideIt(path, copies))
    }

    /// How to have a version that a resolve has not taken, without replacing what is in place.
    private static func besideIt(_ path: RelativePath, _ copies: [RelativePath]) -> String {
        let names = copies.map { ShellWord.path($0.bytes) }.joined(separator: " ")
        return "To have the conflict copy back beside it, run filesinki undelete \(names); "
            + "filesinki log \(ShellWord.path(path.bytes)) lists the other versions."
    }
}
