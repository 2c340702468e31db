/// What a document is made of, byte by byte.
extension JSONParser {
    static func end(of kind: JSONNode.Kind) -> UInt8 {
        kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")
    }

    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    func text(from start: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    func problem(_ reason: String) -> JSONProblem {
        let read = bytes[..<min(position, bytes.count)]
        return JSONProblem(line: 1 + read.count { $0 == UInt8(ascii: "\n") }, reason: reason)
    }

    func unexpected(inside kind: JSONNode.Kind) -> JSONProblem {
        switch peek() {
        case nil: problem("ends too early")
        case UInt8(ascii: "/"), UInt8(ascii: "#"): problem("has a comment")
        default: problem("has neither a comma nor the end of the \(kind)")
        }
    }

    mutating func skipSpace() {
        while position < bytes.count, JSONText.isSpace(bytes[position]) { position += 1 }
    }

    mutating func skipLiteral(_ first: UInt8) throws(JSONProblem) {
        let word: StaticString =
            switch first {
            case UInt8(ascii: "t"): "true"
            case UInt8(ascii: "f"): "false"
            case UInt8(ascii: "n"): "null"
            case UInt8(ascii: "/"), UInt8(ascii: "#"): throw problem("has a comment")
            default: throw problem("has no value where one belongs")
            }
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, memory(position..<end, equals: word) else {
            throw problem("has no value where one belongs")
        }
        position = end
    }

    private func memory(_ range: Range<Int>, equals word: StaticString) -> Bool {
        word.withUTF8Buffer { $0.elementsEqual(bytes[range]) }
    }

    mutating func skipNumber() throws(JSONProblem) {
        if peek() == UInt8(ascii: "-") { position += 1 }
        let start = position
        try skipDigits()
        guard position == start + 1 || bytes[start] != UInt8(ascii: "0") else {
            throw problem("has a number that begins with 0")
        }
        if peek() == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        guard peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") else { return }
        position += 1
        if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
        try skipDigits()
    }

    private mutating func skipDigits() throws(JSONProblem) {
        let start = position
        while let byte = peek(), JSONText.isDigit(byte) { position += 1 }
        guard position > start else { throw problem("has a number without a digit") }
    }

    mutating func skipString() throws(JSONProblem) {
        position += 1
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): try skipEscape()
            case 0x20..<0x80: position += 1
            case 0x80...: try skipScalar(byte)
            default: throw problem("has a control character in a text")
            }
        }
        throw problem("ends inside a text")
    }

    private mutating func skipEscape() throws(JSONProblem) {
        position += 1
        switch peek() {
        case UInt8(ascii: "u"):
            let digits = bytes[min(position + 1, bytes.count)..<min(position + 5, bytes.count)]
            guard digits.count == 4, digits.allSatisfy({ JSONText.hexadecimal($0) != nil }) else {
                throw problem("has a \\u without four digits")
            }
            position += 5
        case .some(let byte) where JSONText.escaped(byte) != nil: position += 1
        default: throw problem("has a backslash before what it cannot escape")
        }
    }

    /// One scalar of two to four bytes: the table 3-7 of the Unicode standard, version 15.
    private mutating func skipScalar(_ first: UInt8) throws(JSONProblem) {
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch first {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: throw problem("is not UTF-8")
            }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]),
            bytes[(position + 2)..<(position + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw problem("is not UTF-8") }
        position += length
    }
}
