import FilesinkiModel

/// Merges that were decided and may not be recorded yet.
///
/// A merged content that was written here and not yet published is an edit upon what was committed,
/// not upon the base of the merge: were it merged once more, a counter would count twice. The note
/// says so to the next round, and after a kill to the next run.
struct MergeNote: Equatable {
    struct Item: Equatable {
        var path: RelativePath
        /// What the merge made.
        var merged: ContentID
        /// What was committed, and went into the merge.
        var there: VersionedEntry
    }

    var items: [Item] = []

    init() {}

    /// Reads a note; lines that are none, as a cut one, do not count.
    init(_ bytes: [UInt8]) {
        items = bytes.split(separator: UInt8(ascii: "\n")).compactMap(Self.item)
    }

    var bytes: [UInt8] { Array(items.map { Self.line($0) + "\n" }.joined().utf8) }

    private static func line(_ item: Item) -> String {
        let there = item.there
        return "\(hexadecimal(item.path.bytes)) \(item.merged) \(there.version) "
            + there.entry.fileWords
    }

    private static func item(_ line: ArraySlice<UInt8>) -> Item? {
        let words = line.split(separator: UInt8(ascii: " ")).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard words.count == 7, let path = FilesinkiModel.bytes(hexadecimal: words[0]),
            let path = try? RelativePath(path), let merged = ContentID(hexadecimal: words[1]),
            let version = UInt64(words[2]), let entry = Entry(fileWords: words.dropFirst(3))
        else { return nil }
        return Item(path: path, merged: merged, there: VersionedEntry(entry, version: version))
    }
}
