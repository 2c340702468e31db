import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiSystem
import Glibc
import Synchronization

/// The folder in which merges of one round work, and in which their results wait to be stored.
///
/// Nothing in it outlives the round: after a kill the merge is made again.
final class MergeOutputs: Sendable {
    /// A merged content that neither side had.
    struct Item: Sendable {
        /// The file in the shelf.
        var file: RelativePath
        var entry: Entry
    }

    let path: String
    private let kept = Mutex<[Item]>([])

    /// Makes the folder, empty.
    init(path: String) throws(Failure) {
        self.path = path
        TreeRemoval.remove(path)
        try StateFile.makeFolder(path)
    }

    deinit { TreeRemoval.remove(path) }

    /// What was merged so far.
    var items: [Item] { kept.withLock { $0 } }

    /// Takes a merged file, and says what the path gets.
    ///
    /// Where the result is what one side has, it is that side's. Else its time is the later one of
    /// the two, which does not depend on who merges.
    func keep(
        _ file: String, of versions: ContestedFiles, by word: String
    ) throws -> Answer {
        let (content, size) = try Self.measure(file)
        var entry = versions.there
        if content == versions.here.content { entry = versions.here }
        entry.mode = versions.mode
        guard content != versions.here.content, content != versions.there.content else {
            return .merged(entry, by: word)
        }
        entry = Entry.file(
            content, size: size, mode: versions.mode,
            modified: max(versions.here.modified, versions.there.modified))
        let name = content.description
        guard rename(file, "\(self.path)/\(name)") == 0 else {
            throw SystemError.last.failure("keep the merged file", file)
        }
        let item = Item(file: try RelativePath(name), entry: entry)
        kept.withLock { $0.append(item) }
        return .merged(entry, by: word)
    }

    private static func measure(_ path: String) throws -> (ContentID, Int64) {
        var hasher = ContentHasher()
        var size: Int64 = 0
        try MergeFolder.stream(path) { bytes in
            hasher.update(bytes)
            size += Int64(bytes.count)
        }
        return (hasher.finish(), size)
    }
}

extension ContestedFiles {
    /// The mode that only one side changed; the committed one where both did.
    fileprivate var mode: UInt16 { base?.mode == there.mode ? here.mode : there.mode }
}
