import FilesinkiModel

extension TOMLReader {
    /// Reads a value; `depth` counts the arrays and tables around it.
    mutating func value(depth: Int) throws(Failure) -> TOMLValue {
        guard depth <= Self.maximumDepth else {
            throw flaw(
                "Values are too deep inside each other.",
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
                "The value is not understood.", "Put text in quotes, as in strategy = \"newest\".")
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
