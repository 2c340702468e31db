internal import FilesinkiModel
internal import FilesinkiSQLite

/// Binds a row's values, one after the other, and computes its check on the way.
struct RowWriter {
    private let statement: OwnStatement
    private var index: Int32 = 0
    private(set) var check: RowCheck

    init(_ statement: OwnStatement, table: StaticString) {
        self.statement = statement
        check = RowCheck(table: table)
    }

    mutating func put(_ value: Int64) {
        index += 1
        check.add(UInt64(bitPattern: value))
        statement.bind(value, at: index)
    }

    mutating func put(_ value: UInt64) { put(Int64(bitPattern: value)) }

    mutating func put(_ time: Timestamp) { put(time.nanoseconds) }

    mutating func put(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

    mutating func put(_ content: ContentID) { content.withBytes { put($0) } }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        index += 1
        check.add(bytes)
        statement.bind(bytes, at: index)
    }

    mutating func put(_ text: String) {
        index += 1
        var copy = text
        copy.withUTF8 { check.add(UnsafeRawBufferPointer($0)) }
        statement.bind(text, at: index)
    }

    /// Says in the check that the next value is there, or that NULL stands for it.
    mutating func put(present: Bool) {
        check.add(present ? 1 : 0)
        if !present { skip(1) }
    }

    /// NULL for as many columns, of which the check takes no note.
    mutating func skip(_ count: Int32) {
        for _ in 0..<count {
            index += 1
            statement.bindNull(at: index)
        }
    }

    /// Binds the check itself, as the last value.
    mutating func finish() -> UInt64 {
        let value = check.value
        statement.bind(Int64(bitPattern: value), at: index + 1)
        return value
    }
}

extension RowWriter {
    /// Bytes, or NULL.
    mutating func put(optional bytes: [UInt8]?) {
        put(present: bytes != nil)
        if let bytes { put(bytes) }
    }

    /// The columns kind, mode, modified, size, content and target.
    mutating func put(_ entry: Entry) {
        put(Int64(entry.kind.rawValue))
        put(Int64(entry.mode))
        put(entry.modified)
        put(entry.size)
        let hasContent = entry.content != .none
        put(present: hasContent)
        if hasContent { put(entry.content) }
        put(optional: entry.target.isEmpty ? nil : entry.target)
    }

    /// The columns changed, device, inode, stamp_size and stamp_modified.
    mutating func put(_ stamp: FileStamp?) {
        put(present: stamp != nil)
        guard let stamp else { return skip(4) }
        put(stamp.changed)
        put(stamp.device)
        put(stamp.inode)
        put(stamp.size)
        put(stamp.modified)
    }
}
