import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// Opens conflicts again that a resolve has ended.
extension Conflicts {
    /// Undoes the last resolve of a path: the version that was in place has the name again, each conflict copy that the
    /// resolve deleted is back, and the conflicts are open. What the resolve had chosen stays in the history.
    ///
    /// - Parameter name: The path, or a copy that the resolve deleted.
    /// - Throws: Code `not-found` when no resolved conflict of the path is known here, `exists` when it is open, or another one
    ///   was found since, or the file in place is deleted or renamed; `usage` when it was edited in place after the resolve, or
    ///   something else was written in the place of a copy, `changing` when another device has edited it in place.
    func unresolve(
        _ name: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        try await sync.reporting {
            do { return try await reopen(name, options) } catch let failure as Failure
                where failure.code == .away && !failure.isMadeHere
            {
                throw failure.undoingWithoutStore()
            }
        }
    }

    private func reopen(
        _ name: RelativePath, _ options: SyncOptions
    ) async throws -> SyncReport {
        if let ended = try await endedInPlace(name) { throw ended }
        let open = try openRows()
        if open.contains(where: { $0.copyPath == name }) { throw Failure.stillOpen(name) }
        let rows = try await undoneRows(of: name)
        if rows.isEmpty, open.contains(where: { $0.path == name }) {
            throw Failure.stillOpen(name)
        }
        try requireNoDeletion(rows)
        let copies = rows.compactMap { row in
            row.ours.map { (path: self.copy(of: row, $0), entry: $0) }
        }
        guard let path = rows.last?.path, let theirs = rows.last?.theirs,
            copies.count == rows.count
        else { throw Failure.noneEnded(name) }
        try requireEnded(path, copies.map(\.path))
        let paths = [path] + copies.map(\.path)
        try rulesReader.requireSynced([path], options)
        try await requireNoLaterEdit(rows, theirs, at: path, copies.map(\.path))
        try requireFree(copies, toReopen: path)
        let before = try await keepReplaced(
            rows, paths, refusingLater(at: path, than: theirs, copies.map(\.path), options))
        if let before { try rulesReader.requireSynced([path], after: before, options) }
        var options = options
        options.operation = Change.openedAgain
        let reader = try await history.historyReader(after: before)
        let places = copies.map { keptPlace(of: $0.path) }
        if let changed = try await writeBack(theirs, at: path, copies, in: reader) {
            return try await keepOpen(
                paths, [.changedMeanwhile(changed, "restored")], options, after: before)
        }
        try recordReopened(rows, at: path)
        options.basesOfCopies = try await versions(ofBasesOf: rows, at: path, in: reader)
        var report = try await sync.afterChange("Opened again here", at: path) { [options] in
            try await sync.syncPaths(paths, options, after: before)
        }
        try add(said: before, at: path, to: &report)
        report.notices += zip(copies, places).compactMap { keptAsWell($0, at: $1) }
        try journal.record(
            .init(command: Change.openedAgain, note: "Reopened the conflict."), [path])
        return report
    }

    /// Brings what an undo replaces into the history. Where the store was moved, nothing can be sent: then it has to be there.
    ///
    /// - Parameter paths: The path, and the conflict copies.
    private func keepReplaced(
        _ rows: [ConflictRow], _ paths: [RelativePath], _ options: SyncOptions
    ) async throws -> SyncReport? {
        do {
            return try await keepInHistory(paths, .theirs, options)
        } catch let failure as Failure where failure.code == .wrongStore {
            let known =
                try [manifest.base(paths[0])?.entry] + rows.flatMap { [$0.ours, $0.theirs] }
            guard let now = try contentInPlace(of: paths[0]),
                known.contains(where: { $0?.identity == now })
            else { throw failure.undoingNothing() }
            return nil
        }
    }

    /// Where a conflict copy is that was renamed, as by `resolve -i`; nil if it was deleted there.
    private func keptPlace(of copy: RelativePath) -> RelativePath? {
        guard let place = try? manifest.place(ofRenamed: copy) else { return keptName(of: copy) }
        return place.isDeleted ? nil : place.path
    }

    /// Names the file or symlink as which a conflict copy was kept that is back now, as it is there twice; nil if there is none,
    /// or it was edited since.
    private func keptAsWell(
        _ copy: (path: RelativePath, entry: Entry), at place: RelativePath?
    ) -> Problem? {
        guard let place, isInPlace(copy.entry, at: place) else { return nil }
        let what = copy.entry.kind == .symlink ? "target" : "content"
        return Problem(place, .keptAsWell(place, copy.path, what))
    }

    private func isInPlace(_ entry: Entry, at place: RelativePath) -> Bool {
        switch entry.kind {
        case .file: (try? contentInPlace(of: place)) == entry.content
        case .symlink: (try? root.readLink(place)) == entry.target
        default: false
        }
    }

