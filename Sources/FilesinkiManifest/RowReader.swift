internal import FilesinkiModel
internal import FilesinkiSQLite

/// Reads a row's values in the order in which ``RowWriter`` wrote them, and computes its check on
/// the way. What was read counts only once ``finish()`` has agreed.
struct RowReader {
    private let statement: OwnStatement
    private var index: Int32 = -1
    private var check: RowCheck
    /// Whether a value is none of those it may have.
    private var isStrange = false

    init(_ statement: OwnStatement, table: StaticString) {
        self.statement = statement
        check = RowCheck(table: table)
    }

    mutating func integer() -> Int64 {
        index += 1
        let value = statement.integer(index)
        check.add(UInt64(bitPattern: value))
        return value
    }

    mutating func unsigned() -> UInt64 { UInt64(bitPattern: integer()) }

    mutating func time() -> Timestamp { Timestamp(nanoseconds: integer()) }

    mutating func bytes() -> [UInt8] { Array(pointer()) }

    mutating func text() -> String { String(decoding: pointer(), as: UTF8.self) }

    mutating func path() -> RelativePath { RelativePath(unchecked: bytes()) }

    mutating func content() -> ContentID {
        guard let content = ContentID(pointer()) else {
            isStrange = true
            return .none
        }
        return content
    }

    /// The column's bytes, good until the next step.
    private mutating func pointer() -> UnsafeRawBufferPointer {
        index += 1
        let bytes = statement.bytes(index)
        check.add(bytes)
        return bytes
    }

    /// Whether the next column is there; steps over it when it is NULL.
    mutating func isPresent() -> Bool {
        let present = !statement.isNull(index + 1)
        check.add(present ? 1 : 0)
        if !present { index += 1 }
        return present
    }

    mutating func skip(_ count: Int32) { index += count }

    mutating func optionalBytes() -> [UInt8]? { isPresent() ? bytes() : nil }

    mutating func optionalPath() -> RelativePath? { isPresent() ? path() : nil }

    /// Marks the row as one that nobody can have written.
    mutating func reject() { isStrange = true }

    /// Compares the check with the one in the next column.
    ///
    /// - Returns: The check.
    /// - Throws: `Failure` with code `corrupt` when it is another.
    mutating func finish() throws(Failure) -> UInt64 {
        index += 1
        let value = check.value
        guard value == UInt64(bitPattern: statement.integer(index)), !isStrange else {
            throw statement.connection.corrupt("a row does not match its check")
        }
        return value
    }
}

extension RowReader {
    /// The columns kind, mode, modified, size, content and target.
    mutating func entry() -> Entry {
        let kind = UInt8(exactly: integer()).flatMap(Entry.Kind.init)
        if kind == nil { isStrange = true }
        let mode = UInt16(truncatingIfNeeded: integer())
        return Entry(
            kind: kind ?? .tombstone, mode: mode, modified: time(), size: integer(),
            content: isPresent() ? content() : .none, target: optionalBytes() ?? [])
    }

    /// The columns changed, device, inode, stamp_size and stamp_modified.
    mutating func stamp() -> FileStamp? {
        guard isPresent() else {
            skip(4)
            return nil
        }
        let changed = time()
        return FileStamp(
            device: unsigned(), inode: unsigned(), size: integer(), modified: time(),
            changed: changed)
    }
}
