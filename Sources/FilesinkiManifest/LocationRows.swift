package import FilesinkiModel

/// A pack of the store that is known here.
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

/// A small content that travels inside a commit.
package struct InlineRow: Hashable, Sendable {
    package var content: ContentID
    /// The sequence number of the commit that carries it.
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
