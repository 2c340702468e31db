public import Foundation

/// The value of a field: one value, or a list of values of one type.
///
/// A field has one type in all records of a type: that of the first save, see ``RecordZone/schema()``. There are no
/// truth values; use 0 and 1.
public enum RecordValue: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A whole number, exact.
    case int(Int64)
    /// A number; never NaN.
    case double(Double)
    /// Bytes. Large ones are better assets, which do not count to the record's limit of 1 MiB.
    case data(Data)
    /// A date, to the millisecond.
    case date(Date)
    /// A place on the earth.
    case location(RecordLocation)
    /// Another record of the zone.
    case reference(RecordReference)
    /// Bytes of any size beside the record.
    case asset(RecordAsset)
    /// A list of texts.
    case strings([String])
    /// A list of whole numbers.
    case ints([Int64])
    /// A list of numbers.
    case doubles([Double])
    /// A list of bytes.
    case datas([Data])
    /// A list of dates.
    case dates([Date])
    /// A list of places.
    case locations([RecordLocation])
    /// A list of references.
    case references([RecordReference])
    /// A list of assets.
    case assets([RecordAsset])
}

extension RecordValue: ExpressibleByStringLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension RecordValue: ExpressibleByIntegerLiteral {
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension RecordValue: ExpressibleByFloatLiteral {
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension RecordValue {
    /// The text; nil for a value of another type.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The whole number; nil for a value of another type.
    public var int: Int64? { if case .int(let value) = self { value } else { nil } }
    /// The number; nil for a value of another type.
    public var double: Double? { if case .double(let value) = self { value } else { nil } }
    /// The bytes; nil for a value of another type.
    public var data: Data? { if case .data(let value) = self { value } else { nil } }
    /// The date; nil for a value of another type.
    public var date: Date? { if case .date(let value) = self { value } else { nil } }
    /// The place; nil for a value of another type.
    public var location: RecordLocation? {
        if case .location(let value) = self { value } else { nil }
    }
    /// The reference; nil for a value of another type.
    public var reference: RecordReference? {
        if case .reference(let value) = self { value } else { nil }
    }
    /// The asset; nil for a value of another type.
    public var asset: RecordAsset? { if case .asset(let value) = self { value } else { nil } }
}

/// A place on the earth, in degrees.
public struct RecordLocation: Sendable, Hashable, Codable {
    /// Degrees north of the equator: −90 to 90.
    public var latitude: Double
    /// Degrees east of Greenwich: −180 to 180.
    public var longitude: Double

    /// A place; numbers out of range are refused when the record is saved.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A reference to another record of the same zone.
public struct RecordReference: Sendable, Hashable, Codable {
    /// The name of the record.
    public var recordName: String
    /// Whether the deletion of that record deletes the one with the reference, too, in the same commit.
    public var deletesSelf: Bool

    /// A reference to the record of a name, which must be in the zone or in the same batch.
    public init(_ recordName: String, deletesSelf: Bool = false) {
        self.recordName = recordName
        self.deletesSelf = deletesSelf
    }
}

/// Bytes of any size that are stored beside a record. A sync receives records and no assets: see
/// ``RecordZone/contents(of:in:)``.
public struct RecordAsset: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        /// What a saved record names: the SHA-256 in hexadecimal digits, and the number of bytes.
        case stored(sha256: String, size: Int64)
        case file(URL)
        case bytes(Data)
    }

    let source: Source

    /// The bytes of a file, which are copied when the record is saved.
    public init(fileURL: URL) { source = .file(fileURL) }

    /// Bytes in memory.
    public init(_ data: Data) { source = .bytes(data) }

    init(sha256: String, size: Int64) { source = .stored(sha256: sha256, size: size) }

    /// The SHA-256 of the bytes in hexadecimal digits; nil before the record is saved.
    public var sha256: String? { if case .stored(let sha256, _) = source { sha256 } else { nil } }

    /// The number of bytes; nil for a file that is not saved yet.
    public var size: Int64? {
        switch source {
        case .stored(_, let size): size
        case .bytes(let data): Int64(data.count)
        case .file: nil
        }
    }
}

extension RecordAsset: Codable {
    private enum CodingKeys: String, CodingKey { case sha256, size }

    /// An asset that a saved record names.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            sha256: try container.decode(String.self, forKey: .sha256),
            size: try container.decode(Int64.self, forKey: .size))
    }

    /// Only of an asset that a saved record names: elsewhere than in a record, bytes are not written.
    public func encode(to encoder: any Encoder) throws {
        guard case .stored(let sha256, let size) = source else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "The asset is not saved. Save the record first."))
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sha256, forKey: .sha256)
        try container.encode(size, forKey: .size)
    }
}
