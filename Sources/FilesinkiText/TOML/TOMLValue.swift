import FilesinkiModel

/// A value in a TOML document, as far as settings need it.
package indirect enum TOMLValue: Equatable, Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([TOMLValue])
    case table([TOMLPair])
    /// A number with a fraction, another base or too many digits, a date or a time: as written.
    case other(String)

    /// The kind of the value for a message, with its article.
    package var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .boolean: "a boolean"
        case .array: "an array"
        case .table: "a table"
        case .other: "a number or a date"
        }
    }
}

/// A key with its value.
package struct TOMLPair: Equatable, Sendable {
    /// The parts of the key, which are separated by dots: `a.b` has two.
    package var key: [String]
    package var value: TOMLValue
}

/// One statement of a TOML document, in the order of the document.
package struct TOMLStatement: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// `[name]`
        case table([String])
        /// `[[name]]`
        case tableInArray([String])
        /// `key = value`
        case pair(TOMLPair)
    }

    /// The line on which it begins, from 1.
    package var line: Int
    package var kind: Kind
    /// Its bytes in the document, without the comment behind it.
    package var range: Range<Int>
    /// The bytes of a pair's value; empty for a table.
    package var value: Range<Int>
}

extension TOMLReader {
    /// Reads a value; `depth` counts the arrays and tables around it.
    mutating func value(depth: Int) throws(Failure) -> TOMLValue {
        guard depth <= Self.maximumDepth else {
            throw flaw(
                "Values are nested too deeply.",
                "Use no more than \(Self.maximumDepth) levels.")
        }
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string(multiline: true))
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "{"): return try table(depth: depth)
        default: return try plain()
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> TOMLValue {
        index += 1
        var values: [TOMLValue] = []
        while true {
            try skipBlankLines()
            if take("]") { return .array(values) }
            values.append(try value(depth: depth + 1))
            try skipBlankLines()
            if take(",") { continue }
            guard take("]") else {
                throw flaw("An array is not closed.", "Separate its values by , and end it with ].")
            }
            return .array(values)
        }
    }

    private mutating func table(depth: Int) throws(Failure) -> TOMLValue {
        index += 1
        skipSpaces()
        if take("}") { return .table([]) }
        var pairs: [TOMLPair] = []
        while true {
            pairs.append(try pair(depth: depth + 1))
            skipSpaces()
            if take(",") { continue }
            guard take("}") else {
                throw flaw(
                    "A table in braces is not closed.",
                    "Separate its pairs by , on one line and end it with }.")
            }
            return .table(pairs)
        }
    }

    /// Reads a boolean, a number, or a date, which all have no quotes.
    private mutating func plain() throws(Failure) -> TOMLValue {
        let start = index
        while let byte = peek(), isPlain(byte) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if text == "true" { return .boolean(true) }
        if text == "false" { return .boolean(false) }
        let isNumber = text.utf8.first.map { $0 <= UInt8(ascii: "9") } ?? false
        guard isNumber || ["inf", "nan"].contains(text) else {
            throw flaw(
                "Invalid value.", "Put text in quotes, as in strategy = \"newest\".")
        }
        return integer(text).map(TOMLValue.integer) ?? .other(text)
    }

    /// A decimal integer; nil for all else, which no setting takes.
    private func integer(_ text: String) -> Int? {
        let digits = text.utf8.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        if digits.count > 1, digits.first == UInt8(ascii: "0") { return nil }
        if digits.first == UInt8(ascii: "_") || digits.last == UInt8(ascii: "_") { return nil }
        return Int(String(text.filter { $0 != "_" }))
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

extension TOMLReader {
    /// Reads a string in one of TOML's four forms; the opening quote is next.
    ///
    /// - Parameter multiline: Whether three quotes open a string of several lines; not so in a key.
    mutating func string(multiline: Bool) throws(Failure) -> String {
        let quote = bytes[index]
        let isLong = multiline && peek(1) == quote && peek(2) == quote
        index += isLong ? 3 : 1
        if !isLong, let text = plainString(quote) { return text }
        if isLong { _ = takeLineEnd() }
        var result: [UInt8] = []
        while let byte = peek() {
            if byte == quote, close(quote, isLong: isLong, into: &result) {
                return String(decoding: result, as: UTF8.self)
            } else if byte == quote {
                result.append(quote)
                index += 1
            } else if isLong, takeLineEnd() {
                result.append(UInt8(ascii: "\n"))
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                try escape(isLong: isLong, into: &result)
            } else if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                break
            } else if isControl(byte) {
                throw controlCharacter()
            } else {
                result.append(byte)
                index += 1
            }
        }
        throw flaw("A string is not closed.", "End it with the quote that it began with.")
    }

    /// Reads the rest of a string on one line that has no escapes, as most have none; nil for another one.
    private mutating func plainString(_ quote: UInt8) -> String? {
        var end = index
        while end < bytes.count, bytes[end] != quote, bytes[end] != UInt8(ascii: "\\"),
            !isControl(bytes[end])
        {
            end += 1
        }
        guard end < bytes.count, bytes[end] == quote else { return nil }
        defer { index = end + 1 }
        return String(decoding: bytes[index..<end], as: UTF8.self)
    }

    /// Steps over the closing quotes when they are next. Up to two quotes right before the closing
    /// three belong to the string.
    private mutating func close(_ quote: UInt8, isLong: Bool, into result: inout [UInt8]) -> Bool {
        guard isLong else {
            index += 1
            return true
        }
        var count = 0
        while count < 5, peek(count) == quote { count += 1 }
        guard count >= 3 else { return false }
        result.append(contentsOf: repeatElement(quote, count: count - 3))
        index += count
        return true
    }

    private mutating func escape(isLong: Bool, into result: inout [UInt8]) throws(Failure) {
        index += 1
        if isLong, skipsLine() { return }
        let letter = peek() ?? 0
        index += 1
        switch letter {
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "n"): result.append(0x0A)
        case UInt8(ascii: "f"): result.append(0x0C)
        case UInt8(ascii: "r"): result.append(0x0D)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): result.append(letter)
        case UInt8(ascii: "u"): result += try scalar(digits: 4)
        case UInt8(ascii: "U"): result += try scalar(digits: 8)
        default:
            throw flaw(
                "Invalid escape in a string.",
                "Write \\\\ for a backslash, or put the text in single quotes.")
        }
    }

    /// A backslash at the end of a line takes away the line end and all white space after it.
    private mutating func skipsLine() -> Bool {
        let start = index
        skipSpaces()
        guard takeLineEnd() else {
            index = start
            return false
        }
        repeat { skipSpaces() } while takeLineEnd()
        return true
    }

    private mutating func scalar(digits: Int) throws(Failure) -> [UInt8] {
        let end = min(index + digits, bytes.count)
        let text = String(decoding: bytes[index..<end], as: UTF8.self)
        guard text.utf8.count == digits, text.utf8.first != UInt8(ascii: "+"),
            let number = UInt32(text, radix: 16), let scalar = Unicode.Scalar(number)
        else {
            throw flaw(
                "An escape in a string is not a valid character.",
                "Write \\u and four hexadecimal digits.")
        }
        index = end
        return Array(String(scalar).utf8)
    }
}
