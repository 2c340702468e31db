import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiText

/// Something else in the place of a folder in which a path is to be restored.
struct TakenFolder {
    let path: RelativePath
    let kind: FileStatus.Kind
    /// The command that moves it away.
    let moveAway: String
}

extension Restores {
    /// What is in the place of a folder of a path; nil if nothing but folders is.
    func takenFolder(above path: RelativePath) throws -> TakenFolder? {
        for folder in path.ancestors.reversed() {
            guard let found = try root.status(folder) else { return nil }
            guard found.kind == .directory else {
                return TakenFolder(path: folder, kind: found.kind, moveAway: try moveAway(folder))
            }
        }
        return nil
    }

    /// - Parameter commit: A commit that has what is to be restored.
    /// - Throws: Code `exists` if something else is where a folder of the path has to be.
    func requireFolders(above path: RelativePath, commit: UInt64) throws {
        guard let taken = try takenFolder(above: path) else { return }
        throw Failure.folderIsTaken(path, by: taken, .commit(commit))
    }

    /// The same of what is to be restored as the last run has found it.
    func requireFolders(above deletion: UnsentDeletion) throws {
        let path = deletion.path
        guard let taken = try takenFolder(above: path) else { return }
        // What was in a folder came with its version or later.
        let inside = try deletion.isFolder ? manifest.baseRows(below: path) : []
        let known = try manifest.base(path).map { row -> HistoryPoint in
            deletion.isFolder
                ? .commit(inside.reduce(row.version) { max($0, $1.version) })
                : .version(row.version)
        }
        throw Failure.folderIsTaken(path, by: taken, known)
    }
}

extension Undeletions {
    /// Why paths cannot be restored in whose folders something else is. One that never had a version is like any other
    /// unknown path. Costs the reading of the log if there are any, and once more if there are folders among them.
    func failures(ofTaken paths: [RelativePath]) async throws -> [RelativePath: Failure] {
        var taken: [RelativePath: TakenFolder] = [:]
        for path in paths { taken[path] = try Restores(replica).takenFolder(above: path) }
        guard !taken.isEmpty else { return [:] }
        // Without the remote the history may not be at hand.
        let known = try? await lastPoints(of: Set(taken.keys))
        var failures: [RelativePath: Failure] = [:]
        for (path, folder) in taken {
            if let known, known[path] == nil {
                failures[path] = .noDeletedFile(path, earlier: nil)
            } else {
                failures[path] = .folderIsTaken(path, by: folder, known?[path])
            }
        }
        return failures
    }

    /// Where the history has what `undelete` would bring back of each path: a folder with what was in it, of anything else
    /// the version.
    private func lastPoints(
        of paths: Set<RelativePath>
    ) async throws -> [RelativePath: HistoryPoint] {
        let reader = try await history.historyReader()
        let lives = try await history.lastDeleted(of: paths, in: reader)
        let folders = lives.filter { $0.value.last.change.entry.kind == .directory }
        let inside = try await history.deletedChildren(
            of: folders.compactMapValues(\.end), in: reader)
        var points: [RelativePath: HistoryPoint] = [:]
        for (path, life) in lives {
            let version = life.last.version
            points[path] = .version(version)
            guard folders[path] != nil else { continue }
            let before = life.end.map { max(version, $0.version - 1) } ?? reader.end.sequence
            points[path] = .commit(inside[path]?.commit ?? before)
        }
        return points
    }
}

extension Failure {
    /// - Parameter known: Where the history has what was at the path, as a version only where that is one of the path and
    ///   no folder; nil if that is not known.
    fileprivate static func folderIsTaken(
        _ path: RelativePath, by taken: TakenFolder, _ known: HistoryPoint?
    ) -> Failure {
        var remedy = "Move that away first with \(taken.moveAway)"
        switch known {
        case .commit(let number):
            remedy +=
                ", or write what was here into another folder with filesinki restore "
                + "\(ShellWord.path(path.bytes)) --commit \(number) -o DIR"
        case .version(let number):
            let version = ShellWord.path(path.bytes + Array("@\(number)".utf8))
            remedy += ", or print what was here with filesinki show \(version)"
        case .time, nil: break
        }
        return Failure(
            .exists, path: path.bytes,
            "Cannot be restored: \(taken.path) is a \(taken.kind == .symlink ? "symlink" : "file") now.",
            remedy: remedy + ".")
    }
}
