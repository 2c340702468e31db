import FilesinkiManifest
import FilesinkiModel
import FilesinkiText

/// What a folder had, and has not after `undelete` has brought it back.
private struct LeftInFolder {
    var deleted: [RelativePath] = []
    /// What was renamed and is elsewhere, as the log tells: not what the journal tells of.
    var moved: [DeletedFolder.Move] = []
}

extension Restores {
    /// In so many folders is looked for what was deleted in them earlier.
    private static let hintedFolders = 20

    /// Says what is still deleted in a folder that another device has brought back: it may have only a part of it.
    func noteStillDeleted(in folder: RelativePath, _ report: inout RestoreReport) async throws {
        let left = try await left(in: folder, report)
        note(left.moved, in: folder, &report)
        if let first = left.deleted.first {
            report.notices.append(
                Problem(folder, .stillDeleted(in: folder, left.deleted.count, first)))
        }
    }

    /// Says what had been deleted in restored folders before they were deleted, or renamed out of them, and does not
    /// come back with them.
    ///
    /// - Parameters:
    ///   - folders: Only these are looked at, and those of them that were restored.
    ///   - later: What the same command brings back after them, with what was in it.
    func noteDeletedEarlier(
        in folders: some Sequence<RelativePath>, before later: [RelativePath] = [],
        _ report: inout RestoreReport
    ) async throws {
        let coming = Set(later)
        let tops = Set(folders).intersection(report.folders).outermost.sorted()
        for folder in tops.prefix(Self.hintedFolders) {
            let left = try await left(in: folder, before: coming, report)
            note(left.moved, in: folder, &report)
            if let first = left.deleted.first {
                report.notices.append(
                    Problem(folder, .deletedEarlier(in: folder, left.deleted.count, first)))
            }
        }
    }

    /// Says where that is which was renamed out of a folder, unless that was said.
    private func note(
        _ moved: [DeletedFolder.Move], in folder: RelativePath, _ report: inout RestoreReport
    ) {
        guard !report.notices.contains(where: { $0.path == folder }),
            let notice = DeletedFolder(movedOut: moved).notice(of: folder)
        else { return }
        report.notices.append(notice)
    }

    /// What is not in a folder any more, without what the command has brought back or has said that it cannot bring
    /// back. Reads the log where something was deleted as far as the journal tells: a partial replica has no note of
    /// what was renamed out of it, nor has any replica of what was renamed before it was made.
    private func left(
        in folder: RelativePath, before coming: Set<RelativePath> = [], _ report: RestoreReport
    ) async throws -> LeftInFolder {
        let known = Set(report.restored + report.unchanged + report.problems.map(\.path))
        let rows = try status.tombstones([folder])
        var names = try RenamedNames(manifest)
        let doubtful = names.others(of: rows).filter {
            $0.path.isInside(folder) && !known.contains($0.path) && !$0.path.isAtOrInside(coming)
        }
        guard !doubtful.isEmpty else { return LeftInFolder() }
        let paths = Set(doubtful.map(\.path))
        // A hint only: what was to be done is done, whatever the log says.
        let renames = (try? await renames(of: paths, after: report.sync)) ?? [:]
        names.add(renames)
        var left = LeftInFolder()
        for row in names.others(of: rows) where paths.contains(row.path) {
            if try !manifest.isResolvedCopy(row) { left.deleted.append(row.path) }
        }
        for path in paths {
            guard let place = renames[path]?.place else { continue }
            left.moved.append(DeletedFolder.Move(path: path, goal: place))
        }
        left.deleted.sort()
        left.moved.sort { $0.path < $1.path }
        return left
    }

    private func renames(
        of paths: Set<RelativePath>, after before: SyncReport?
    ) async throws -> [RelativePath: RenameTrail.End] {
        let reader = try await history.historyReader(after: before)
        return try await history.renames(of: paths, in: reader)
    }
}

extension Failure {
    fileprivate static func stillDeleted(
        in folder: RelativePath, _ count: Int, _ first: RelativePath
    ) -> Failure {
        let others = count == 1 ? "is" : "and \(CountText.text(count - 1)) more in it are"
        return Failure(
            .exists, path: folder.bytes,
            "Another device has brought the folder back, not all that was in it: \(first) \(others) still deleted.",
            remedy: bringBack(in: folder))
    }

    fileprivate static func deletedEarlier(
        in folder: RelativePath, _ count: Int, _ first: RelativePath
    ) -> Failure {
        let what =
            count == 1
            ? "\(first) was deleted in it earlier, and stays deleted."
            : "\(first) and \(CountText.text(count - 1)) more were deleted in it earlier, and stay deleted."
        return Failure(.exists, path: folder.bytes, what, remedy: bringBack(in: folder))
    }

    private static func bringBack(in folder: RelativePath) -> String {
        "To bring that back, too, run filesinki undelete "
            + "\(ShellWord.path(folder.bytes + Array("/*".utf8)))."
    }
}
