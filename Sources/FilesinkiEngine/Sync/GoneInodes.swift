import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem

/// What is gone from its paths, by inode: tells under which new name it is.
///
/// The inode alone is not enough: file systems reuse that of a deleted file. So either size and time have to be the known ones,
/// or the inode was made no later than the known stamp, which was taken when the old name was still there.
struct GoneInodes {
    private var rows: [UInt64: [BaseRow]] = [:]
    private let now: Timestamp

    /// - Parameter now: A stamp that is later than that was taken before a clock was set back: no time is compared with it.
    init(_ missing: [RelativePath], _ base: BaseIndex, now: Timestamp) {
        self.now = now
        for path in missing {
            guard let row = base.row(path), let stamp = row.stamp else { continue }
            rows[stamp.inode, default: []].append(row)
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The missing path that a new one was renamed from, whether or not it was edited since; nil if there is none.
    ///
    /// Cost: a look at the path if it has the inode of a missing one, and another size or time.
    ///
    /// - Parameter birthTime: When the inode of a path was made; nil if that is unknown.
    func row(
        of path: RelativePath, _ kind: Entry.Kind, _ stamp: FileStamp,
        birthTime: (RelativePath) -> Timestamp?
    ) -> BaseRow? {
        guard let rows = rows[stamp.inode] else { return nil }
        let known = rows.filter {
            $0.entry.kind == kind && $0.stamp?.isSameInode(as: stamp) == true
        }
        if let row = known.last(where: { $0.stamp?.isSame(butForChangeOf: stamp) == true }) {
            return row
        }
        let dated = known.filter { row in row.stamp.map { $0.changed <= now } ?? false }
        guard !dated.isEmpty, let born = birthTime(path) else { return nil }
        return dated.last { row in row.stamp.map { born <= $0.changed } ?? false }
    }
}
