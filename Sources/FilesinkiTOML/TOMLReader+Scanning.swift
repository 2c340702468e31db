import FilesinkiModel

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
                "There is more on the line than one statement.", "Write one key = value on a line.")
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
        flaw("There is a control character.", "Take it out, or write it as an escape in a string.")
    }

    /// A failure at the present line.
    func flaw(_ message: String, _ remedy: String) -> Failure {
        Failure(.usage, path: file, "Line \(line): \(message)", remedy: remedy)
    }
}
