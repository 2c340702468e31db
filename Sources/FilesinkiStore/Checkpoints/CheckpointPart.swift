internal import FilesinkiModel

/// Some rows of a checkpoint: what one record holds.
struct CheckpointPart: Equatable {
    var entries: ArraySlice<CheckpointRow> = []
    var packs: ArraySlice<PackReference> = []
    var inline: ArraySlice<InlineLocation> = []

    /// What a part may have before it is compressed: 16 MiB. It bounds the memory of who writes or reads
    /// one, and is far below what any store takes as one object.
    static let standardLength = 16 << 20

    /// Every record has the store, the zone and the commit.
    private static let fixedBytes = 1024

    /// A number and an identity, as former contents and contents in commits have.
    private static let pairBytes = 48

    /// The checkpoint cut into parts of at most so many plain bytes each, by upper bounds.
    ///
    /// - Returns: At least one part. A row that exceeds the length alone has a part of its own.
    static func cut(_ checkpoint: Checkpoint, length: Int) -> [CheckpointPart] {
        let room = length - fixedBytes
        var parts = slices(of: checkpoint.entries, room: room, size: size).map {
            CheckpointPart(entries: $0)
        }
        parts += slices(of: checkpoint.packs, room: room) { _ in CommitSize.packBytes }.map {
            CheckpointPart(packs: $0)
        }
        parts += slices(of: checkpoint.inline, room: room) { _ in pairBytes }.map {
            CheckpointPart(inline: $0)
        }
        return joined(parts, room: room)
    }

    /// The whole checkpoint as one part.
    init(_ checkpoint: Checkpoint) {
        entries = checkpoint.entries[...]
        packs = checkpoint.packs[...]
        inline = checkpoint.inline[...]
    }

    private init(
        entries: ArraySlice<CheckpointRow> = [], packs: ArraySlice<PackReference> = [],
        inline: ArraySlice<InlineLocation> = []
    ) {
        self.entries = entries
        self.packs = packs
        self.inline = inline
    }

    private static func size(_ row: CheckpointRow) -> Int {
        CommitSize.rowBytes + row.path.bytes.count + row.entry.entry.target.count
            + row.formerContents.count * pairBytes
    }

    private static func slices<Element>(
        of elements: [Element], room: Int, size: (Element) -> Int
    ) -> [ArraySlice<Element>] {
        var found: [ArraySlice<Element>] = []
        var start = 0
        var used = 0
        for (index, element) in elements.enumerated() {
            let more = size(element)
            if used + more > room, index > start {
                found.append(elements[start..<index])
                start = index
                used = 0
            }
            used += more
        }
        if start < elements.count { found.append(elements[start...]) }
        return found
    }

    /// Puts neighbouring parts of different columns into one where they fit: a small checkpoint is one.
    private static func joined(_ parts: [CheckpointPart], room: Int) -> [CheckpointPart] {
        var found: [CheckpointPart] = []
        for part in parts {
            if let last = found.last, last.size + part.size <= room, let both = last.with(part) {
                found[found.count - 1] = both
            } else {
                found.append(part)
            }
        }
        return found.isEmpty ? [CheckpointPart()] : found
    }

    private var size: Int {
        entries.reduce(0) { $0 + Self.size($1) } + packs.count * CommitSize.packBytes
            + inline.count * Self.pairBytes
    }

    /// Both parts in one; nil when they have a column in common.
    private func with(_ other: CheckpointPart) -> CheckpointPart? {
        guard entries.isEmpty || other.entries.isEmpty, packs.isEmpty || other.packs.isEmpty,
            inline.isEmpty || other.inline.isEmpty
        else { return nil }
        return CheckpointPart(
            entries: entries.isEmpty ? other.entries : entries,
            packs: packs.isEmpty ? other.packs : packs,
            inline: inline.isEmpty ? other.inline : inline)
    }
}
