package import FilesinkiModel
import FilesinkiStore

/// What a commit changed of contents, and the trees that have the contents.
package struct CommitChanges: Sendable {
    /// What it did to one path that has a content, or had one.
    package struct Item: Sendable {
        package var path: RelativePath
        /// What the path had before, under its former name if it was renamed; nil if it was new.
        package var before: VersionedEntry?
        /// The name that it had before.
        package var pathBefore: RelativePath
        /// What had the path before something else was renamed to it; nil where nothing did, or where that was renamed, too.
        package var replaced: VersionedEntry?
        /// What it has since; nil if it was deleted.
        package var after: Entry?
    }

    package let sequence: UInt64
    /// In path order. Folders, which have no content, are left out.
    package let items: [Item]
    /// The tree before the commit, of the changed paths; nil if nothing of them was there.
    package let before: TreeAtPoint?
    /// The tree after it; nil if it only deleted.
    package let after: TreeAtPoint?
}

extension History {
    /// Reads what a commit changed of contents, compared with the commit before it. The log is read up to the commit.
    ///
    /// - Throws: Code `not-found` if there is no such commit; as ``versions(of:)``.
    func changes(of number: UInt64) async throws -> CommitChanges {
        let reader = try await historyReader()
        var found: Commit?
        if number > 0, number <= reader.end.sequence {
            try await reader.forEach(upTo: number) { commit in
                if commit.sequence == number { found = commit }
                return true
            }
        }
        guard let commit = found else {
            throw Failure.commitNotFound(number, last: reader.end.sequence)
        }
        let origins = commit.oldNames
        let touched = commit.changes.touched(for: commit.changes)
        let changes = commit.changes.compactMap { change -> Change? in
            guard change.entry.kind != .tombstone || !origins.contains(change.path) else {
                return nil
            }
            var change = change
            change.movedFrom = change.origin(touched)
            return change
        }
        let before = try await tree(before: number, of: changes, in: reader)
        let present = changes.filter(\.entry.hasContent).map(\.path)
        // No paths would be all of them.
        let after =
            present.isEmpty
            ? nil : try await TreeAtPoint(at: .commit(number), of: present, in: reader)
        return CommitChanges(
            sequence: number,
            items: changes.compactMap { $0.item(in: before, movedAway: origins) }
                .sorted { $0.path < $1.path },
            before: before, after: after)
    }

    /// The tree before a commit, of the paths that its changes replaced or renamed; nil if there are none.
    private func tree(
        before number: UInt64, of changes: [Change], in reader: HistoryReader
    ) async throws -> TreeAtPoint? {
        let known = changes.filter { change in
            change.basedOn > 0 || change.movedFrom != nil || change.entry.kind == .tombstone
        }
        guard number > 1, !known.isEmpty else { return nil }
        return try await TreeAtPoint(
            at: .commit(number - 1), of: known.flatMap(\.pathsBefore), in: reader)
    }
}

extension Change {
    /// Where that was which the change replaced or renamed.
    fileprivate var pathsBefore: [RelativePath] {
        guard let movedFrom else { return [path] }
        return basedOn > 0 ? [movedFrom, path] : [movedFrom]
    }

    /// What the change did to a content; nil if neither it nor what was there before has one.
    ///
    /// - Parameter movedAway: The paths from which the commit has renamed something.
    fileprivate func item(
        in before: TreeAtPoint?, movedAway: Set<RelativePath>
    ) -> CommitChanges.Item? {
        let pathBefore = movedFrom ?? path
        let old = before?.content(at: pathBefore)
        let new = entry.hasContent ? entry : nil
        guard old != nil || new != nil else { return nil }
        let isReplacing = movedFrom != nil && basedOn > 0 && !movedAway.contains(path)
        return CommitChanges.Item(
            path: path, before: old, pathBefore: pathBefore,
            replaced: isReplacing ? before?.content(at: path) : nil, after: new)
    }
}

extension TreeAtPoint {
    /// What is at a path, if it has a content.
    fileprivate func content(at path: RelativePath) -> VersionedEntry? {
        state(of: path).flatMap { $0.entry.hasContent ? $0 : nil }
    }
}

extension Entry {
    fileprivate var hasContent: Bool { kind == .file || kind == .symlink }
}

extension Failure {
    /// The log has no commit of this number.
    static func commitNotFound(_ number: UInt64, last: UInt64) -> Failure {
        Failure(
            .notFound, "Commit \(number) was not found.", remedy: "The last commit is \(last).")
    }
}
