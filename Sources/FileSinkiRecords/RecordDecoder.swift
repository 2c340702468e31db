import Foundation

/// Decodes the fields of a record as the properties of a value.
final class RecordDecoder: Decoder {
    let fields: [String: RecordValue]
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ fields: [String: RecordValue]) { self.fields = fields }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(FieldsContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw ValueDecoder.mismatch([Any].self, "A record is no list.", codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw ValueDecoder.mismatch(Any.self, "A record is no single value.", codingPath)
    }
}

/// The properties of a value.
private struct FieldsContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordDecoder
    let codingPath: [any CodingKey] = []
    var allKeys: [Key] { decoder.fields.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { decoder.fields[key.stringValue] != nil }
    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard let value = decoder.fields[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: [key],
                    debugDescription: "The record has no field \(key.stringValue)."))
        }
        return try ValueDecoder.value(type, value, [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw ValueDecoder.mismatch(type, "A field is no structure.", [key])
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        guard let value = decoder.fields[key.stringValue] else {
            throw ValueDecoder.mismatch([Any].self, "There is no such field.", [key])
        }
        return try ValueDecoder(value, [key]).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

/// Decodes the value of one field.
private final class ValueDecoder: Decoder {
    let value: RecordValue
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ value: RecordValue, _ codingPath: [any CodingKey]) {
        self.value = value
        self.codingPath = codingPath
    }

    /// - Throws: `DecodingError` for a value of another type.
    static func value<Value: Decodable>(
        _ type: Value.Type, _ value: RecordValue, _ path: [any CodingKey]
    ) throws -> Value {
        if let known = known(type, value) {
            guard let result = known as? Value else {
                throw mismatch(type, "The field has the value \(value).", path)
            }
            return result
        }
        return try Value(from: ValueDecoder(value, path))
    }

    /// A value of a type that a field has as it is, or something else if the field has another type; nil for any
    /// other type.
    private static func known(_ type: Any.Type, _ value: RecordValue) -> Any? {
        let found: Any?
        switch type {
        case is Bool.Type: found = value.int == 0 ? false : value.int == 1 ? true : nil
        case is String.Type: found = value.string
        case is Double.Type: found = value.number
        case is Float.Type: found = value.number.map { Float($0) }
        case is Date.Type: found = value.date
        case is Data.Type: found = value.data
        case is URL.Type: found = value.string.flatMap { URL(string: $0) }
        case is RecordReference.Type: found = value.reference
        case is RecordLocation.Type: found = value.location
        case is RecordAsset.Type: found = value.asset
        case let type as any FixedWidthInteger.Type:
            found = value.int.flatMap { integer(type, $0) }
        default: return nil
        }
        return found ?? ()
    }

    private static func integer<Number: FixedWidthInteger>(
        _ type: Number.Type, _ value: Int64
    ) -> Any? { Number(exactly: value) }

    static func mismatch(
        _ type: Any.Type, _ reason: String, _ path: [any CodingKey]
    ) -> DecodingError {
        DecodingError.typeMismatch(
            type, DecodingError.Context(codingPath: path, debugDescription: reason))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw Self.mismatch(type, "A field is no structure.", codingPath)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.elements else {
            throw Self.mismatch([Any].self, "The field is no list.", codingPath)
        }
        return ElementsContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleContainer(value: value, codingPath: codingPath)
    }

    private struct SingleContainer: SingleValueDecodingContainer {
        let value: RecordValue
        let codingPath: [any CodingKey]

        func decodeNil() -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try ValueDecoder.value(type, value, codingPath)
        }
    }

    private struct ElementsContainer: UnkeyedDecodingContainer {
        let elements: [RecordValue]
        let codingPath: [any CodingKey]
        var currentIndex = 0
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        mutating func decodeNil() -> Bool { false }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            guard !isAtEnd else {
                throw ValueDecoder.mismatch(type, "The list has no more elements.", codingPath)
            }
            let result = try ValueDecoder.value(type, elements[currentIndex], codingPath)
            currentIndex += 1
            return result
        }

        func nestedContainer<Key: CodingKey>(
            keyedBy type: Key.Type
        ) throws -> KeyedDecodingContainer<Key> {
            throw ValueDecoder.mismatch(type, "An element is no structure.", codingPath)
        }

        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            throw ValueDecoder.mismatch([Any].self, "An element is no list.", codingPath)
        }

        func superDecoder() throws -> any Decoder {
            throw ValueDecoder.mismatch(Any.self, "An element has no superclass.", codingPath)
        }
    }
}

extension RecordValue {
    /// The number, also a whole one.
    fileprivate var number: Double? { double ?? int.map { Double($0) } }
}
