import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
import Glibc
import Synchronization

/// The folder in which the merges of one round work, and in which their results wait to be stored.
///
/// Nothing in it outlives the round: after a kill the merge is made again.
package final class MergeOutputs: Sendable {
    /// A merged content that neither side had.
    struct Item: Sendable {
        /// The file in the folder.
        var file: RelativePath
        var entry: Entry
    }

    package let path: String
    private let kept = Mutex<[Item]>([])

    /// Makes the folder, empty.
    init(path: String) throws(Failure) {
        self.path = path
        TreeRemoval.remove(path)
        try StateFile.makeFolder(path)
    }

    /// Makes a folder of a new name in another one.
    package convenience init(inside parent: String) throws(Failure) {
        try self.init(path: StateFile.makeScratchFolder(in: parent))
    }

    deinit { remove() }

    /// Removes the folder with everything in it.
    package func remove() { TreeRemoval.remove(path) }

    /// What was merged and is not on either side.
    var items: [Item] { kept.withLock { $0 } }

    /// The file of a merged content.
    func file(_ content: ContentID) -> String { "\(path)/\(content)" }

    /// Keeps what a merge made.
    ///
    /// - Returns: The entry that the path gets. Where the content is that of one side, the entry is that
    ///   side's. Else its time is the later one of both, which does not depend on the device that merges.
    func keepResult(
        of versions: MergeVersions, _ conflict: Conflict, by rule: String
    ) throws -> Resolution {
        let (content, size) = try versions.identifyResult()
        guard let ours = conflict.ours, let theirs = conflict.theirs else {
            return .keepBoth
        }
        let mode = conflict.base?.mode == theirs.mode ? ours.mode : theirs.mode
        if content == ours.content || content == theirs.content {
            var entry = content == ours.content ? ours : theirs
            entry.mode = mode
            return Resolution(.merged(entry), by: rule)
        }
        let entry = Entry.file(
            content, size: size, mode: mode, modified: max(ours.modified, theirs.modified))
        try versions.moveResult(to: file(content))
        let item = Item(file: try RelativePath(content.description), entry: entry)
        kept.withLock { $0.append(item) }
        return Resolution(.merged(entry), by: rule)
    }
}

extension SyncEngine {
    /// Stores what a round has merged, and notes it before anything is written here.
    func keepMerged(
        _ outputs: MergeOutputs, _ steps: [Step], _ run: inout SyncRun
    ) async throws {
        let items = outputs.items
        guard !items.isEmpty, !run.options.isDryRun else { return }
        let result = try await intake(
            items.map { ContentUploader.Item(path: $0.file, size: $0.entry.size) }, run,
            isStoring: true, from: RootFolder(path: outputs.path))
        if let problem = result.problems.first { throw problem.failure }
        run.local.inline += result.inline
        run.local.packs += result.packs
        var note = try mergeNote()
        note.items.removeAll { item in
            (run.base.row(item.path)?.version ?? 0) >= item.theirs.version
                || steps.contains { $0.path == item.path }
        }
        note.items += steps.compactMap(MergeNote.Item.init(step:))
        try StateFile.replace(state.merges, with: note.bytes)
    }

    private func mergeNote() throws -> MergeNote {
        try StateFile.read(state.merges).map(MergeNote.init) ?? MergeNote()
    }

    /// Moves the base of paths whose merge was written here and not recorded to what was committed
    /// when they were merged: what is here is an edit of that.
    func applyNotedMerges(_ run: inout SyncRun) throws {
        let rows = try mergeNote().items.compactMap { item -> BaseRow? in
            guard (run.base.row(item.path)?.version ?? 0) < item.theirs.version,
                run.local.changes[item.path]?.entry?.content == item.merged,
                (run.remote.changes[item.path]?.entry.version ?? 0) >= item.theirs.version
            else { return nil }
            return BaseRow(
                path: item.path, entry: item.theirs.entry, version: item.theirs.version,
                stamp: nil)
        }
        if !rows.isEmpty { run.base = run.base.replacing(rows) }
    }
}

extension BaseIndex {
    /// The same tree with other rows at some paths.
    fileprivate func replacing(_ others: [BaseRow]) -> BaseIndex {
        let paths = Set(others.map(\.path))
        return BaseIndex(rows.filter { !paths.contains($0.path) } + others)
    }
}

/// Merges that were decided and may not be recorded yet.
///
/// A merged content that was written here and not yet published is an edit of what was committed, not
/// of the base of the merge: if it were merged once more, a counter would count twice. The note is
/// for the next round, and after a kill for the next run.
struct MergeNote: Equatable {
    struct Item: Equatable {
        var path: RelativePath
        /// What the merge made.
        var merged: ContentID
        /// What was committed, and went into the merge.
        var theirs: VersionedEntry
    }

    var items: [Item] = []

    init() {}

    /// Reads a note. Skips malformed lines, such as one that was cut.
    init(_ bytes: [UInt8]) {
        items = bytes.noteLines.compactMap(Self.item)
    }

    var bytes: [UInt8] { Array(items.map { Self.line($0) + "\n" }.joined().utf8) }

    private static func line(_ item: Item) -> String {
        let theirs = item.theirs
        return "\(hexadecimal(item.path.bytes)) \(item.merged) \(theirs.version) "
            + theirs.entry.fileWords
    }

    private static func item(_ words: [String]) -> Item? {
        guard words.count == 7, let path = FilesinkiModel.bytes(hexadecimal: words[0]),
            let path = try? RelativePath(path), let merged = ContentID(hexadecimal: words[1]),
            let version = UInt64(words[2]), let entry = Entry(fileWords: words.dropFirst(3))
        else { return nil }
        return Item(path: path, merged: merged, theirs: VersionedEntry(entry, version: version))
    }
}

extension MergeNote.Item {
    /// The merge of a step; nil for a step that merges nothing, or writes nothing here.
    fileprivate init?(step: Step) {
        guard step.reason.isMerge, case .both(let entry) = step.action,
            let theirs = step.theirs
        else { return nil }
        self.init(path: step.path, merged: entry.content, theirs: theirs)
    }
}
