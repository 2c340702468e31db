internal import FilesinkiModel

/// Reads JSON that anybody may have written.
struct JSONReader {
    private let bytes: [UInt8]
    private let form: JSONText.Form
    private var position = 0

    init(_ bytes: [UInt8], _ form: JSONText.Form) {
        self.bytes = bytes
        self.form = form
    }

    /// One value, with nothing but space around it.
    mutating func document() throws(Failure) -> TypedValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw flaw("Something stands behind the value.") }
        return value
    }

    /// The members of an object, with their places, and nothing but space around it.
    mutating func members() throws(Failure) -> [JSONMembers.Member] {
        var found: [JSONMembers.Member] = []
        try take("{")
        if !skip("}") {
            repeat {
                skipSpace()
                let start = position
                let name = try string()
                try take(":")
                skipSpace()
                let content = position
                let value = try value(depth: 1)
                found.append(
                    JSONMembers.Member(
                        name: name, value: value, whole: start..<position,
                        content: content..<position))
            } while skip(",")
            try take("}")
        }
        skipSpace()
        guard position == bytes.count else { throw flaw("Something stands behind the value.") }
        guard Set(found.map { Array($0.name.utf8) }).count == found.count else {
            throw flaw("A name occurs twice.")
        }
        return found
    }

    private mutating func value(depth: Int) throws(Failure) -> TypedValue {
        skipSpace()
        guard depth <= ValueCoder.maximumDepth else { throw flaw("It is nested too deeply.") }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func word(
        _ word: String, _ value: TypedValue
    ) throws(Failure) -> TypedValue {
        guard bytes[position...].starts(with: word.utf8) else { throw flaw("This is no value.") }
        position += word.utf8.count
        return value
    }

    private mutating func take(_ character: Unicode.Scalar) throws(Failure) {
        skipSpace()
        guard next == UInt8(ascii: character) else { throw flaw("A \(character) is missing.") }
        position += 1
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func array(depth: Int) throws(Failure) -> TypedValue {
        try take("[")
        var values: [TypedValue] = []
        if skip("]") { return .array([]) }
        repeat { values.append(try value(depth: depth + 1)) } while skip(",")
        try take("]")
        return .array(values)
    }

    /// - Parameter isWrapped: Whether a tag says that no tag is meant.
    private mutating func object(
        depth: Int, isWrapped: Bool = false
    ) throws(Failure) -> TypedValue {
        try take("{")
        var members: [ValueMembers.Member] = []
        if !skip("}") {
            repeat {
                skipSpace()
                let name = try string()
                try take(":")
                let member = try member(name, depth: depth, isWrapped: isWrapped)
                members.append(ValueMembers.Member(name: name, value: member))
            } while skip(",")
            try take("}")
        }
        if form == .exact, !isWrapped, members.count == 1, members[0].name.first == "$" {
            return try tagged(members[0])
        }
        guard let members = ValueMembers(members) else { throw flaw("A name occurs twice.") }
        return .dictionary(members)
    }

    private mutating func member(
        _ name: String, depth: Int, isWrapped: Bool
    ) throws(Failure) -> TypedValue {
        skipSpace()
        let isWrapping = form == .exact && !isWrapped && name == "$dictionary"
        guard isWrapping, next == UInt8(ascii: "{") else { return try value(depth: depth + 1) }
        return try object(depth: depth + 1, isWrapped: true)
    }

    private func tagged(_ member: ValueMembers.Member) throws(Failure) -> TypedValue {
        switch (member.name, member.value) {
        case ("$date", .string(let text)):
            if let date = DateText.milliseconds(text) { return .date(milliseconds: date) }
        case ("$data", .string(let text)):
            if let data = Base64.decode(text) { return .data(data) }
        case ("$url", .string(let text)): return .url(text)
        case ("$double", .string("inf")): return .double(.infinity)
        case ("$double", .string("-inf")): return .double(-.infinity)
        case ("$dictionary", .dictionary): return member.value
        default: break
        }
        throw flaw("\(printable(member.name.utf8)) has no such value.")
    }

    private mutating func number() throws(Failure) -> TypedValue {
        let start = position
        while let byte = next, Self.isOfNumber(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let hasZero = digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true
        guard let first = digits.utf8.first, (48...57).contains(first), !hasZero,
            digits.utf8.last.map({ (48...57).contains($0) }) == true, !text.contains(".e"),
            !text.contains(".E")
        else { throw flaw("This is no value.") }
        let isWhole = digits.utf8.allSatisfy { (48...57).contains($0) }
        if isWhole, text != "-0" {
            guard let whole = Int64(text) else {
                throw flaw("The number \(text) does not fit into 64 bits.")
            }
            return .integer(whole)
        }
        guard let number = Double(text), number.isFinite else {
            throw flaw("The number \(printable(text.utf8)) cannot be kept.")
        }
        return .double(number)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || "+-.eE".utf8.contains(byte)
    }

    private mutating func string() throws(Failure) -> String {
        guard next == UInt8(ascii: "\"") else { throw flaw("A text is missing.") }
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let result = String(validating: text, as: UTF8.self) else {
                    throw flaw("A text is not UTF-8.")
                }
                return result
            case UInt8(ascii: "\\"): text += try escape()
            case 0..<0x20: throw flaw("A control character stands in a text.")
            default: text.append(byte)
            }
        }
        throw flaw("A text has no end.")
    }

    private mutating func escape() throws(Failure) -> [UInt8] {
        let plain: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D,
            0x74: 0x09,
        ]
        guard let byte = next else { throw flaw("A text has no end.") }
        position += 1
        if let character = plain[byte] { return [character] }
        guard byte == UInt8(ascii: "u") else { throw flaw("This escape is not known.") }
        var code = try digits()
        if (0xD800..<0xDC00).contains(code), bytes[position...].starts(with: "\\u".utf8) {
            position += 2
            let low = try digits()
            guard (0xDC00..<0xE000).contains(low) else { throw flaw("Half a character.") }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw flaw("Half a character.") }
        return Array(String(scalar).utf8)
    }

    private mutating func digits() throws(Failure) -> UInt32 {
        let end = min(position + 4, bytes.count)
        let text = String(decoding: bytes[position..<end], as: UTF8.self)
        guard text.utf8.count == 4, !text.hasPrefix("+"), !text.hasPrefix("-"),
            let code = UInt32(text, radix: 16)
        else { throw flaw("An escape needs four digits.") }
        position = end
        return code
    }

    private func flaw(_ message: String) -> Failure {
        Failure(
            .usage, "This is no JSON, at byte \(position): \(message)",
            remedy: "Correct it and try again.")
    }
}
