import FilesinkiModel

/// Encodes the parts of one checkpoint, and decodes each again to verify it.
struct CheckpointPartEncoder {
    private let coder: CheckpointCoder
    /// Decodes all parts, as a reader does: the bounds and the order of the paths hold over all of
    /// them.
    private var decoder: CheckpointDecoder
    /// The key of the checkpoint's slot, for messages.
    private let key: String

    init(_ coder: CheckpointCoder, _ token: ChangeToken, key: String) {
        self.coder = coder
        self.key = key
        decoder = CheckpointDecoder(token: token)
    }

    /// Encodes the next part.
    ///
    /// - Parameter kind: `checkpoint` for the only part, `checkpointPart` for one of several.
    /// - Throws: `Failure` with code `limit` when the part exceeds the size of one record, or
    ///   when the bytes do not decode to the part.
    mutating func encode(
        _ part: CheckpointRows, as kind: Envelope.Kind
    ) throws(Failure) -> [UInt8] {
        let stored = try coder.encode(part, of: decoder.token, as: kind)
        do {
            try coder.add(stored, as: kind, to: &decoder, key: key)
        } catch {
            throw .notReadable(key, cause: error)
        }
        var (entries, packs, inline) = (part.entries[...], part.packs[...], part.inline[...])
        var lost = part.lost[...]
        while let found = decoder.next(atMost: CheckpointReader.batchSize) {
            guard found.refused.isEmpty, found.pruned == part.pruned,
                entries.removePrefix(equalTo: found.entries),
                packs.removePrefix(equalTo: found.packs),
                inline.removePrefix(equalTo: found.inline),
                lost.removePrefix(equalTo: found.lost)
            else { throw .notReadable(key, cause: found.refused.first?.failure) }
        }
        guard entries.isEmpty, packs.isEmpty, inline.isEmpty, lost.isEmpty else {
            throw .notReadable(key, cause: nil)
        }
        return stored
    }
}

extension ArraySlice where Element: Equatable {
    /// Removes the first elements if they equal `prefix`.
    ///
    /// - Returns: Whether they do.
    fileprivate mutating func removePrefix(equalTo prefix: [Element]) -> Bool {
        guard starts(with: prefix) else { return false }
        removeFirst(prefix.count)
        return true
    }
}

/// Cuts the rows of a checkpoint into parts of at most so many plain bytes each, estimated by upper
/// bounds. A row that alone exceeds them becomes a part of its own.
///
/// The rows of each column are cut first; then neighbouring parts of different columns are joined
/// where both fit, so that a small checkpoint is one part. Memory holds two parts at most.
struct CheckpointCutter {
    private enum Column { case entries, packs, inline, lost }

    private struct Part {
        var rows = CheckpointRows()
        var size = 0

        /// The two parts as one. No column may have rows in both.
        func joined(with later: Part) -> Part {
            var both = self
            both.rows.entries += later.rows.entries
            both.rows.packs += later.rows.packs
            both.rows.inline += later.rows.inline
            both.rows.lost += later.rows.lost
            both.size += later.size
            return both
        }
    }

    /// The maximum length of a part before compression: 16 MiB. It bounds the memory of writers and
    /// readers, and is far below the maximum object size of every known remote.
    static let standardLength = 16 << 20

    /// The length of the fields that every record has: store, zone and commit.
    private static let fixedBytes = 1024

    /// The length of a number with a content's id: a row of `formerContents` or `inline`.
    private static let pairBytes = 48

    private let room: Int
    /// Parts that nothing can be added to.
    private var finished: [CheckpointRows] = []
    /// The last rows of the columns before ``column``, which the first ones of it may join.
    private var previous: Part?
    private var current = Part()
    private var column = Column.entries
    private var pruned: UInt64 = 0

    /// - Parameter length: The maximum length of a part, in bytes.
    init(length: Int) { room = length - Self.fixedBytes }

    /// Adds the next rows.
    ///
    /// - Returns: The parts that are finished.
    mutating func add(_ rows: CheckpointRows) -> [CheckpointRows] {
        pruned = max(pruned, rows.pruned)
        for row in rows.entries {
            makeRoom(Self.size(row), in: .entries)
            current.rows.entries.append(row)
        }
        for pack in rows.packs {
            makeRoom(CommitSize.packBytes, in: .packs)
            current.rows.packs.append(pack)
        }
        for content in rows.inline {
            makeRoom(Self.pairBytes, in: .inline)
            current.rows.inline.append(content)
        }
        for content in rows.lost {
            makeRoom(Self.pairBytes, in: .lost)
            current.rows.lost.append(content)
        }
        defer { finished = [] }
        return finished.map(markPruned)
    }

    /// The last parts: at least one if none was finished before.
    mutating func finish() -> [CheckpointRows] {
        closeCurrent()
        return (finished + [(previous ?? Part()).rows]).map(markPruned)
    }

    private func markPruned(_ rows: CheckpointRows) -> CheckpointRows {
        var rows = rows
        rows.pruned = pruned
        return rows
    }

    private static func size(_ row: CheckpointRow) -> Int {
        CommitSize.rowBytes + row.path.bytes.count + row.entry.entry.target.count
            + row.formerContents.count * pairBytes
    }

    private mutating func makeRoom(_ size: Int, in column: Column) {
        if column != self.column {
            closeCurrent()
            self.column = column
        } else if current.size > 0, current.size + size > room {
            closeCurrent()
            // The next rows are of the same column and cannot join it.
            finishPrevious()
        }
        current.size += size
    }

    /// Joins the current rows to the previous ones if both fit into one part.
    private mutating func closeCurrent() {
        guard current.size > 0 else { return }
        if let last = previous, last.size + current.size > room { finishPrevious() }
        previous = previous?.joined(with: current) ?? current
        current = Part()
    }

    private mutating func finishPrevious() {
        if let previous { finished.append(previous.rows) }
        previous = nil
    }
}
