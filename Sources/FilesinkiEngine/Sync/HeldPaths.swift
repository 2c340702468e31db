import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
package import FilesinkiRules
import FilesinkiSystem
import FilesinkiText

extension StateFolder {
    /// The note of the replica's choice.
    ///
    /// - Throws: Code `corrupt` for an invalid one, because any guess could remove or fetch what was not
    ///   meant.
    package func choiceNote() throws(Failure) -> PathChoiceNote {
        guard let bytes = try StateFile.read(only) else { return PathChoiceNote(nil) }
        if let note = PathChoiceNote(bytes) { return note }
        throw Failure(
            .corrupt, path: only, "The list of chosen paths is damaged.",
            remedy:
                "Remove the file for a complete replica, or run filesinki only set PATH… after it.")
    }
}

extension Failure {
    /// A path was named that is outside of the chosen ones.
    package static func notHeld(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes, "Outside of the paths that this replica holds.",
            remedy: "Add it with filesinki only add \(ShellWord.path(path.bytes)), then sync.")
    }

    /// A path was named at which nothing is.
    static func nothingThere(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "No such file or folder.",
            remedy: "List the files with filesinki ls.")
    }

    /// A folder was named of which only a part is here.
    static func partlyHeld(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes, "This replica holds only a part of the folder.",
            remedy: "Add all of it with filesinki only add \(ShellWord.path(path.bytes)), then "
                + "sync; or give paths that are here.")
    }

    /// What brings back, in a partial replica, what was at a path that it does not hold.
    ///
    /// - Parameter version: A commit with which it was there.
    static func remedyElsewhere(_ path: RelativePath, version: UInt64) -> String {
        "Write what was there into another folder with filesinki restore "
            + "\(ShellWord.path(path.bytes)) --commit \(version) -o DIR"
    }
}

extension ReplicaPart {
    /// The last commit before the known deletion of a path or of what was below it; nil if none is known.
    func commitBeforeDeletion(of path: RelativePath) throws -> UInt64? {
        let row = try manifest.tombstone(path) ?? manifest.tombstones(below: path).first
        return row.flatMap { $0.version > 1 ? $0.version - 1 : nil }
    }

    /// The command that moves a path out of the way; the system's where a partial replica holds no other name beside it.
    func moveAway(_ path: RelativePath) throws(Failure) -> String {
        if let choice = try rulesReader.choice(), path.parent.map(choice.contains) != true {
            return "mv \(placeWord(path)) NEW"
        }
        return "filesinki mv \(ShellWord.path(path.bytes)) NEW"
    }

    /// A path as an argument of the system's commands, from any folder.
    func placeWord(_ path: RelativePath) -> String {
        ShellWord.path(Array(options.root.utf8) + [UInt8(ascii: "/")] + path.bytes)
    }

    /// Refuses paths that the replica does not hold. One that is nowhere is not found, as in a complete replica:
    /// `only add`, which the refusal of the others names, does not take it.
    ///
    /// - Parameters:
    ///   - parts: Whether a folder of which a part is here is accepted.
    ///   - missing: The failure of a path that is nowhere.
    /// - Throws: Code `usage`, or what `missing` returns.
    func requireHeld(
        _ paths: [RelativePath], parts: Bool = false,
        orElse missing: (RelativePath) throws -> Failure
    ) throws {
        do { try rulesReader.requireHeld(paths, parts: parts) } catch {
            for path in paths where try isNowhere(path) { throw try missing(path) }
            throw error
        }
    }

    /// Whether a path outside of the chosen ones is neither here nor, as of the last sync, in the store.
    private func isNowhere(_ path: RelativePath) throws -> Bool {
        guard let choice = try rulesReader.choice(), !choice.holds(path) else { return false }
        // Before the first sync nothing is known of the store.
        guard try manifest.token != nil else { return false }
        return try !PartialReplica(replica).isKnown(path)
    }

