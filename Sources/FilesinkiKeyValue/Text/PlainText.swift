import FilesinkiText

extension TypedValue {
    /// The value's bytes as a script wants them: texts and data as they are, dates as text, everything
    /// else as JSON.
    package var plainBytes: [UInt8] {
        switch self {
        case .string(let text), .url(let text): Array(text.utf8)
        case .data(let bytes): bytes
        case .date(let milliseconds): Array(DateText.text(milliseconds).utf8)
        case .double(let number): Array(number.description.utf8)
        case .null, .bool, .integer, .array, .dictionary: JSONText.encode(self)
        }
    }

    /// The value of the same type as this one that has these bytes; nil when there is none.
    func sameType(plainBytes bytes: [UInt8]) -> TypedValue? {
        if case .data = self { return .data(bytes) }
        guard let whole = String(validating: bytes, as: UTF8.self) else { return nil }
        if case .string = self { return .string(whole) }
        let text = Self.trimmed(whole)
        switch self {
        case .url: return text.isEmpty ? nil : .url(text)
        case .date: return DateText.milliseconds(text).map { .date(milliseconds: $0) }
        case .double: return Double(text).flatMap { $0.isNaN ? nil : .double($0) }
        case .bool, .integer, .array, .dictionary:
            guard let value = try? JSONText.decode(text.utf8), value.type == type else {
                return nil
            }
            return value
        case .null, .string, .data: return nil
        }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        return String(text)
    }
}
