internal import FilesinkiModel

/// Turns rows into columns.
enum RowsEncoder {
    /// In `kinds`: the row has an element in `contents`.
    static let hasContent: UInt8 = 0x10
    /// In `kinds`: the row has an element in `targets`.
    static let hasTarget: UInt8 = 0x20
    /// In `kinds`: the kind itself, and the bits that must be 0.
    static let kindMask: UInt8 = 0xCF

    /// The columns of `rows`, in their order.
    static func encode(_ rows: [Row]) -> StoredRows {
        var columns = StoredRows()
        columns.count = UInt32(clamping: rows.count)
        columns.paths = PathColumn.encode(rows.lazy.map(\.path))
        columns.modes = rows.map { UInt32($0.entry.mode) }
        columns.sizes = rows.map { UInt64(clamping: $0.entry.size) }
        columns.versions = rows.map(\.version)
        columns.nanoseconds = rows.map { UInt32($0.entry.modified.remainder) }
        columns.seconds = differences(rows.map(\.entry.modified.seconds))
        encodeKinds(rows, into: &columns)
        return columns
    }

    private static func differences(_ values: [Int64]) -> [Int64] {
        var last: Int64 = 0
        return values.map { value in
            defer { last = value }
            return value &- last
        }
    }

    private static func encodeKinds(_ rows: [Row], into columns: inout StoredRows) {
        var kinds: [UInt8] = []
        var contents: [UInt8] = []
        kinds.reserveCapacity(rows.count)
        contents.reserveCapacity(rows.count * ContentID.byteCount)
        for row in rows {
            var kind = row.entry.kind.rawValue
            if row.entry.kind == .file {
                kind |= hasContent
                row.entry.content.withBytes { contents.append(contentsOf: $0) }
            } else if row.entry.kind == .symlink {
                kind |= hasTarget
                columns.targets.append(field(row.entry.target))
            }
            kinds.append(kind)
        }
        columns.kinds = field(kinds)
        columns.contents = field(contents)
    }
}
