public import Foundation

/// A set of typed fields under a name.
///
/// It is a value: changes are kept in it until it is saved by ``RecordZone/save(_:policy:progress:)``, which sends the fields
/// that were changed since the record was fetched.
///
/// ```swift
/// var note = Record(type: "Note")
/// note["title"] = "Hello"
/// note["count"] = 3
/// note = try await zone.save(note)
/// ```
public struct Record: Sendable, Hashable {
    /// The record's name, unique in its zone: 1 to 255 printable characters of ASCII, the first of them not `_`.
    public let name: String
    /// The record's type: a letter, then letters, digits and `_`.
    public let type: String
    /// The values of all fields.
    public private(set) var fields: [String: RecordValue]
    /// What was set or, with nil, removed since the record was fetched.
    private(set) var changes: [String: RecordValue?] = [:]
    /// Names the state of the record that this one is based on; nil for one that was not saved. It is never used again
    /// for another state.
    public internal(set) var changeTag: String?
    /// When the record was first saved, and last changed; nil before it was saved.
    public internal(set) var creationDate: Date?
    /// When the record was last changed; nil before it was saved.
    public internal(set) var modificationDate: Date?
    /// The id of the device that saved the record first, in hexadecimal digits; nil before it was saved.
    public internal(set) var creatorDeviceID: String?
    /// The id of the device that changed the record last, in hexadecimal digits; nil before it was saved.
    public internal(set) var lastModifiedDeviceID: String?
    /// Whether the last change of the record waits on this device to be published.
    public internal(set) var isPending = false

    /// A new record.
    ///
    /// - Parameters:
    ///   - type: The record's type.
    ///   - name: The record's name; a new one if it is omitted.
    public init(type: String, name: String = UUID().uuidString) {
        self.type = type
        self.name = name
        fields = [:]
    }

    init(type: String, name: String, stored fields: [String: RecordValue]) {
        self.type = type
        self.name = name
        self.fields = fields
    }

    /// The value of a field; nil removes it.
    public subscript(field: String) -> RecordValue? {
        get { fields[field] }
        set {
            guard newValue != fields[field] else { return }
            fields[field] = newValue
            changes.updateValue(newValue, forKey: field)
        }
    }

    /// The names of the fields that were set or removed since the record was fetched.
    public var changedFields: Set<String> { Set(changes.keys) }

    /// Sets the fields to what a value encodes: each property is a field of its name.
    ///
    /// A property may be a text, a number, a truth value (0 or 1), `Date`, `Data`, `URL` (its text), a
    /// ``RecordReference``, ``RecordLocation`` or ``RecordAsset``, an enumeration with such a raw value, or an array of one
    /// of them. An optional one that is nil removes its field. Fields that the value does not have stay, so that an older
    /// version of a program keeps what a newer one has added.
    ///
    /// - Throws: `EncodingError` for a property that is no field, such as a structure.
    public mutating func encode(_ value: some Encodable) throws {
        let encoder = RecordEncoder()
        try value.encode(to: encoder)
        for (field, value) in encoder.fields { self[field] = value }
        for field in encoder.removed { self[field] = nil }
    }

    /// Makes a value of the fields; those that it does not have are left out.
    ///
    /// - Throws: `DecodingError` for a field that is missing or of another type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try Value(from: RecordDecoder(fields))
    }
}
