import FilesinkiItems
import FilesinkiModel
package import FilesinkiRecords

/// What an item of a zone of records is: a record, or the zone's schema.
package struct RecordState: Sendable {
    package enum Content: Hashable, Sendable {
        case record(Record)
        case schema(Schema)
    }

    /// Nil when it was removed.
    package var content: Content?
    package let time: Int64

    private init(_ content: Content?, time: Int64) {
        self.content = content
        self.time = time
    }

    /// A record, whose time is that of its last change.
    package init(_ record: Record) { self.init(.record(record), time: record.modified.time) }

    package init(_ schema: Schema, time: Int64) { self.init(.schema(schema), time: time) }

    package var record: Record? {
        if case .record(let record) = content { record } else { nil }
    }

    package var schema: Schema? {
        if case .schema(let schema) = content { schema } else { nil }
    }
}

extension RecordState: ItemState {
    /// The version of this layout: a byte for it, a byte for what follows, and its encoding.
    private static let version: UInt8 = 1

    private enum Tag: UInt8 {
        case record = 1
        case schema = 2
    }

    package static func removed(at time: Int64) -> RecordState { RecordState(nil, time: time) }

    package init?(encoded bytes: [UInt8], time: Int64) {
        guard bytes.count > 2, bytes[0] == Self.version else { return nil }
        let content = bytes[2...]
        switch Tag(rawValue: bytes[1]) {
        case .record:
            guard let record = RecordCoder.decode(content), record.modified.time == time else {
                return nil
            }
            self.init(record)
        case .schema:
            guard let text = String(validating: content, as: UTF8.self),
                let schema = try? SchemaText.decode(text)
            else { return nil }
            self.init(schema, time: time)
        case nil: return nil
        }
    }

    package static func isNewer(_ bytes: [UInt8]) -> Bool {
        guard let version = bytes.first else { return false }
        if version > Self.version { return true }
        guard version == Self.version, bytes.count > 2 else { return false }
        return Tag(rawValue: bytes[1]) == .record && RecordCoder.isNewer(bytes[2...])
    }

    package var encoded: [UInt8]? {
        switch content {
        case .record(let record):
            [Self.version, Tag.record.rawValue] + RecordCoder.encode(record)
        case .schema(let schema):
            [Self.version, Tag.schema.rawValue] + Array(SchemaText.encode(schema).utf8)
        case nil: nil
        }
    }

    package var isRemoved: Bool { content == nil }

    package var size: Int { encoded?.count ?? 0 }

    package func hasSameContent(as other: RecordState) -> Bool {
        switch (content, other.content) {
        case (.record(let one), .record(let other)): one.hasSameContents(as: other)
        case (.schema(let one), .schema(let other)): one == other
        case (nil, nil): true
        default: false
        }
    }
}

extension RecordState: Hashable {
    package static func == (left: RecordState, right: RecordState) -> Bool {
        left.time == right.time && left.content == right.content
    }
}
