import FilesinkiModel

extension TOMLReader {
    /// Reads a string in one of TOML's four forms; the opening quote is next.
    ///
    /// - Parameter multiline: Whether three quotes open a string of several lines; not so in a key.
    mutating func string(multiline: Bool) throws(Failure) -> String {
        let quote = bytes[index]
        let isLong = multiline && peek(1) == quote && peek(2) == quote
        index += isLong ? 3 : 1
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
                "An escape in a string names no character.",
                "Write \\u and four hexadecimal digits.")
        }
        index = end
        return Array(String(scalar).utf8)
    }
}
