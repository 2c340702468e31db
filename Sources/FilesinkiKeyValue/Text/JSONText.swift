package import FilesinkiModel

/// Values as JSON (RFC 8259).
package enum JSONText {
    /// How types are told that JSON has not.
    package enum Form: Sendable {
        /// Dates and data as text: for programs that know what to expect.
        case plain
        /// With `$date`, `$data`, `$url` and `$double`, so that reading gives the very same value.
        case exact
    }

    /// The value of a JSON text.
    ///
    /// - Parameter form: Whether members such as `$date` mean a type.
    /// - Throws: `Failure` with code `usage` that says what is wrong and where.
    package static func decode(
        _ bytes: some Collection<UInt8>, _ form: Form = .plain
    ) throws(Failure) -> TypedValue {
        try JSONReader(form: form).document(Array(bytes))
    }

    /// The value as JSON on one line.
    package static func encode(_ value: TypedValue, _ form: Form = .plain) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, form, to: &bytes)
        return bytes
    }

    private static func append(_ value: TypedValue, _ form: Form, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += Array("null".utf8)
        case .bool(let value): bytes += Array((value ? "true" : "false").utf8)
        case .integer(let value): bytes += Array(String(value).utf8)
        case .double(let value): append(value, form, to: &bytes)
        case .date(let value):
            tagged("$date", form, to: &bytes) { append(DateText.text(value), to: &$0) }
        case .string(let text): append(text, to: &bytes)
        case .data(let data):
            tagged("$data", form, to: &bytes) { append(Base64.encode(data), to: &$0) }
        case .url(let text): tagged("$url", form, to: &bytes) { append(text, to: &$0) }
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(value, form, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .dictionary(let members):
            // A dictionary that looks like a tag is wrapped in one.
            let isAmbiguous = members.count == 1 && members.first?.name.first == "$"
            guard form == .exact, isAmbiguous else { return append(members, form, to: &bytes) }
            tagged("$dictionary", form, to: &bytes) { append(members, form, to: &$0) }
        }
    }

    private static func append(_ members: ValueMembers, _ form: Form, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(member.value, form, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func tagged(
        _ tag: String, _ form: Form, to bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void
    ) {
        guard form == .exact else { return body(&bytes) }
        bytes += Array("{\"\(tag)\":".utf8)
        body(&bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ number: Double, _ form: Form, to bytes: inout [UInt8]) {
        guard number.isInfinite else {
            bytes += Array(number.description.utf8)
            return
        }
        tagged("$double", form, to: &bytes) { append(number < 0 ? "-inf" : "inf", to: &$0) }
    }

    /// A text with its quotes. Control characters are escaped, so that a line stays a line.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes += Array("\\\"".utf8)
            case "\\": bytes += Array("\\\\".utf8)
            case "\n": bytes += Array("\\n".utf8)
            case "\t": bytes += Array("\\t".utf8)
            case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                bytes += Array(("\\u" + String(repeating: "0", count: 4 - digits.count)).utf8)
                bytes += Array(digits.utf8)
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
