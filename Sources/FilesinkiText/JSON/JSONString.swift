/// Strings as JSON writes them: in quotes, with escapes.
package enum JSONString {
    /// The text in quotes, as ``append(_:to:)`` writes it. It is a basic string of TOML, too.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a text in quotes. Control characters, also those beyond ASCII, are escaped, so that a
    /// line stays one line and a terminal that shows it is not affected.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                bytes.append(contentsOf: "\\u".utf8)
                bytes.append(contentsOf: String(repeating: "0", count: 4 - digits.count).utf8)
                bytes.append(contentsOf: digits.utf8)
            default:
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// The byte that a letter stands for after a backslash; nil for a letter that cannot follow one.
    static func escaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    static func hexadecimal(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    static func hash(_ quoted: UnsafeBufferPointer<UInt8>) -> Int {
        let inside = UnsafeBufferPointer(rebasing: quoted.dropFirst().dropLast())
        guard inside.contains(UInt8(ascii: "\\")) else { return JSONHash.bytes(inside) }
        return unescaped(quoted[...]).withUnsafeBufferPointer { JSONHash.bytes($0) }
    }

    /// The bytes of a string that is written in quotes and is well formed.
    ///
    /// A surrogate without its partner has no UTF-8. It becomes the three bytes that it would have,
    /// so that two strings are equal only when they escape to the same code units.
    package static func unescaped(_ quoted: some RandomAccessCollection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(quoted.count)
        var rest = quoted.dropFirst().dropLast().makeIterator()
        var lead: UInt32?
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.next() else {
                flush(&lead, into: &result)
                result.append(byte)
                continue
            }
            guard kind == UInt8(ascii: "u") else {
                flush(&lead, into: &result)
                result.append(escaped(kind) ?? kind)
                continue
            }
            var unit: UInt32 = 0
            for _ in 0..<4 { unit = unit << 4 | (rest.next().flatMap(hexadecimal) ?? 0) }
            append(unit, after: &lead, to: &result)
        }
        flush(&lead, into: &result)
        return result
    }

    /// A code unit of UTF-16, which may be the second half of a pair.
    private static func append(_ unit: UInt32, after lead: inout UInt32?, to result: inout [UInt8])
    {
        if let first = lead, 0xDC00..<0xE000 ~= unit {
            encode(0x10000 + ((first - 0xD800) << 10) + (unit - 0xDC00), into: &result)
            lead = nil
            return
        }
        flush(&lead, into: &result)
        if 0xD800..<0xDC00 ~= unit { lead = unit } else { encode(unit, into: &result) }
    }

    private static func flush(_ lead: inout UInt32?, into result: inout [UInt8]) {
        guard let unit = lead else { return }
        encode(unit, into: &result)
        lead = nil
    }

    private static func encode(_ scalar: UInt32, into result: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (scalar >> shift) & 0x3F) }
        switch scalar {
        case ..<0x80: result.append(UInt8(scalar))
        case ..<0x800: result += [UInt8(0xC0 | scalar >> 6), tail(0)]
        case ..<0x10000: result += [UInt8(0xE0 | scalar >> 12), tail(6), tail(0)]
        default: result += [UInt8(0xF0 | scalar >> 18 & 7), tail(12), tail(6), tail(0)]
        }
    }
}
