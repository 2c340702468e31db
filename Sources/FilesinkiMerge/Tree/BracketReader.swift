import FilesinkiText

/// Reads values in brackets and braces, with commas: the values of JSON5, and those of TOML.
///
/// Every method returns nil for what is not of the format. It accepts more than TOML does.
struct BracketReader {
    enum Dialect {
        case json, toml
    }

    private let store: SyntaxStore
    private let bytes: [UInt8]
    private let dialect: Dialect
    /// Where the next byte is read.
    private(set) var position: Int
    private var depth = 0
    private var count = 0

    init(_ store: SyntaxStore, _ dialect: Dialect, at position: Int = 0) {
        self.store = store
        bytes = store.document
        self.dialect = dialect
        self.position = position
    }

    private func peek(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    /// The one value of the document, which must be a container.
    mutating func document() -> SyntaxNode? {
        guard skipTrivia(), peek() == UInt8(ascii: "{") || peek() == UInt8(ascii: "["),
            let root = value(), skipTrivia(), position == bytes.count
        else { return nil }
        return root
    }

    /// Reads the value at the position.
    mutating func value() -> SyntaxNode? {
        count += 1
        guard count <= SyntaxLimits.items else { return nil }
        switch peek() {
        case UInt8(ascii: "{"): return container(.map, end: UInt8(ascii: "}"))
        case UInt8(ascii: "["): return container(.list, end: UInt8(ascii: "]"))
        default: return scalar()
        }
    }

    // MARK: Containers

    private mutating func container(_ kind: SyntaxNode.Kind, end: UInt8) -> SyntaxNode? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= SyntaxLimits.depth else { return nil }
        let start = position
        var items: [SyntaxItem] = []
        position += 1
        position = restOfLine(from: position) ?? position
        let openingEnd = position
        while true {
            guard let trivia = trivia(from: position, closing: end) else { return nil }
            if !trivia.comments.isEmpty { items += trivia.comments }
            if peek() == end {
                position += 1
                return SyntaxNode(
                    kind: kind, range: start..<position, items: store.add(items),
                    openingEnd: openingEnd, closingStart: trivia.leadEnd, hasCommas: true)
            }
            if let last = items.last(where: { $0.role == .value }), last.comma.isEmpty {
                return nil
            }
            guard let item = item(kind, gap: trivia.gap, leadEnd: trivia.leadEnd) else {
                return nil
            }
            items.append(item)
        }
    }

    /// Reads a member or an element, with its comma and the rest of its line.
    private mutating func item(
        _ kind: SyntaxNode.Kind, gap: Range<Int>, leadEnd: Int
    ) -> SyntaxItem? {
        var name = SyntaxText.none
        if kind == .map {
            guard let key = key() else { return nil }
            name = key
        }
        guard let value = value(), skipTrivia() else { return nil }
        var comma = value.range.upperBound..<value.range.upperBound
        if peek() == UInt8(ascii: ",") {
            comma = position..<(position + 1)
        }
        position = restOfLine(from: comma.upperBound) ?? comma.upperBound
        return SyntaxItem(
            name: name, key: name, gap: gap, leadEnd: leadEnd, value: value, comma: comma,
            end: position)
    }

