/// The date that a library wants, for a moment in seconds since 1970.
///
/// The certificate's maker takes a Foundation date, and Foundation is imported nowhere here. A date is
/// read from a coder as a number of seconds since 2001, which needs only its conformance.
func date<Date: Decodable>(_ seconds: Int64) throws -> Date {
    try Date(from: OneNumber(value: Double(seconds - 978_307_200)))
}

/// A coder that holds one number.
private struct OneNumber: Decoder, SingleValueDecodingContainer {
    let value: Double
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let number = value as? Value else { throw wrong }
        return number
    }

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw wrong
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw wrong }

    private var wrong: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "Only a number is here."))
    }
}
