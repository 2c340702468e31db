import FilesinkiHashing
import FilesinkiModel

@testable import FilesinkiStore

extension Commit {
    /// A commit that was never stored, for what only reads commits.
    init(
        _ sequence: UInt64, _ changes: [Change] = [], superseded: [Change] = [],
        packs: [PackReference] = [], pruning: Pruning? = nil, by device: UInt8 = 1,
        refused: [RefusedRow] = []
    ) {
        var draft = CommitDraft(
            device: Device(id: [UInt8](repeating: device, count: 16), name: "\(device)"),
            time: Timestamp(nanoseconds: Int64(sequence)), changes: changes, operation: "sync")
        draft.superseded = superseded
        draft.packs = packs
        draft.pruning = pruning
        self.init(
            draft, sequence: sequence, id: [UInt8](repeating: UInt8(sequence & 0xFF), count: 16),
            parent: .none,
            record: CommitRecord(archived: [], hash: ContentHasher.hash([UInt8(sequence & 0xFF)])),
            refused: refused)
    }
}

extension Change {
    /// A file of this text; nil for a deletion.
    init(
        _ path: String, _ text: String?, mode: UInt16 = 0o644, movedFrom: String? = nil,
        reason: String = ""
    ) {
        self.init(
            path: RelativePath(unchecked: Array(path.utf8)),
            entry: text.map { Entry.made($0, mode: mode) } ?? .tombstone, basedOn: 0,
            movedFrom: movedFrom.map { RelativePath(unchecked: Array($0.utf8)) }, reason: reason)
    }
}

extension Entry {
    /// A file of this text.
    static func made(_ text: String, mode: UInt16 = 0o644) -> Entry {
        .file(
            ContentHasher.hash(Array(text.utf8)), size: Int64(text.utf8.count), mode: mode,
            modified: Timestamp(nanoseconds: 1))
    }
}
