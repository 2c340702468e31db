import FilesinkiItems
import FilesinkiKeyValue
import FilesinkiModel
import FilesinkiText

/// A type that a user can name.
enum ValueTypeName: String, CaseIterable {
    case string, int, double, bool, date, data, url, json

    /// - Throws: `Failure` with code `usage` for any other word.
    init(parsing text: String) throws(Failure) {
        guard let found = Self(rawValue: text) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                .usage, path: text, "Invalid type.", remedy: "Use \(names).")
        }
        self = found
    }

    /// Whether a value is of this type; `json` is any.
    func fits(_ value: TypedValue) -> Bool {
        self == .json || value.type.rawValue == rawValue
    }
}

/// Values as a user writes and reads them.
enum ValueText {
    /// The value that bytes spell; nil for JSON's null, which removes.
    ///
    /// - Parameter isArgument: Whether they are an argument, where data is base 64, or a stream.
    /// - Throws: `Failure` with code `usage` when they are none of the type.
    static func parse(
        _ bytes: [UInt8], as type: ValueTypeName, isArgument: Bool
    ) throws(Failure) -> TypedValue? {
        if type == .data, !isArgument { return .data(bytes) }
        guard let whole = String(validating: bytes, as: UTF8.self) else {
            throw wrong(
                bytes, type, "The value is not UTF-8. Use --type data for bytes of any kind.")
        }
        if type == .string { return .string(whole) }
        let text = trimmed(whole)
        if type == .json {
            let value = try JSONText.decode(text.utf8)
            if case .null = value { return nil }
            return value
        }
        guard let value = scalar(text, type) else { throw wrong(bytes, type, hint(type)) }
        return value
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        return String(text)
    }

    private static func scalar(_ text: String, _ type: ValueTypeName) -> TypedValue? {
        switch type {
        case .int: Int64(text).map(TypedValue.integer)
        case .double: Double(text).flatMap { $0.isNaN ? nil : .double($0) }
        case .bool: ["true": true, "false": false][text].map(TypedValue.bool)
        case .date: date(text).map { .date(milliseconds: $0) }
        case .data: Base64.decode(text).map(TypedValue.data)
        case .url: isAddress(text) ? .url(text) : nil
        case .string, .json: nil
        }
    }

    private static func date(_ text: String) -> Int64? {
        DateText.milliseconds(text)
            ?? DateText.timestamp(text).map { time in
                time.seconds * 1_000 + time.remainder / 1_000_000
            }
    }

    /// A scheme and what follows: https://www.rfc-editor.org/rfc/rfc3986#section-3.1
    private static func isAddress(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return false }
        let scheme = text[..<colon]
        let isPlain = !text.unicodeScalars.contains { $0.value <= 0x20 || $0.value == 0x7F }
        return isPlain && scheme.first?.isLetter == true
            && scheme.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
            }
    }

    private static func hint(_ type: ValueTypeName) -> String {
        switch type {
        case .int: "Write a whole number of 64 bits."
        case .double: "Write a number, as 0.5, 1e9 or inf; NaN cannot be kept."
        case .bool: "Write true or false."
        case .date: "Write it as 2024-05-01T09:30:00.250Z, or 2024-05-01 11:30."
        case .data: "Write base 64, or give the bytes on standard input with -."
        case .url: "Write it with its scheme, as https://example.org."
        case .string, .json: "Correct it."
        }
    }

    private static func wrong(_ bytes: [UInt8], _ type: ValueTypeName, _ hint: String) -> Failure {
        Failure(
            .usage, path: Array(bytes.prefix(100)),
            "Invalid value of type \(type.rawValue).",
            remedy: hint)
    }

    /// The value's bytes as a script wants them: texts and data as they are.
    static func bytes(_ value: TypedValue) -> [UInt8] { value.plainBytes }

    /// The value on one line, safe for a terminal.
    static func line(_ value: TypedValue) -> String {
        if case .data(let bytes) = value { return Base64.encode(bytes) }
        return printable(bytes(value))
    }
}

extension JSONObject {
    /// Adds a key and what it holds.
    mutating func add(_ held: Register, of key: ValueKey, _ options: KeyValueOptions) {
        add("key", bytes: options.name(key))
        add("db", options.database.member)
        guard let value = held.value else { return }
        add("value_type", value.type.rawValue)
        add("value", .written(JSONText.encode(value)))
        // A value of --default was not set by a device.
        guard !held.device.isEmpty else { return }
        add("merge", held.policy.name)
        add("time", Timestamp(nanoseconds: held.time))
        add("device_id", hexadecimal(held.device))
    }
}
