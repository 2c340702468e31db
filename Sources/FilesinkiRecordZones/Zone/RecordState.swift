package import FilesinkiItems
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
    package static func removed(at time: Int64) -> RecordState { RecordState(nil, time: time) }

    package init?(encoded bytes: [UInt8], time: Int64) {
        switch RecordItem(bytes) {
        case .record(let record):
            guard record.modified.time == time else { return nil }
            self.init(record)
        case .schema(let content):
            guard let text = String(validating: content, as: UTF8.self),
                let schema = try? SchemaText.decode(text)
            else { return nil }
            self.init(schema, time: time)
        case nil: return nil
        }
    }

    package static func isNewer(_ bytes: [UInt8]) -> Bool { RecordItem.isNewer(bytes) }

    package var encoded: [UInt8]? {
        switch content {
        case .record(let record): RecordItem.encode(record)
        case .schema(let schema): RecordItem.encode(schema)
        case nil: nil
        }
    }

    package var isRemoved: Bool { content == nil }

    package var size: Int { encoded?.count ?? 0 }

    package var assets: [ItemAsset] { record?.itemAssets ?? [] }

    package func published(over former: RecordState) -> RecordState {
        guard let record, let former = former.record else { return self }
        return RecordState(record.keepingStamps(of: former))
    }

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
