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
