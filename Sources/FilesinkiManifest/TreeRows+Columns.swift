internal import FilesinkiModel

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
        path = reader.path()
        entry = reader.entry()
        version = reader.unsigned()
        stamp = reader.stamp()
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
