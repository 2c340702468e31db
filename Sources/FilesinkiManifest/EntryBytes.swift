internal import FilesinkiModel

/// An entry as bytes, for the columns that hold a whole one: kind (1 byte), mode (2), modified (8),
/// size (8), content (32), and the rest is the target. Numbers are big-endian.
enum EntryBytes {
    private static let fixed = 51

    static func encode(_ entry: Entry) -> [UInt8] {
        var bytes: [UInt8] = [entry.kind.rawValue]
        bytes.reserveCapacity(fixed + entry.target.count)
        withUnsafeBytes(of: entry.mode.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: entry.modified.nanoseconds.bigEndian) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: entry.size.bigEndian) { bytes.append(contentsOf: $0) }
        entry.content.withBytes { bytes.append(contentsOf: $0) }
        return bytes + entry.target
    }

    /// The entry, or nil when the bytes are none.
    static func decode(_ bytes: [UInt8]) -> Entry? {
        guard bytes.count >= fixed, let kind = Entry.Kind(rawValue: bytes[0]),
            let content = ContentID(bytes[19..<fixed])
        else { return nil }
        return Entry(
            kind: kind, mode: UInt16(truncatingIfNeeded: number(bytes[1..<3])),
            modified: Timestamp(nanoseconds: Int64(bitPattern: number(bytes[3..<11]))),
            size: Int64(bitPattern: number(bytes[11..<19])), content: content,
            target: Array(bytes[fixed...]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
