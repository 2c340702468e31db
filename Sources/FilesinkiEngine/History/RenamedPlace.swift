import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// Where a path is that was renamed, perhaps several times.
package struct RenamedPlace: Hashable, Sendable {
    package let path: RelativePath
    /// Whether it was deleted there.
    package let isDeleted: Bool
}

extension ManifestDatabase {
    /// So many renames are followed. Each costs a pass over the journal.
    private static let mostRenames = 20

    /// Where the file of a path is, if a rename was what ended the path; nil if it was not, or the journal does not say so.
    func place(ofRenamed path: RelativePath) throws -> RenamedPlace? {
        var known = path
        for _ in 0..<Self.mostRenames {
            guard let next = try target(ofRenamed: known) else { break }
            known = next
        }
        guard known != path else { return nil }
        if try base(known) != nil { return RenamedPlace(path: known, isDeleted: false) }
        return try tombstone(known).map { _ in RenamedPlace(path: known, isDeleted: true) }
    }

    /// The name that the rename which ended a path gave to its file; nil if none did, or the journal does not say so.
    func target(ofRenamed path: RelativePath) throws -> RelativePath? {
        guard try base(path) == nil, let gone = try tombstone(path), gone.version > 0,
            let row = try journal(of: path, limit: 100).first(where: {
                $0.version == gone.version && $0.rule == Reason.movedWord
            })
        else { return nil }
        return Reason.target(ofMoved: row.note)
    }
}

extension ReplicaPart {
    /// What `undelete` says that brings back paths which were renamed: what it writes are copies. Nothing for a path
    /// whose file is not at another path. Reads the log where the journal does not say where that is.
    func renamedNotices(
        _ paths: [RelativePath], in reader: HistoryReader
    ) async throws -> [Problem] {
        var places: [RelativePath: RenamedPlace] = [:]
        for path in paths { places[path] = try manifest.place(ofRenamed: path) }
        let unknown = Set(paths.filter { places[$0] == nil })
        let renames = try await history.renames(of: unknown, in: reader)
        return paths.compactMap { path -> Problem? in
            if let place = places[path] {
                return place.isDeleted ? nil : Self.renamedNotice(path, place.path)
            }
            return renames[path]?.place.map { Self.renamedNotice(path, $0) }
        }
    }

    private static func renamedNotice(_ path: RelativePath, _ place: RelativePath) -> Problem {
        Problem(
            path,
            Failure(
                .exists, path: path.bytes,
                "It was renamed to \(place), where it still is; this is a copy.",
                remedy: "To remove the copy, run filesinki rm \(ShellWord.path(path.bytes))."))
    }
}