    /// Refuses to bring back a path that the replica does not hold, and says what does. What the store has can be held, also
    /// where it was deleted before, or something in it was.
    ///
    /// - Parameter version: The commit that is to be restored; nil for the last before the deletion.
    /// - Throws: Code `usage`; `not-found` for a path that is nowhere, of which no deletion is known.
    func requireHeld(_ path: RelativePath, at version: UInt64?) throws {
        do { try rulesReader.requireHeld([path]) } catch {
            var failure = error
            let isThere = try PartialReplica(replica).isInStore(path)
            let deletion = isThere ? nil : try commitBeforeDeletion(of: path)
            guard let version = version ?? deletion else {
                throw try isNowhere(path) ? Failure.noDeletedFile(path, earlier: nil) : failure
            }
            let elsewhere = Failure.remedyElsewhere(path, version: version)
            failure.remedy =
                deletion == nil
                ? "\(failure.remedy) \(elsewhere)."
                : "\(elsewhere), or bring it back where it is held."
            throw failure
        }
    }
}

extension RemoteView {
    /// Removes the changes of paths that the replica does not hold.
    ///
    /// - Returns: The removed paths at which something is, so that no folder above them is deleted.
    mutating func removeUnheld(by choice: PathChoice?) -> [RelativePath] {
        guard let choice else { return [] }
        let unheld = changes.keys.filter { !choice.holds($0) }
        let present = unheld.filter { changes[$0]?.entry.entry.kind != .tombstone }
        for path in unheld { changes[path] = nil }
        return present
    }
}

extension SyncEngine {
    private static let unheldKey = "unheld-paths"

    /// What is in the root outside of the chosen paths: one notice for a file, or for a folder with all in it. What no earlier
    /// run has found is news, also to who wants to hear of errors only: a user may take the file for synced.
    func unheldNotices(_ run: SyncRun) throws -> [Problem] {
        guard let choice = run.rules.choice else { return [] }
        let found = try unheldPathsToReport(run.rules, choice)
        let bytes = try manifest.value(Self.unheldKey) ?? []
        let known = Set(bytes.split(separator: 0).map { RelativePath(unchecked: Array($0)) })
        if known != Set(found), !run.options.isDryRun {
            let all = Array(found.map(\.bytes).joined(separator: [0]))
            try manifest.write { try $0.setValue(Self.unheldKey, all.isEmpty ? nil : all) }
        }
        return found.map { path in
            let isNew = !known.contains(path)
            return Problem(path, .unheld(path), isUrgent: isNew, isNews: isNew)
        }
    }

    /// What is in the root outside of the chosen paths, without what is in it.
    func unheldPaths(_ rules: RunRules, _ choice: PathChoice) throws -> [RelativePath] {
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        var found: [RelativePath] = []
        var folders = [RelativePath?.none] + choice.paths.flatMap(\.ancestors).map(Optional.some)
        folders = Array(Set(folders))
        for folder in folders {
            for name in try namesIfThere(in: folder) {
                let path = folder?.appending(name) ?? RelativePath(unchecked: name)
                guard !choice.holds(path), !RelativePath.isStateFolder(name),
                    !isCompanion(path, of: choice), let status = try root.status(path),
                    !ignored.contains(path, isDirectory: status.kind == .directory)
                else { continue }
                found.append(path)
            }
        }
        return found.sorted()
    }

    /// What a user may take for synced of what is in the root outside of the chosen paths: not a folder of
    /// which rules ignore everything.
    func unheldPathsToReport(_ rules: RunRules, _ choice: PathChoice) throws -> [RelativePath] {
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        return try unheldPaths(rules, choice).filter { !ignored.fill($0) }
    }

    /// The names in a folder, or in the root; none where the folder is not there.
    func namesIfThere(in folder: RelativePath?) throws -> [[UInt8]] {
        guard let folder else { return try root.names() }
        guard kind(at: folder) == .directory else { return [] }
        return try root.names(in: folder)
    }

    /// Whether the path is a log or a journal of a chosen database.
    private func isCompanion(_ path: RelativePath, of choice: PathChoice) -> Bool {
        ["-wal", "-shm", "-journal"].contains { ending in
            guard path.bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8),
                path.name.count > ending.utf8.count
            else { return false }
            let owner = RelativePath(unchecked: Array(path.bytes.dropLast(ending.utf8.count)))
            return choice.contains(owner) && root.isLive(owner)
        }
    }
}

extension Failure {
    fileprivate static func unheld(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes, "Not synced: outside of the paths that this replica holds.",
            remedy: "Add it with filesinki only add \(ShellWord.path(path.bytes)), or list it in "
                + ".filesinki/ignore.")
    }
}
