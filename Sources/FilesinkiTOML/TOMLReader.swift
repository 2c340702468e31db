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

    /// Reads a whole document.
    ///
    /// - Throws: `Failure` with code `usage`, which names the line, for what is not TOML; with code
    ///   `limit` for a document over ``maximumSize``.
    package static func read(_ bytes: [UInt8], file: String) throws(Failure) -> [TOMLStatement] {
        guard bytes.count <= maximumSize else {
            throw Failure(
                .limit, path: file, "The settings are larger than \(maximumSize) bytes.",
                remedy: "Make the file smaller.")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(
                .usage, path: file, "The settings are not valid UTF-8.",
                remedy: "Save the file as UTF-8.")
        }
        var reader = TOMLReader(bytes: bytes, file: file)
        return try reader.statements()
    }

    private init(bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    private mutating func statements() throws(Failure) -> [TOMLStatement] {
        var result: [TOMLStatement] = []
        while true {
            try skipBlankLines()
            guard index < bytes.count else { return result }
            let line = line
            result.append(TOMLStatement(line: line, kind: try statement()))
            try endLine()
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
        return TOMLPair(key: key, value: try value(depth: depth))
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
        while let byte = peek(), isBare(byte) { index += 1 }
        guard index > start else {
            throw flaw(
                "Missing key.",
                "Write key = value, with a key of letters, digits, - and _, or in quotes.")
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
