import FilesinkiModel
import FilesinkiSQLite

/// Binds a row's values in order, and computes its check.
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

    /// Adds to the check whether the next value is present; binds NULL when it is not.
    mutating func put(present: Bool) {
        check.add(present ? 1 : 0)
        if !present { skip(1) }
    }

    /// Binds NULL to `count` columns, which are not part of the check.
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

/// Reads a row's values in the order in which ``RowWriter`` wrote them, and computes its check. The
/// values are valid only after ``finish()`` has succeeded.
struct RowReader {
    private let statement: OwnStatement
    private var index: Int32 = -1
    private var check: RowCheck
    /// Whether a value is out of its range.
    private var isInvalid = false

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
            isInvalid = true
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

    /// Whether the next column has a value; skips it when it is NULL.
    mutating func isPresent() -> Bool {
        let present = !statement.isNull(index + 1)
        check.add(present ? 1 : 0)
        if !present { index += 1 }
        return present
    }

    mutating func skip(_ count: Int32) { index += count }

    mutating func optionalBytes() -> [UInt8]? { isPresent() ? bytes() : nil }

    mutating func optionalPath() -> RelativePath? { isPresent() ? path() : nil }

    /// Marks the row as invalid.
    mutating func reject() { isInvalid = true }

    /// Compares the check with the one in the next column.
    ///
    /// - Returns: The check.
    /// - Throws: `Failure` with code `corrupt` when it differs, or a value was invalid.
    mutating func finish() throws(Failure) -> UInt64 {
        index += 1
        let value = check.value
        guard value == UInt64(bitPattern: statement.integer(index)), !isInvalid else {
            throw statement.connection.corrupt("a row does not match its check")
        }
        return value
    }

    /// The columns kind, mode, modified, size, content and target.
    mutating func entry() -> Entry {
        let kind = UInt8(exactly: integer()).flatMap(Entry.Kind.init)
        if kind == nil { isInvalid = true }
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

/// 64 bits over the values of a row, to tell bit rot from data.
///
/// Each word is mixed in by steps that can be undone (xor, an odd multiplier, a xor with the upper
/// half: those of MurmurHash3's finaliser, https://github.com/aappleby/smhasher), so that a change
/// within one word always changes the result; several changes go unnoticed once in 2^64. It is no
/// defence against forgery: an attacker who can write the manifest can write the files.
struct RowCheck {
    private var state: UInt64

    /// - Parameter table: The table's name, so that a row is not taken for one of another table.
    init(table: StaticString) {
        state = 0x9E37_79B9_7F4A_7C15
        table.withUTF8Buffer { add(UnsafeRawBufferPointer($0)) }
    }

    /// The check of all values added.
    var value: UInt64 {
        var copy = self
        copy.add(UInt64(0x2545_F491_4F6C_DD1D))
        copy.add(UInt64(0))
        return copy.state
    }

    mutating func add(_ word: UInt64) {
        state ^= word
        state &*= 0xFF51_AFD7_ED55_8CCD
        state ^= state >> 32
    }

    /// Adds the length and then the bytes, eight at a time, the last ones filled up with zeros.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
        }
        guard index < bytes.count else { return }
        var rest: UInt64 = 0
        for offset in index..<bytes.count {
            rest |= UInt64(bytes[offset]) << (UInt64(offset - index) * 8)
        }
        add(rest)
    }
}

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

    /// The entry; nil for invalid bytes.
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
