import FilesinkiItems
import FilesinkiModel
import FilesinkiRecordZones
import FilesinkiRecords
import FilesinkiSystem
import Foundation
import Glibc

extension Record {
    init(_ record: FilesinkiRecords.Record) {
        let fields = record.fields.map { ($0.key.text, RecordValue($0.value.value)) }
        self.init(
            type: record.type.text, name: record.name.text,
            stored: Dictionary(fields) { first, _ in first })
        creationDate = Date(record.created)
        modificationDate = Date(record.modified)
        creatorDeviceID = hexadecimal(record.created.device)
        lastModifiedDeviceID = hexadecimal(record.modified.device)
    }

    init(_ stored: StoredRecord) {
        self.init(stored.record)
        changeTag = stored.tag.description
        isPending = stored.isPending
    }

    /// What a save of the record does.
    ///
    /// - Parameters:
    ///   - stage: Keeps the bytes of a new asset.
    func operation(
        _ policy: RecordZone.SavePolicy, stage: (RecordAsset) throws -> Asset
    ) throws -> RecordOperation {
        let wanted = policy == .allKeys ? fields.mapValues { Optional($0) } : changes
        var values: [FieldName: FieldValue?] = [:]
        for (name, value) in wanted {
            values.updateValue(
                try value.map { try FieldValue($0, stage) }, forKey: try FieldName(name))
        }
        var operation = RecordOperation.save(
            try RecordName(name), try RecordType(type), values)
        operation.policy = policy.kept
        guard policy == .ifServerRecordUnchanged else { return operation }
        if let changeTag {
            operation.require(tag: changeTag)
        } else {
            operation.existence = .mustNotExist
        }
        return operation
    }
}

extension Date {
    fileprivate init(_ stamp: Stamp) {
        self.init(timeIntervalSince1970: Double(stamp.time) / 1e9)
    }

    fileprivate init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    fileprivate var milliseconds: Int64 {
        Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) ?? .max
    }
}

extension RecordValue {
    init(_ value: FieldValue) {
        switch value {
        case .string(let value): self = .string(value)
        case .integer(let value): self = .int(value)
        case .double(let value): self = .double(value)
        case .data(let value): self = .data(Data(value))
        case .date(let value): self = .date(Date(milliseconds: value))
        case .location(let value): self = .location(RecordLocation(value))
        case .reference(let value): self = .reference(RecordReference(value))
        case .asset(let value): self = .asset(RecordAsset(value))
        case .list(let list): self = RecordValue(list)
        }
    }

    private init(_ list: FieldList) {
        let values = list.elements.map { RecordValue($0) }
        switch list.elementType {
        case .string: self = .strings(values.compactMap(\.string))
        case .integer: self = .ints(values.compactMap(\.int))
        case .double: self = .doubles(values.compactMap(\.double))
        case .data: self = .datas(values.compactMap(\.data))
        case .date: self = .dates(values.compactMap(\.date))
        case .location: self = .locations(values.compactMap(\.location))
        case .reference: self = .references(values.compactMap(\.reference))
        case .asset: self = .assets(values.compactMap(\.asset))
        }
    }

    fileprivate var elementType: ElementType {
        switch self {
        case .string, .strings: .string
        case .int, .ints: .integer
        case .double, .doubles: .double
        case .data, .datas: .data
        case .date, .dates: .date
        case .location, .locations: .location
        case .reference, .references: .reference
        case .asset, .assets: .asset
        }
    }
}

extension FieldValue {
    /// - Parameter stage: Keeps the bytes of a new asset.
    init(_ value: RecordValue, _ stage: (RecordAsset) throws -> Asset) throws {
        switch value {
        case .string(let value): self = .string(value)
        case .int(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .data(let value): self = .data(Array(value))
        case .date(let value): self = .date(milliseconds: value.milliseconds)
        case .location(let value):
            self = .location(
                try Location(latitude: value.latitude, longitude: value.longitude))
        case .reference(let value):
            self = .reference(
                Reference(
                    try RecordName(value.recordName),
                    action: value.deletesSelf ? .deleteSelf : .none))
        case .asset(let value): self = .asset(try stage(value))
        default:
            let elements = try (value.elements ?? []).map { try FieldValue($0, stage) }
            self = .list(try FieldList(elements, of: value.elementType))
        }
    }
}

extension RecordLocation {
    fileprivate init(_ location: Location) {
        self.init(latitude: location.latitude, longitude: location.longitude)
    }
}

extension RecordReference {
    fileprivate init(_ reference: Reference) {
        self.init(reference.target.text, deletesSelf: reference.action == .deleteSelf)
    }
}

extension RecordAsset {
    fileprivate init(_ asset: Asset) {
        self.init(sha256: asset.content.description, size: Int64(clamping: asset.size))
    }

    /// The asset that a saved record names; nil for one that is not saved.
    func stored(in field: String) throws -> ItemAsset? {
        guard case .stored(let sha256, let size) = source else { return nil }
        return ItemAsset(try Self.content(sha256), size: size, place: field)
    }

    private static func content(_ sha256: String) throws -> ContentID {
        guard let bytes = FilesinkiModel.bytes(hexadecimal: sha256), let id = ContentID(bytes)
        else {
            throw Failure(
                .usage, path: sha256, "Not the SHA-256 of an asset.",
                remedy: "Give 64 hexadecimal digits.")
        }
        return id
    }

    /// What a record names, after the bytes of a new asset are kept on this device.
    ///
    /// - Parameter kept: Receives the bytes that are kept.
    func staged(
        in zone: FilesinkiRecordZones.RecordZone, _ kept: (StagedAsset) -> Void
    ) throws -> Asset {
        let write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
        switch source {
        case .stored(let sha256, let size):
            return Asset(try Self.content(sha256), size: UInt64(clamping: size))
        case .bytes(let data): write = { try data.withUnsafeBytes($0) }
        case .file(let url):
            let file = try NamedFile(url.path, O_RDONLY, of: .argument)
            write = { try file.forEachPiece($0) }
        }
        let (staged, content, size) = try zone.stageAsset(write)
        kept(staged)
        return Asset(content, size: UInt64(clamping: size))
    }
}
