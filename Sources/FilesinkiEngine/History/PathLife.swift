import FilesinkiModel
import FilesinkiText

/// A time in which a path held something: from when it came until it was deleted, was renamed, or gave its name to something of
/// another kind.
struct PathLife {
    /// The last version of it.
    let last: PathVersion
    /// The version that ended it; nil if nothing did.
    let end: PathVersion?
    /// What had taken the place of a deleted folder, and was sent only to be deleted with it; nil for nothing.
    var cover: PathVersion?

    init(last: PathVersion, end: PathVersion?) {
        self.last = last
        self.end = end
    }

    /// Whether it was renamed: what was here is at another path.
    var isMovedAway: Bool { end?.isMovedAway ?? false }

    /// What `undelete` says of what does not come back because the folder does; nil for nothing.
    func noticeOfCover(at path: RelativePath) -> Problem? {
        guard let cover else { return nil }
        let entry = cover.change.entry
        let what = entry.kind == .symlink ? "symlink to \(printable(entry.target))" : "file"
        let version = ShellWord.path(path.bytes + Array("@\(cover.version)".utf8))
        return Problem(
            path,
            Failure(
                .exists, path: path.bytes,
                "Before it was deleted, a \(what) was in its place, and was deleted with it.",
                remedy: "To print that, run filesinki show \(version)."))
    }
}

extension [PathVersion] {
    /// What `undelete` brings back: the last life that was deleted, else the last one. What was renamed is still there.
    var lastDeleted: PathLife? {
        reduce(into: LastDeletedLife()) { life, version in life.add(version) }.life
    }
}

extension PathVersion {
    fileprivate func isSameKind(as other: PathVersion) -> Bool {
        (change.entry.kind == .directory) == (other.change.entry.kind == .directory)
    }
}

/// The same of one path while the log is read. Holds a few versions only, however many there are.
struct LastDeletedLife {
    private var current: PathVersion?
    private var deleted: PathLife?
    /// The deleted life before that one.
    private var deletedBefore: PathLife?
    private var ended: PathLife?

    /// What `undelete` brings back of the versions so far.
    var life: PathLife? {
        if let current { return PathLife(last: current, end: nil) }
        return deleted ?? ended
    }

    /// Adds the next version of the path. What lost a conflict belongs to the life in which it did.
    mutating func add(_ version: PathVersion) {
        let isGone = version.change.entry.kind == .tombstone
        if let known = current, isGone || !version.isSameKind(as: known) {
            if version.isSuperseded { return }
            if isGone, isCover(known) {
                deleted?.cover = known
                current = nil
                return
            }
            let life = PathLife(last: known, end: version)
            ended = life
            if !life.isMovedAway { (deletedBefore, deleted) = (deleted, life) }
            current = nil
        }
        guard !isGone else { return }
        if current == nil, !version.isSuperseded { goOn(with: version) }
        current = version
    }

    /// Whether a version took the place of a folder when a command deleted that, and nothing came after it.
    private func isCover(_ version: PathVersion) -> Bool {
        version.isOfDeletion && deleted?.end?.version == version.version
            && deleted?.last.change.entry.kind == .directory
    }

    /// Forgets the last deleted life where its file is back: what becomes of the file now is what became of it.
    private mutating func goOn(with version: PathVersion) {
        // A folder has no content by which it could be known again, and what was renamed to the path is another file.
        guard let known = deleted?.last.change.entry, known.kind != .directory,
            version.change.movedFrom == nil,
            known.hasSameContent(as: version.change.entry)
        else { return }
        (deletedBefore, deleted) = (nil, deletedBefore)
    }
}
