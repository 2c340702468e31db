/// Writes values and keys as TOML 1.0, <https://toml.io/en/v1.0.0>.
package enum TOMLWriter {
    /// A value on one line; nil for a kind that settings do not have.
    ///
    /// - Parameter former: The bytes of the value that it replaces. Text keeps their kind of quotes
    ///   where it can be written in them.
    package static func value(
        _ value: TOMLValue, replacing former: ArraySlice<UInt8> = []
    ) -> String? {
        switch value {
        case .boolean(let value): return String(value)
        case .integer(let value): return String(value)
        case .string(let text):
            let quote = UInt8(ascii: "'")
            let isLiteral = former.first == quote && !former.starts(with: [quote, quote, quote])
            return isLiteral && canBeLiteral(text) ? "'\(text)'" : string(text)
        case .array, .table, .other: return nil
        }
    }

    /// A key: its parts, separated by dots, in quotes where they need them.
    package static func key(_ parts: [String]) -> String {
        parts.map { $0.utf8.isEmpty || !$0.utf8.allSatisfy(isBare) ? string($0) : $0 }
            .joined(separator: ".")
    }

    /// Whether a byte of a key needs no quotes.
    static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Whether text can be written in single quotes, which know no escapes.
    private static func canBeLiteral(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 != UInt8(ascii: "'") && !isControl($0) }
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// Text in double quotes. What a terminal would act on, such as marks of text direction, is escaped, too.
    private static func string(_ text: String) -> String {
        let escaped = text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format: result += escape(scalar)
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return "\"\(escaped)\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let width = scalar.value > 0xFFFF ? 8 : 4
        return (width == 8 ? "\\U" : "\\u")
            + String(repeating: "0", count: width - digits.count) + digits
    }
}
