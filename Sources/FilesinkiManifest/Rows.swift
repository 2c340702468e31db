package import FilesinkiModel

/// A path whose scanned state differs from the base.
package struct LocalRow: Hashable, Sendable {
    package var path: RelativePath
    /// What the scan found; nil when the path is deleted.
    package var entry: Entry?
    /// The file as it was when it was read; nil when deleted, or when its times are not reliable.
    package var stamp: FileStamp?
    /// Where the content came from when the path is the new half of a rename.
    package var movedFrom: RelativePath?

    package init(
        path: RelativePath, entry: Entry?, stamp: FileStamp? = nil, movedFrom: RelativePath? = nil
    ) {
        self.path = path
        self.entry = entry
        self.stamp = stamp
        self.movedFrom = movedFrom
    }
}

/// A path whose state at the remote differs from the base.
package struct RemoteRow: Hashable, Sendable {
    package var path: RelativePath
    /// The remote entry and the commit that set it; may be a tombstone.
    package var entry: VersionedEntry
    /// Where the content came from when the path is the new half of a rename.
    package var movedFrom: RelativePath?

    package init(path: RelativePath, entry: VersionedEntry, movedFrom: RelativePath? = nil) {
        self.path = path
        self.entry = entry
        self.movedFrom = movedFrom
    }
}

/// A deletion on which this replica and the remote agree.
package struct TombstoneRow: Hashable, Sendable {
    package var path: RelativePath
    /// The sequence number of the commit that deleted the path.
    package var version: UInt64
    /// The contents that the path is known to have had.
    package var contents: [ContentID]

    package init(path: RelativePath, version: UInt64, contents: [ContentID]) {
        self.path = path
        self.version = version
        self.contents = contents
    }
}

private let entryColumns = ["kind", "mode", "modified", "size", "content", "target"]
private let stampColumns = ["changed", "device", "inode", "stamp_size", "stamp_modified"]

extension BaseRow: CheckedRow {
    static var table: StaticString { "base" }
    static var columns: [String] { ["path"] + entryColumns + ["version"] + stampColumns }
    var key: [UInt8] { path.bytes }

    func write(to writer: inout RowWriter) {
        writer.put(path.bytes)
        writer.put(entry)
        writer.put(version)
        writer.put(stamp)
    }

    init(from reader: inout RowReader) {
        self.init(
            path: reader.path(), entry: reader.entry(), version: reader.unsigned(),
            stamp: reader.stamp())
    }
}

extension LocalRow: CheckedRow {
    static var table: StaticString { "local" }
    static var columns: [String] {
        ["path", "present"] + entryColumns + stampColumns + ["moved_from"]
    }
    var key: [UInt8] { path.bytes }

    func write(to writer: inout RowWriter) {
        writer.put(path.bytes)
        writer.put(Int64(entry == nil ? 0 : 1))
        writer.put(entry ?? .tombstone)
        writer.put(stamp)
        writer.put(optional: movedFrom?.bytes)
    }

    init(from reader: inout RowReader) {
        path = reader.path()
        let present = reader.integer()
        let found = reader.entry()
        entry = present == 0 ? nil : found
        stamp = reader.stamp()
        movedFrom = reader.optionalPath()
    }
}

extension RemoteRow: CheckedRow {
    static var table: StaticString { "remote" }
    static var columns: [String] { ["path"] + entryColumns + ["version", "moved_from"] }
    var key: [UInt8] { path.bytes }

    func write(to writer: inout RowWriter) {
        writer.put(path.bytes)
        writer.put(entry.entry)
        writer.put(entry.version)
        writer.put(optional: movedFrom?.bytes)
    }

    init(from reader: inout RowReader) {
        path = reader.path()
        let found = reader.entry()
        entry = VersionedEntry(found, version: reader.unsigned())
        movedFrom = reader.optionalPath()
    }
}

extension TombstoneRow: CheckedRow {
    static var table: StaticString { "tombstone" }
    static var columns: [String] { ["path", "version", "contents"] }
    var key: [UInt8] { path.bytes }

    func write(to writer: inout RowWriter) {
        writer.put(path.bytes)
        writer.put(version)
        writer.put(contents.flatMap(\.bytes))
    }

    init(from reader: inout RowReader) {
        path = reader.path()
        version = reader.unsigned()
        let bytes = reader.bytes()
        let width = ContentID.byteCount
        if !bytes.count.isMultiple(of: width) { reader.reject() }
        contents = stride(from: 0, to: bytes.count, by: width)
            .compactMap { ContentID(bytes[$0..<min($0 + width, bytes.count)]) }
    }
}

/// A known pack of the store.
package struct PackRow: Hashable, Sendable {
    /// The pack's id.
    package var id: [UInt8]
    /// The bytes of the object.
    package var size: Int64
    /// The SHA-256 of the pack's index.
    package var indexHash: ContentID
    /// The sequence number of the commit that first named the pack.
    package var sequence: UInt64

    package init(id: [UInt8], size: Int64, indexHash: ContentID, sequence: UInt64) {
        self.id = id
        self.size = size
        self.indexHash = indexHash
        self.sequence = sequence
    }
}

extension PackRow: CheckedRow {
    static var table: StaticString { "pack" }
    static var columns: [String] { ["pack", "size", "index_hash", "sequence"] }
    var key: [UInt8] { id }

    func write(to writer: inout RowWriter) {
        writer.put(id)
        writer.put(size)
        writer.put(indexHash)
        writer.put(sequence)
    }

    init(from reader: inout RowReader) {
        id = reader.bytes()
        size = reader.integer()
        indexHash = reader.content()
        sequence = reader.unsigned()
    }
}

/// A small content that is stored inside a commit.
package struct InlineRow: Hashable, Sendable {
    package var content: ContentID
    /// The sequence number of the commit that contains it.
    package var sequence: UInt64

    package init(content: ContentID, sequence: UInt64) {
        self.content = content
        self.sequence = sequence
    }
}

extension InlineRow: CheckedRow {
    static var table: StaticString { "inline_content" }
    static var columns: [String] { ["content", "sequence"] }
    var key: [UInt8] { content.bytes }

    func write(to writer: inout RowWriter) {
        writer.put(content)
        writer.put(sequence)
    }

    init(from reader: inout RowReader) {
        content = reader.content()
        sequence = reader.unsigned()
    }
}

/// A named value of the replica.
struct SettingRow: Hashable {
    var name: String
    var value: [UInt8]
}

extension SettingRow: CheckedRow {
    static var table: StaticString { "setting" }
    static var columns: [String] { ["key", "value"] }
    var key: [UInt8] { Array(name.utf8) }

    func write(to writer: inout RowWriter) {
        writer.put(key)
        writer.put(value)
    }

    init(from reader: inout RowReader) {
        name = reader.text()
        value = reader.bytes()
    }
}
