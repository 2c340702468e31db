import FilesinkiFileSystem
import FilesinkiModel

/// The commits that a run was about to publish, noted before it did.
///
/// A run that is killed after its commit came into the log, and before the manifest has recorded it,
/// leaves a base that is older than what this replica itself has published. The note names the
/// commit, so that the next run takes it for what it is: the state that edits made here since are
/// based on. It is not synced to the disk, for a power cut that loses it loses no content: the edits
/// then meet their own commit as a conflict.
struct PublishingNote: Equatable {
    struct Item: Equatable {
        var sequence: UInt64
        /// The commit's 16 random bytes.
        var id: [UInt8]
    }

    var items: [Item] = []

    init() {}

    /// Reads a note; lines that are none, as a cut one, do not count.
    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "))
            guard parts.count == 2,
                let id = FilesinkiModel.bytes(
                    hexadecimal: String(decoding: parts[1], as: UTF8.self)), id.count == 16,
                let sequence = UInt64(String(decoding: parts[0], as: UTF8.self))
            else { continue }
            items.append(Item(sequence: sequence, id: id))
        }
    }

    var bytes: [UInt8] {
        Array(items.map { "\($0.sequence) \(hexadecimal($0.id))\n" }.joined().utf8)
    }
}
