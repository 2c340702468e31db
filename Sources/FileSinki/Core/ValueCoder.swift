import FoundationEssentials

/// Values as the bytes of a file: JSON with sorted keys, so that equal values have equal bytes.
enum ValueCoder {
    /// - Throws: Code `coding` when the value cannot be written as JSON.
    static func encode(_ value: some Encodable, _ path: String) throws(FileSinkiError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw FileSinkiError(
                .coding, path: path, message: "The value cannot be written as JSON.",
                remedy: "See that all of its numbers are finite.", cause: "\(error)")
        }
    }

    /// Nil when the bytes are not a value of the type.
    static func decode<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    /// - Throws: Code `coding` when the bytes are not a value of the type.
    static func decode<Value: Decodable>(
        _ bytes: [UInt8], _ path: String
    ) throws(FileSinkiError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw FileSinkiError(
                .coding, path: path, message: "The file does not hold a \(Value.self).",
                remedy: "Load its bytes to see what it holds.", cause: "\(error)")
        }
    }
}
