package import FilesinkiModel
import FilesinkiText

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
            tagged("$date", form, to: &bytes) { JSONString.append(DateText.text(value), to: &$0) }
        case .string(let text): JSONString.append(text, to: &bytes)
        case .data(let data):
            tagged("$data", form, to: &bytes) { JSONString.append(Base64.encode(data), to: &$0) }
        case .url(let text): tagged("$url", form, to: &bytes) { JSONString.append(text, to: &$0) }
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
            JSONString.append(member.name, to: &bytes)
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
        tagged("$double", form, to: &bytes) {
            JSONString.append(number < 0 ? "-inf" : "inf", to: &$0)
        }
    }
}
