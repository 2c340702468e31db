import Foundation

/// Encodes the properties of a value as the fields of a record.
final class RecordEncoder: Encoder {
    private(set) var fields: [String: RecordValue] = [:]
    /// The properties that are nil.
    private(set) var removed: Set<String> = []
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FieldsContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedContainer(codingPath) }
    func singleValueContainer() -> any SingleValueEncodingContainer {
        RefusedContainer(codingPath)
    }

    fileprivate func set(_ value: RecordValue?, _ key: some CodingKey) {
        fields[key.stringValue] = value
        if value == nil { removed.insert(key.stringValue) }
    }
}

/// The properties of a value.
private struct FieldsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) { encoder.set(nil, key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        encoder.set(try ValueEncoder.value(value, [key]), key)
    }

    private func set<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    // A property that is nil removes its field; what the standard library does here leaves it as it is.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try set(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try set(value, key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusedFieldsContainer<Nested>([key]))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        RefusedContainer([key])
    }

    // The properties of a class above are fields of the same record.
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// Encodes a value as that of one field.
private final class ValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    private var single: RecordValue?
    private var elements: [RecordValue]?

    private init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// - Throws: `EncodingError` for what a field cannot have.
    static func value<Value: Encodable>(
        _ value: Value, _ path: [any CodingKey]
    ) throws -> RecordValue {
        if let known = try known(value, path) { return known }
        let encoder = ValueEncoder(path)
        try value.encode(to: encoder)
        if let single = encoder.single { return single }
        let list = encoder.elements.flatMap { RecordValue(elements: $0, like: Value.self) }
        guard let list else { throw refusal(value, path) }
        return list
    }

    /// Types that are the value of a field as they are; nil for another one.
    private static func known(_ value: Any, _ path: [any CodingKey]) throws -> RecordValue? {
        switch value {
        case let value as Bool: return .int(value ? 1 : 0)
        case let value as String: return .string(value)
        case let value as Double: return .double(value)
        case let value as Float: return .double(Double(value))
        case let value as Date: return .date(value)
        case let value as Data: return .data(value)
        case let value as URL: return .string(value.absoluteString)
        case let value as RecordReference: return .reference(value)
        case let value as RecordLocation: return .location(value)
        case let value as RecordAsset: return .asset(value)
        case let value as any FixedWidthInteger:
            guard let number = Int64(exactly: value) else { throw refusal(value, path) }
            return .int(number)
        default: return nil
        }
    }

    static func refusal(_ value: Any, _ path: [any CodingKey]) -> EncodingError {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: path,
                debugDescription:
                    "\(type(of: value)) is no value of a field. Encode it as Data, or as a "
                    + "record of its own."))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusedFieldsContainer(codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        elements = elements ?? []
        return ElementsContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleContainer(encoder: self)
    }

    private struct SingleContainer: SingleValueEncodingContainer {
        let encoder: ValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil() throws { throw refusal(Any?.none as Any, codingPath) }

        func encode<Value: Encodable>(_ value: Value) throws {
            encoder.single = try ValueEncoder.value(value, codingPath)
        }
    }

    private struct ElementsContainer: UnkeyedEncodingContainer {
        let encoder: ValueEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count: Int { encoder.elements?.count ?? 0 }

        func encodeNil() throws { throw refusal(Any?.none as Any, codingPath) }

        func encode<Value: Encodable>(_ value: Value) throws {
            encoder.elements?.append(try ValueEncoder.value(value, codingPath))
        }

        func nestedContainer<Key: CodingKey>(
            keyedBy type: Key.Type
        ) -> KeyedEncodingContainer<Key> {
            KeyedEncodingContainer(RefusedFieldsContainer(codingPath))
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            RefusedContainer(codingPath)
        }
        func superEncoder() -> any Encoder { encoder }
    }
}

/// What is no record or no field, in a place where an error can be thrown only later.
private struct RefusedContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let codingPath: [any CodingKey]
    let count = 0

    init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    func encodeNil() throws { throw ValueEncoder.refusal(Any?.none as Any, codingPath) }
    func encode<Value: Encodable>(_ value: Value) throws {
        throw ValueEncoder.refusal(value, codingPath)
    }
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(RefusedFieldsContainer(codingPath))
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { RecordEncoder() }
}

/// As ``RefusedContainer``, with keys.
private struct RefusedFieldsContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey]

    init(_ codingPath: [any CodingKey]) { self.codingPath = codingPath }

    func encodeNil(forKey key: Key) throws {
        throw ValueEncoder.refusal(Any?.none as Any, codingPath)
    }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        throw ValueEncoder.refusal(value, codingPath)
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(RefusedFieldsContainer<Nested>(codingPath))
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        RefusedContainer(codingPath)
    }
    func superEncoder() -> any Encoder { RecordEncoder() }
    func superEncoder(forKey key: Key) -> any Encoder { RecordEncoder() }
}

extension RecordValue {
    /// A list; nil for elements that are lists or of different types.
    ///
    /// - Parameter type: That of an empty list.
    fileprivate init?(elements: [RecordValue], like type: Any.Type) {
        switch elements.first {
        case nil: self = Self.empty(type)
        case .string: self = .strings(elements.compactMap(\.string))
        case .int: self = .ints(elements.compactMap(\.int))
        case .double: self = .doubles(elements.compactMap(\.double))
        case .data: self = .datas(elements.compactMap(\.data))
        case .date: self = .dates(elements.compactMap(\.date))
        case .location:
            self = .locations(elements.compactMap(\.location))
        case .reference: self = .references(elements.compactMap(\.reference))
        case .asset: self = .assets(elements.compactMap(\.asset))
        default: return nil
        }
        guard self.elements?.count == elements.count else { return nil }
    }

    private static func empty(_ type: Any.Type) -> RecordValue {
        switch type {
        case is [Double].Type, is [Float].Type: .doubles([])
        case is [Data].Type: .datas([])
        case is [Date].Type: .dates([])
        case is [RecordLocation].Type: .locations([])
        case is [RecordReference].Type: .references([])
        case is [RecordAsset].Type: .assets([])
        case is [Bool].Type, is [Int].Type, is [Int8].Type, is [Int16].Type, is [Int32].Type,
            is [Int64].Type, is [UInt].Type, is [UInt8].Type, is [UInt16].Type, is [UInt32].Type,
            is [UInt64].Type:
            .ints([])
        default: .strings([])
        }
    }

    /// The elements of a list; nil for one value.
    var elements: [RecordValue]? {
        switch self {
        case .strings(let values): values.map(RecordValue.string)
        case .ints(let values): values.map(RecordValue.int)
        case .doubles(let values): values.map(RecordValue.double)
        case .datas(let values): values.map(RecordValue.data)
        case .dates(let values): values.map(RecordValue.date)
        case .locations(let values): values.map(RecordValue.location)
        case .references(let values): values.map(RecordValue.reference)
        case .assets(let values): values.map(RecordValue.asset)
        default: nil
        }
    }
}
