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
    /// What `undelete` says that brings back a path which was renamed: what it writes is a copy. Nil where the file is not at
    /// another path.
    func renamedNotice(_ path: RelativePath) throws -> Problem? {
        guard let place = try manifest.place(ofRenamed: path), !place.isDeleted else { return nil }
        return Problem(
            path,
            Failure(
                .exists, path: path.bytes,
                "It was renamed to \(place.path), where it still is; this is a copy.",
                remedy: "To remove the copy, run filesinki rm \(ShellWord.path(path.bytes))."))
    }
}