    /// Reads a name and what stands between it and its value.
    mutating func key() -> SyntaxText? {
        if dialect == .toml { return keyOfTOML() }
        let name: SyntaxText
        if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") {
            guard let text = string() else { return nil }
            name = text
        } else {
            let start = position
            while let byte = peek(),
                Self.isLetter(byte) || position > start && JSONString.isDigit(byte)
            {
                position += 1
            }
            guard position > start else { return nil }
            name = SyntaxText(bytes[start..<position])
        }
        guard skipTrivia(), peek() == UInt8(ascii: ":") else { return nil }
        position += 1
        return skipTrivia() ? name : nil
    }

    /// Reads `a."b c".d =`; the parts of the name are joined by dots.
    private mutating func keyOfTOML() -> SyntaxText? {
        skipSpaces()
        guard let first = keyPart() else { return nil }
        var joined: [UInt8] = []
        skipSpaces()
        while peek() == UInt8(ascii: ".") {
            position += 1
            skipSpaces()
            guard let part = keyPart() else { return nil }
            if joined.isEmpty { joined += store.slice(first) }
            joined.append(UInt8(ascii: "."))
            joined += store.slice(part)
            skipSpaces()
        }
        let name = joined.isEmpty ? first : store.copy(joined)
        guard peek() == UInt8(ascii: "=") else { return name }
        position += 1
        skipSpaces()
        return name
    }

    /// One part of a name; in quotes if it needs them.
    private mutating func keyPart() -> SyntaxText? {
        let start = position
        if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") {
            guard let text = string() else { return nil }
            let name = Array(store.slice(text))
            let isBare = !name.isEmpty && name.allSatisfy(Self.isBare)
            return isBare ? text : store.copy(Array("\"".utf8) + name + Array("\"".utf8))
        }
        while let byte = peek(), Self.isBare(byte) { position += 1 }
        return position > start ? SyntaxText(bytes[start..<position]) : nil
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        isLetter(byte) && byte != UInt8(ascii: "$") || JSONString.isDigit(byte)
            || byte == UInt8(ascii: "-")
    }

    private mutating func skipSpaces() {
        while peek() == 0x20 || peek() == 0x09 { position += 1 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
        }
    }

    // MARK: White space and comments

    /// What stands before an item or the closing bracket: comments that stand alone, white space, and where
    /// the comments right above it end. The position is at the item then.
    private mutating func trivia(
        from start: Int, closing: UInt8
    ) -> (comments: [SyntaxItem], gap: Range<Int>, leadEnd: Int)? {
        var comments: [SyntaxItem] = []
        var gapStart = start
        var run: Range<Int>?
        while true {
            let space = position
            while let byte = peek(), byte.isSpace { position += 1 }
            let lines = bytes[space..<position]
            let isLineStart = space == 0 || bytes[space - 1] == 10
            let lineStart =
                lines.lastIndex(of: 10).map { $0 + 1 } ?? (isLineStart ? space : position)
            let isEnd = peek() == closing
            let isComment = peek() == commentMark
            if let found = run, lines.contains(10) || isEnd {
                comments.append(
                    LineTrivia.comment(
                        store, gap: gapStart..<found.lowerBound, end: found.upperBound))
                (gapStart, run) = (found.upperBound, nil)
            }
            guard isComment else {
                guard let run else { return (comments, gapStart..<lineStart, lineStart) }
                return (comments, gapStart..<run.lowerBound, run.upperBound)
            }
            guard skipComment() else { return nil }
            if let end = restOfLine(from: position) { position = end }
            run = (run?.lowerBound ?? lineStart)..<position
        }
    }

    private var commentMark: UInt8 { dialect == .json ? UInt8(ascii: "/") : UInt8(ascii: "#") }

    /// The place behind the end of a line that has only white space and comments left; nil for another line.
    func restOfLine(from start: Int) -> Int? {
        var place = start
        while place < bytes.count {
            if bytes[place] == 10 { return place + 1 }
            if bytes[place].isSpace {
                place += 1
            } else {
                // A comment of several lines is not the rest of one.
                guard bytes[place] == commentMark, let end = commentEnd(from: place),
                    !bytes[place..<end].contains(10)
                else { return nil }
                place = end
            }
        }
        return nil
    }

    /// Steps over white space and comments; false for a comment that is not closed.
    private mutating func skipTrivia() -> Bool {
        while let byte = peek() {
            if byte.isSpace {
                position += 1
            } else {
                guard byte == commentMark else { return true }
                guard skipComment() else { return false }
            }
        }
        return true
    }

    /// Steps over a comment; false for one that is not closed.
    private mutating func skipComment() -> Bool {
        guard let end = commentEnd(from: position) else { return false }
        position = end
        return true
    }

    /// The end of `# …` or `// …`, which is that of the line, or of `/* … */`; nil where it is not closed.
    private func commentEnd(from start: Int) -> Int? {
        func isNext(_ byte: UInt8, _ place: Int) -> Bool {
            place < bytes.count && bytes[place] == byte
        }
        if dialect == .toml || isNext(UInt8(ascii: "/"), start + 1) {
            return bytes[start...].firstIndex(of: 10) ?? bytes.count
        }
        guard isNext(UInt8(ascii: "*"), start + 1) else { return nil }
        var place = start + 2
        while place + 1 < bytes.count {
            if bytes[place] == UInt8(ascii: "*"), bytes[place + 1] == UInt8(ascii: "/") {
                return place + 2
            }
            place += 1
        }
        return nil
    }

    // MARK: Scalars

    private mutating func scalar() -> SyntaxNode? {
        let start = position
        let meaning: (type: UInt8, text: SyntaxText)
        if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") {
            guard let text = dialect == .toml && isLongString ? longString() : string() else {
                return nil
            }
            meaning = (UInt8(ascii: "s"), text)
        } else {
            while let byte = peek(),
                Self.isWord(byte) || dialect == .toml && byte == UInt8(ascii: ":")
            {
                position += 1
            }
            let word = bytes[start..<position]
            guard
                let found = dialect == .json
                    ? self.meaning(ofWord: word) : Self.meaning(ofPlain: word)
            else { return nil }
            meaning = found
        }
        return SyntaxNode(
            kind: .scalar, type: meaning.type, range: start..<position, meaning: meaning.text)
    }

    private var isLongString: Bool { peek() == peek(1) && peek() == peek(2) }

    /// Reads a string in three quotes, which may have several lines, as it is written.
    private mutating func longString() -> SyntaxText? {
        guard let quote = peek() else { return nil }
        let start = position
        position += 3
        while let byte = peek() {
            if byte == quote, isLongString {
                // Up to two quotes before the closing ones belong to the string.
                while peek(3) == quote { position += 1 }
                position += 3
                return SyntaxText(bytes[start..<position])
            }
            position += byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
        }
        return nil
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || JSONString.isDigit(byte) || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }

    /// What a number, a boolean or a date of TOML says, as it is written.
    private static func meaning(ofPlain word: ArraySlice<UInt8>) -> (UInt8, SyntaxText)? {
        word.isEmpty ? nil : (UInt8(ascii: "w"), SyntaxText(word))
    }

    /// What a literal or a number says; nil for another word.
    private func meaning(ofWord word: ArraySlice<UInt8>) -> (UInt8, SyntaxText)? {
        if Self.isShortInteger(word) { return (UInt8(ascii: "n"), SyntaxText(word)) }
        if let number = JSONDecimal(text: word) {
            return (UInt8(ascii: "n"), store.copy(number.meaning))
        }
        let text = String(decoding: word, as: UTF8.self)
        if ["true", "false", "null"].contains(text) {
            return (UInt8(ascii: "l"), SyntaxText(word))
        }
        let plain =
            word.first == UInt8(ascii: "+") || word.first == UInt8(ascii: "-")
            ? word.dropFirst() : word
        let digits = plain.filter { $0 != UInt8(ascii: ".") }
        let isNumber =
            plain.starts(with: "0x".utf8) && plain.count > 2
            && plain.dropFirst(2).allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit }
            || ["Infinity", "NaN"].contains(String(decoding: plain, as: UTF8.self))
            || !digits.isEmpty && digits.allSatisfy(JSONString.isDigit)
                && plain.count - digits.count < 2
        return isNumber ? (UInt8(ascii: "w"), SyntaxText(word)) : nil
    }

    /// Whether a word is what ``JSONDecimal/meaning`` gives for its number.
    private static func isShortInteger(_ word: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first, first != UInt8(ascii: "0") || word.count == 1 else {
            return false
        }
        return word.count <= JSONDecimal.mostDigits && word.allSatisfy(JSONString.isDigit)
    }

    /// Reads a string in either quotes, and returns what it says.
    private mutating func string() -> SyntaxText? {
        let quote = bytes[position]
        let start = position
        position += 1
        while let byte = peek() {
            if byte == quote {
                position += 1
                let text = bytes[start..<position]
                guard text.contains(UInt8(ascii: "\\")) else {
                    return SyntaxText(text.dropFirst().dropLast())
                }
                // Escapes that JSON does not have are compared as they are written.
                let plain = (try? JSONDocument(Array(text)))?.plainText(0)
                return plain.map { store.copy($0) } ?? SyntaxText(text)
            }
            if byte == 10 { return nil }
            let isEscape =
                byte == UInt8(ascii: "\\") && (dialect == .json || quote != UInt8(ascii: "'"))
            position += isEscape ? 2 : 1
        }
        return nil
    }
}

extension JSONDecimal {
    /// The most digits of an integer that is its own meaning.
    fileprivate static let mostDigits = 15

    /// Equal for equal numbers.
    fileprivate var meaning: [UInt8] {
        let text = (isNegative ? Array("-".utf8) : []) + digits.map { $0 + UInt8(ascii: "0") }
        guard !isNegative, exponent >= 0, digits.count + exponent <= Self.mostDigits else {
            return text + Array("e\(exponent)".utf8)
        }
        return digits.isEmpty
            ? [UInt8(ascii: "0")] : text + [UInt8](repeating: 0x30, count: exponent)
    }
}
