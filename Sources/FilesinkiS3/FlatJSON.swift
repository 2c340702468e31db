/// The texts of one flat JSON object: enough to read what a command says of credentials.
///
/// The form is https://www.rfc-editor.org/rfc/rfc8259. Values that are no texts are kept as they are
/// written, and nothing may lie inside another value.
struct FlatJSON {
    private(set) var values: [String: String] = [:]
    private var rest: Substring.UnicodeScalarView

    /// Nil for anything else than one flat object.
    init?(_ text: String) {
        rest = text[...].unicodeScalars
        guard readObject() else { return nil }
        skipSpace()
        guard rest.isEmpty else { return nil }
    }

    private mutating func readObject() -> Bool {
        guard take("{") else { return false }
        if take("}") { return true }
        repeat {
            skipSpace()
            guard let name = readText(), take(":"), let value = readValue() else { return false }
            values[name] = value
        } while take(",")
        return take("}")
    }

    private mutating func readValue() -> String? {
        skipSpace()
        if rest.first == "\"" { return readText() }
        let word = rest.prefix {
            ("a"..."z").contains($0) || "0123456789+-.E".unicodeScalars.contains($0)
        }
        rest.removeFirst(word.count)
        return word.isEmpty ? nil : String(word)
    }

    private mutating func readText() -> String? {
        guard rest.popFirst() == "\"" else { return nil }
        var units: [UInt16] = []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(decoding: units, as: UTF16.self)
            case "\\":
                guard let unit = readEscape() else { return nil }
                units.append(unit)
            case _ where scalar.value < 0x20: return nil
            default: units += Array(String(scalar).utf16)
            }
        }
        return nil
    }

    private mutating func readEscape() -> UInt16? {
        guard let scalar = rest.popFirst() else { return nil }
        switch scalar {
        case "\"", "\\", "/": return UInt16(scalar.value)
        case "b": return 8
        case "f": return 12
        case "n": return 10
        case "r": return 13
        case "t": return 9
        case "u":
            let digits = String(rest.prefix(4))
            guard digits.utf8.count == 4, !digits.hasPrefix("+"), !digits.hasPrefix("-") else {
                return nil
            }
            rest.removeFirst(4)
            return UInt16(digits, radix: 16)
        default: return nil
        }
    }

    private mutating func skipSpace() {
        rest = rest.drop { " \t\r\n".unicodeScalars.contains($0) }
    }

    /// Takes a sign, if it is next.
    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == sign else { return false }
        rest.removeFirst()
        return true
    }
}
