package import FilesinkiModel

/// Reads the syntax of TOML 1.0, <https://toml.io/en/v1.0.0>, into a flat list of statements.
///
/// Which tables and keys there may be, and how often, is for the caller to say, who knows them all.
/// The input may be hostile: its size, the depth of values and the length of keys are limited.
package struct TOMLReader {
    /// The largest document, in bytes.
    package static let maximumSize = 1 << 20
    /// How deep arrays and inline tables may be inside each other, and how many parts a key may have.
    package static let maximumDepth = 16

    let bytes: [UInt8]
    /// What the document is called in messages.
    let file: String
    var index = 0
    var line = 1
    /// Where the value of the present statement begins.
    private var valueStart = 0

    /// Reads a whole document.
    ///
    /// - Throws: `Failure` with code `usage`, which names the line, for what is not TOML; with code
    ///   `limit` for a document over ``maximumSize``.
    package static func read(_ bytes: [UInt8], file: String) throws(Failure) -> [TOMLStatement] {
        var result: [TOMLStatement] = []
        try forEachStatement(of: bytes, file: file) { statement in
            result.append(statement)
            return true
        }
        return result
    }

    /// Reads a document statement by statement, up to the first one for which `body` returns false.
    ///
    /// - Throws: As ``read(_:file:)``.
    package static func forEachStatement(
        of bytes: [UInt8], file: String, _ body: (TOMLStatement) -> Bool
    ) throws(Failure) {
        guard bytes.count <= maximumSize else {
            throw Failure(
                .limit, path: file, "The settings are larger than \(maximumSize) bytes.",
                remedy: "Make the file smaller.")
        }
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        guard isASCII || String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(
                .usage, path: file, "The settings are not valid UTF-8.",
                remedy: "Save the file as UTF-8.")
        }
        var reader = TOMLReader(bytes: bytes, file: file)
        try reader.readStatements(body)
    }

    private init(bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    private mutating func readStatements(_ body: (TOMLStatement) -> Bool) throws(Failure) {
        while true {
            try skipBlankLines()
            guard index < bytes.count else { return }
            let line = line
            let start = index
            let kind = try statement()
            let end = index
            let value = if case .pair = kind { valueStart..<end } else { end..<end }
            try endLine()
            let statement = TOMLStatement(
                line: line, kind: kind, range: start..<end, value: value)
            guard body(statement) else { return }
        }
    }

    private mutating func statement() throws(Failure) -> TOMLStatement.Kind {
        guard take("[") else { return .pair(try pair()) }
        let isInArray = take("[")
        let key = try key()
        guard take("]"), !isInArray || take("]") else {
            throw flaw(
                "The name of a table is not closed.",
                "Close it as it was opened: [name] or [[name]].")
        }
        return isInArray ? .tableInArray(key) : .table(key)
    }

    /// Reads `key = value`.
    mutating func pair(depth: Int = 0) throws(Failure) -> TOMLPair {
        let key = try key()
        guard take("=") else {
            throw flaw("Missing = after the key.", "Write key = value.")
        }
        skipSpaces()
        if depth == 0 { valueStart = index }
        return TOMLPair(key: key, value: try value(depth: depth))
    }

    /// Reads a key on its own, such as `a."b c"`.
    ///
    /// - Returns: Its parts; nil for text that is not a key.
    package static func key(_ text: String) -> [String]? {
        var reader = TOMLReader(bytes: Array(text.utf8), file: "")
        guard let parts = try? reader.key(), reader.index == text.utf8.count else { return nil }
        return parts
    }

    /// Reads a key of one or more parts, and the spaces around it.
    private mutating func key() throws(Failure) -> [String] {
        var parts: [String] = []
        repeat {
            skipSpaces()
            guard parts.count < Self.maximumDepth else {
                throw flaw("A key has too many parts.", "Use no more than \(Self.maximumDepth).")
            }
            parts.append(try keyPart())
            skipSpaces()
        } while take(".")
        return parts
    }

    private mutating func keyPart() throws(Failure) -> String {
        if peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") {
            return try string(multiline: false)
        }
        let start = index
        while let byte = peek(), TOMLWriter.isBare(byte) { index += 1 }
        guard index > start else {
            throw flaw(
                "Missing key.",
                "Write key = value, with a key of letters, digits, - and _, or in quotes.")
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }
}

/// The small steps that all of the reader is made of.
extension TOMLReader {
    func peek(_ offset: Int = 0) -> UInt8? {
        index + offset < bytes.count ? bytes[index + offset] : nil
    }

    /// Steps over a character when it is the next one.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Steps over a line end, LF or CRLF, when it is next.
    mutating func takeLineEnd() -> Bool {
        if peek() == UInt8(ascii: "\r"), peek(1) == UInt8(ascii: "\n") { index += 1 }
        guard take("\n") else { return false }
        line += 1
        return true
    }

    /// Steps over spaces and tabs.
    mutating func skipSpaces() {
        while peek() == UInt8(ascii: " ") || peek() == UInt8(ascii: "\t") { index += 1 }
    }

    /// Steps over spaces, line ends and comments.
    mutating func skipBlankLines() throws(Failure) {
        repeat {
            skipSpaces()
            try skipComment()
        } while takeLineEnd()
    }

    /// Steps over the rest of a line, which must be empty or a comment.
    mutating func endLine() throws(Failure) {
        skipSpaces()
        try skipComment()
        guard takeLineEnd() || index == bytes.count else {
            throw flaw(
                "There is more than one statement on the line.", "Write one key = value on a line.")
        }
    }

    private mutating func skipComment() throws(Failure) {
        guard take("#") else { return }
        while let byte = peek(), byte != UInt8(ascii: "\n"), !endsLine(byte) {
            if isControl(byte) { throw controlCharacter() }
            index += 1
        }
    }

    private func endsLine(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\r") && peek(1) == UInt8(ascii: "\n")
    }

    /// Whether TOML allows the byte only as an escape.
    func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F
    }

    func controlCharacter() -> Failure {
        flaw(
            "The line contains a control character.",
            "Remove it, or write it as an escape in a string.")
    }

    /// A failure at the present line.
    func flaw(_ message: String, _ remedy: String) -> Failure {
        Failure(.usage, path: file, "Line \(line): \(message)", remedy: remedy)
    }
}