    /// Writes the version that was in place, a folder with what was in it, and the conflict copies.
    ///
    /// - Returns: The path at which something was saved meanwhile, which stays; nil if all is written.
    private func writeBack(
        _ theirs: Entry, at path: RelativePath, _ copies: [(path: RelativePath, entry: Entry)],
        in reader: HistoryReader
    ) async throws -> RelativePath? {
        let contents = try await history.historyContents(reader)
        var wanted = [(path, theirs)]
        if theirs.kind == .directory, try root.status(path)?.kind != .directory {
            wanted += try await history.replacedChildren(of: path, in: reader)
            guard try await editor.write(.tombstone, at: path, from: contents) else { return path }
        }
        wanted += copies.map { ($0.path, $0.entry) }
        try await contents.locate(wanted.lazy.map(\.1).filter { $0.kind == .file }.map(\.content))
        for (target, entry) in wanted where entry.kind != .tombstone {
            guard try await editor.write(entry, at: target, from: contents) else { return target }
        }
        return nil
    }

    /// - Throws: Code `not-found` for a conflict of which one side had deleted the path, with what brings that side back.
    private func requireNoDeletion(_ rows: [ConflictRow]) throws {
        guard let row = rows.first(where: \.isOfDeletion) else { return }
        try requireEnded(row.path, [])
        throw Failure.endedDeletion(row.path, isHere: try root.holds(row.path))
    }

    private func recordReopened(_ rows: [ConflictRow], at path: RelativePath) throws {
        let left = try manifest.openConflicts(at: path)
        let copies = Set(rows.map { row in row.ours.map { self.copy(of: row, $0) } })
        try manifest.write { writer in
            // With its copy back, one that had ended so would be open, too.
            for ended in left where ended.copyPath.map({ copies.contains($0) }) ?? true {
                try writer.resolveConflict(ended.id)
            }
            var opened: [Int64] = []
            for row in rows {
                guard let ours = row.ours else { continue }
                var row = row
                row.copyPath = self.copy(of: row, ours)
                row.state = .open
                row.time = systemContext.now()
                opened.append(try writer.addConflict(row))
            }
            try writer.noteReopened(path, rows.map(\.id), as: opened, in: manifest)
        }
    }

    /// Verifies that conflicts have ended, and that no other one was found since.
    private func requireEnded(_ path: RelativePath, _ copies: [RelativePath]) throws {
        let known = Set(try manifest.lastResolves()[path]?.others ?? [])
        // What a resolve of another device has left open was there before it.
        let ended = try copies.compactMap { try manifest.tombstone($0)?.version }.max() ?? 0
        let isOpen = try openConflicts(at: path).contains { row in
            guard let copy = row.copyPath else { return true }
            if copies.contains(copy) { return true }
            return try !known.contains(copy) && manifest.base(copy)?.version ?? .max > ended
        }
        if isOpen { throw Failure.stillOpen(path) }
    }

    private func copy(of row: ConflictRow, _ ours: Entry) -> RelativePath {
        row.copyPath
            ?? conflictName(
                for: row.path, device: config.device, content: ours.identity ?? ours.content)
    }
}

extension ConflictRow {
    /// Whether one side had deleted the path. Nothing has that side's version, so no copy can be made of it.
    var isOfDeletion: Bool {
        copyPath == nil && [ours, theirs].contains { ($0?.kind ?? .tombstone) == .tombstone }
    }
}

extension Failure {
    fileprivate static func endedDeletion(_ path: RelativePath, isHere: Bool) -> Failure {
        let name = ShellWord.path(path.bytes)
        return Failure(
            .notFound, path: path.bytes,
            "One side had deleted it: such a conflict cannot be opened again.",
            remedy: isHere
                ? "To delete it after all, run filesinki rm \(name)."
                : "To bring the file back, run filesinki undelete \(name).")
    }

    /// The same failure, where it stops an undo: what is in place is only here.
    fileprivate func undoingNothing() -> Failure {
        var failure = self
        failure.message += " Nothing was changed here: the history does not have what is in place."
        return failure
    }

    /// The same failure, where the store cannot be reached.
    fileprivate func undoingWithoutStore() -> Failure {
        var failure = self
        failure.remedy +=
            (remedy.isEmpty ? "" : " ")
            + "The undo needs the store: only that knows whether another device has written there since."
        return failure
    }

    fileprivate static func stillOpen(_ path: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes, "The path has an open conflict.",
            remedy: "See it with filesinki conflicts.")
    }

    /// A file has the content of a conflict copy that an undo has brought back, or a symlink its target.
    fileprivate static func keptAsWell(
        _ kept: RelativePath, _ copy: RelativePath, _ what: String
    ) -> Failure {
        Failure(
            .exists, path: kept.bytes,
            "It stays, with the \(what) that is back in \(ShellWord.path(copy.bytes)).",
            remedy: "To remove it, run filesinki rm \(ShellWord.path(kept.bytes)).")
    }

    fileprivate static func noneEnded(_ name: RelativePath) -> Failure {
        Failure(
            .notFound, path: name.bytes, "No resolved conflict was found here.",
            remedy: "See its versions with filesinki log.")
    }
}
