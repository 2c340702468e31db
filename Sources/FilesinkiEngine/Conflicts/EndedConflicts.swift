import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// Which conflicts have ended last at a path, for an undo.
///
/// A replica has rows of those that it has found, or resolved. Of others it knows their deleted copies, by name.
extension Conflicts {
    /// The conflicts that ended last, together, at a path; none if this replica knows of none.
    ///
    /// - Parameter name: The path, or a copy that was deleted.
    /// - Throws: Code `not-found` for a copy that the last resolve did not delete; what the log throws.
    func undoneRows(of name: RelativePath) async throws -> [ConflictRow] {
        let all = try manifest.conflicts()
        let path =
            (all.last { $0.path == name } ?? all.last { $0.copyPath == name })?.path
            ?? conflictOriginal(of: name)?.path ?? name
        var last = try endedRows(of: path, all.filter { $0.path == path })
        if let received = try receivedEnd(of: path, besides: last) {
            last = try await received.rows(of: path, self)
        } else {
            for index in last.indices { last[index] = try await withVersionInPlace(last[index]) }
        }
        if path != name, !last.isEmpty, !last.contains(where: { $0.copyPath == name }) {
            throw Failure.notLast(name, of: path)
        }
        return last
    }

    /// - Parameter rows: All conflicts of the path.
    private func endedRows(
        of path: RelativePath, _ rows: [ConflictRow]
    ) throws -> [ConflictRow] {
        // Its copy was removed, or has another name now.
        let left = try rows.last { try $0.state == .open && isCopyGone($0) }
        let noted = try manifest.lastResolves()[path]?.conflicts ?? []
        var last = rows.filter { noted.contains($0.id) }
        if last.isEmpty { last = rows.last { $0.state == .resolved }.map { [$0] } ?? [] }
        if let left, left.id > last.last?.id ?? 0 { last = [left] }
        return last
    }

    /// The conflicts of a path that ended last in the store, if this replica has no rows of them, and none that ended later.
    func receivedEnd(
        of path: RelativePath, besides known: [ConflictRow] = []
    ) throws -> ReceivedEnd? {
        guard try manifest.base(path) != nil else { return nil }
        let copies = try deletedCopies(of: path)
        guard let version = copies.map(\.version).max() else { return nil }
        for row in known {
            guard let copy = row.copyPath, let deleted = copies.first(where: { $0.path == copy }),
                deleted.version < version
            else { return nil }
        }
        return ReceivedEnd(
            version: version, copies: copies.filter { $0.version == version }.map(\.path).sorted())
    }

    /// The conflict copies of a path that were deleted.
    func deletedCopies(of path: RelativePath) throws -> [TombstoneRow] {
        let rows = try path.parent.map(manifest.tombstones(below:)) ?? manifest.loadTombstones()
        return rows.filter { conflictOriginal(of: $0.path)?.path == path }
    }

    /// A conflict whose copy somebody has removed, with what was in place then: it may have been merged there by hand. What
    /// a resolve has put in place is not a version of the conflict.
    private func withVersionInPlace(_ row: ConflictRow) async throws -> ConflictRow {
        let noted = try manifest.lastResolves()[row.path]?.conflicts ?? []
        guard row.state == .open, !noted.contains(row.id), let copy = row.copyPath,
            let base = try manifest.base(row.path), base.entry.kind == .file,
            row.theirs?.hasSameContent(as: base.entry) == false
        else { return row }
        if let removed = try manifest.tombstone(copy)?.version {
            guard base.version <= removed else { return row }
            let commit = try? await connected().log.read(base.version)
            let change = commit?.changes.first { $0.path == row.path }
            if base.version == removed, change?.isChoice(of: row.ours) == true { return row }
        }
        var row = row
        row.theirs = base.entry
        return row
    }
}

/// Conflicts of a path that ended in a commit of another device, or without a row here.
struct ReceivedEnd: Equatable, Sendable {
    /// The version that deleted the copies.
    var version: UInt64
    var copies: [RelativePath]

    /// The conflicts, with the versions of the log. Reads the log.
    ///
    /// - Returns: None if the versions are not there any more.
    fileprivate func rows(
        of path: RelativePath, _ conflicts: Conflicts
    ) async throws -> [ConflictRow] {
        let history = conflicts.history
        let reader = try await history.historyReader()
        let own = try await history.versions(of: path, in: reader)
            .filter { !$0.isSuperseded && $0.version <= version }
        var rows: [ConflictRow] = []
        for copy in copies {
            let made = try await history.versions(of: copy, in: reader)
                .last { $0.version < version && $0.isReadable }?.change.entry
            guard let made else { return [] }
            let isChoice =
                own.last?.version == version && own.last?.change.isChoice(of: made) == true
            guard let theirs = isChoice ? own.dropLast().last : own.last, theirs.isReadable else {
                return []
            }
            rows.append(
                ConflictRow(
                    path: path, base: nil, ours: made, theirs: theirs.change.entry,
                    copyPath: copy, rule: Conflicts.receivedRule, time: made.modified))
        }
        return rows
    }
}

extension PathVersion {
    fileprivate var isReadable: Bool {
        change.entry.kind != .tombstone && !isPruned && !isLost
    }
}

extension Change {
    /// Whether a resolve has put this in place, with its word or with the content of the copy that it deletes: one that was sent
    /// later has no word.
    fileprivate func isChoice(of copy: Entry?) -> Bool {
        reason == Change.resolved || copy?.hasSameContent(as: entry) == true
    }
}

extension Failure {
    fileprivate static func notLast(_ copy: RelativePath, of path: RelativePath) -> Failure {
        Failure(
            .notFound, path: copy.bytes,
            "This copy was not deleted by the last resolve of \(printable(path.bytes)).",
            remedy: "To bring it back, run filesinki undelete PATH with its name.")
    }
}
