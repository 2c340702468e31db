/// Percent-encoding of names in addresses: https://www.rfc-editor.org/rfc/rfc3986#section-2.1
package enum PercentCoding {
    /// Encodes all but letters, digits and `- . _ ~`.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes a path, leaving its slashes.
    package static func encodePath(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { encode($0.utf8) }.joined(separator: "/")
    }

    /// Nil when a `%` is not followed by two hexadecimal digits.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(value),
                let low = rest.popFirst().flatMap(value)
            else { return nil }
            result.append(high << 4 | low)
        }
        return result
    }

    /// The decoded text; nil when it is malformed or not UTF-8.
    package static func decodedText(_ text: some StringProtocol) -> String? {
        decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The base 64 encoding: https://www.rfc-editor.org/rfc/rfc4648
package enum Base64 {
    /// The 64 characters, and whether `=` fills up to four.
    package enum Alphabet: Sendable {
        /// `A-Z a-z 0-9 + /`, filled up.
        case standard
        /// `A-Z a-z 0-9 - _`, not filled up: fit for addresses and file names.
        case url
    }

    package static func encode(
        _ bytes: some Sequence<UInt8>, _ alphabet: Alphabet = .standard
    ) -> String {
        let digits = digits(of: alphabet)
        var text: [UInt8] = []
        var held: UInt32 = 0
        var bits = 0
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(digits[Int(held >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { text.append(digits[Int(held << UInt32(6 - bits) & 63)]) }
        while alphabet == .standard, !text.count.isMultiple(of: 4) {
            text.append(UInt8(ascii: "="))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for anything that ``encode(_:_:)`` cannot have made.
    package static func decode(
        _ text: some StringProtocol, _ alphabet: Alphabet = .standard
    ) -> [UInt8]? {
        let digits = digits(of: alphabet)
        var bytes: [UInt8] = []
        var held: UInt32 = 0
        var bits = 0
        for character in text.utf8 where character != UInt8(ascii: "=") {
            guard let value = digits.firstIndex(of: character) else { return nil }
            held = held << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
            }
        }
        // One text for one value: no stray bits, no stray or missing filling.
        return encode(bytes, alphabet).utf8.elementsEqual(text.utf8) ? bytes : nil
    }

    private static func digits(of alphabet: Alphabet) -> [UInt8] {
        let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        return Array((common + (alphabet == .standard ? "+/" : "-_")).utf8)
    }
}

/// The bytes as hexadecimal digits, lower case, two for each byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
}

/// The bytes that hexadecimal digits of either case spell; nil for an odd number of digits or any
/// other character.
package func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = value(ofDigit: digits[index]), let low = value(ofDigit: digits[index + 1])
        else { return nil }
        result.append(high << 4 | low)
    }
    return result
}

private func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
