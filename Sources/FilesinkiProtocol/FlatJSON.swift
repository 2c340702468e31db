/// Reads the one shape of JSON that the protocol has: an object of strings, and no other values.
enum FlatJSON {
    /// The members; nil for anything else than `{"name":"text",…}`.
    static func strings(_ bytes: [UInt8]) -> [String: String]? {
        var rest = bytes[...]
        var members: [String: String] = [:]
        guard take("{", &rest) else { return nil }
        if take("}", &rest) { return members }
        repeat {
            guard let name = string(&rest), take(":", &rest), let text = string(&rest) else {
                return nil
            }
            members[name] = text
        } while take(",", &rest)
        return take("}", &rest) ? members : nil
    }

    private static func skipSpace(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { " \t\r\n".utf8.contains($0) }
    }

    private static func take(_ mark: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        skipSpace(&rest)
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func string(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard take("\"", &rest) else { return nil }
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let plain = escaped(&rest) else { return nil }
                text += plain
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private static func escaped(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): [0x0A]
        case UInt8(ascii: "t"): [0x09]
        case UInt8(ascii: "r"): [0x0D]
        case UInt8(ascii: "b"): [0x08]
        case UInt8(ascii: "f"): [0x0C]
        case UInt8(ascii: "u"): codePoint(&rest)
        case .some(let byte) where "\"\\/".utf8.contains(byte): [byte]
        default: nil
        }
    }

    /// Four digits; halves of a pair are refused, for a server of ours writes none.
    private static func codePoint(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        let digits = rest.prefix(4)
        rest = rest.dropFirst(4)
        guard digits.count == 4,
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return Array(String(Character(scalar)).utf8)
    }
}
