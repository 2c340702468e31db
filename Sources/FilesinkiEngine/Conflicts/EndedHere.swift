import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore
import FilesinkiText

/// A conflict that has ended on this device, by a resolve, or because its copy was removed.
extension Conflicts {
    /// That a conflict has ended on this device, what is in place, and how it is opened again; nil if none has, or if it is not
    /// known.
    ///
    /// - Parameter name: The path, or a conflict copy.
    func endedHere(_ name: RelativePath) async throws -> Failure? {
        guard let rows = try? await undoneRows(of: name), let last = rows.last else { return nil }
        let path = last.path
        let noted = try manifest.lastResolves()[path]?.conflicts ?? []
        let isResolved = rows.allSatisfy { noted.contains($0.id) }
        if !isResolved {
            guard try await isCopyRemovedHere(last) else { return nil }
        }
        let isOfDeletion = rows.contains(where: \.isOfDeletion)
        // What was deleted later is no end of the conflict.
        guard try isOfDeletion || manifest.base(path) != nil else { return nil }
        let deed = isResolved ? "It was resolved here" : "Its conflict copy was removed here"
        if let edited = await editedSince(path, .notFound, deed) { return edited }
        let word = ShellWord.path(path.bytes)
        return Failure(
            .notFound, path: path.bytes, "\(deed): \(try inPlaceNow(path)).",
            remedy: isOfDeletion
                ? "filesinki log \(word) lists its versions."
                : "To choose otherwise, open it again first: filesinki resolve --undo \(word).")
    }

    /// The same as ``inPlace(_:)``, of what is not published, too.
    private func inPlaceNow(_ path: RelativePath) throws -> String {
        guard let now = try contentInPlace(of: path),
            try manifest.base(path)?.entry.identity != now
        else { return try inPlace(path) }
        return "what is in place is not sent yet"
    }

    /// Whether the copy of a conflict was removed, or got another name, on this device.
    ///
    /// Costs a request if that was sent.
    private func isCopyRemovedHere(_ row: ConflictRow) async throws -> Bool {
        guard row.state == .open, let copy = row.copyPath else { return false }
        guard let removed = try manifest.tombstone(copy)?.version else {
            return try manifest.base(copy) != nil
        }
        let device = try? await connected().log.read(removed)?.device
        return device?.id == config.device.id
    }
}
