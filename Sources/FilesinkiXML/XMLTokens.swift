import CExpat

/// The tags, comments and processing instructions of an XML document with their places, as expat finds them.
///
/// What is between two of them is text. A document is read only if all its entities are known without a
/// declaration: one with a document type that declares anything itself is rejected, and so is an encoding other
/// than UTF-8.
package enum XMLTokens {
    package struct Token {
        package enum Kind: UInt8 {
            case startTag
            /// Of an empty element `<a/>`, whose start tag is before it, it has no bytes.
            case endTag
            case comment
            case instruction
        }

        package let kind: Kind
        private let start: UInt32
        private let end: UInt32

        fileprivate init(_ kind: Kind, _ range: Range<Int>) {
            self.kind = kind
            start = UInt32(range.lowerBound)
            end = UInt32(range.upperBound)
        }

        /// The bytes, with the angle brackets.
        package var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// Reads a document in linear time.
    ///
    /// - Parameters:
    ///   - bytes: At most 2 GiB, without a byte order mark.
    ///   - maximumDepth: The deepest nesting of elements.
    ///   - maximumTokens: The most tokens.
    /// - Returns: The tokens in their order; nil for what is not well-formed, has names without a declared
    ///   namespace, or is beyond a limit.
    package static func read(
        _ bytes: [UInt8], maximumDepth: Int, maximumTokens: Int
    ) -> [Token]? {
        guard let length = Int32(exactly: bytes.count),
            let parser = XML_ParserCreateNS("UTF-8", CChar(bitPattern: UInt8(ascii: "\n")))
        else { return nil }
        defer { XML_ParserFree(parser) }
        let reader = TokenReader(parser, maximumDepth, maximumTokens)
        let status = withExtendedLifetime(reader) {
            reader.setHandlers()
            return bytes.withUnsafeBytes { buffer in
                XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, length, 1)
            }
        }
        return status == XML_STATUS_OK && !reader.isRejected ? reader.tokens : nil
    }
}

/// Notes the places of expat's events.
private final class TokenReader {
    private let parser: XML_Parser
    private let maximumDepth: Int
    private let maximumTokens: Int
    private var depth = 0
    private(set) var tokens: [XMLTokens.Token] = []
    private(set) var isRejected = false

    init(_ parser: XML_Parser, _ maximumDepth: Int, _ maximumTokens: Int) {
        self.parser = parser
        self.maximumDepth = maximumDepth
        self.maximumTokens = maximumTokens
    }

    /// Sets expat's handlers, which do not retain the reader: it must outlive the parsing.
    func setHandlers() {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, hasInternalSubset in
            if hasInternalSubset != 0 { TokenReader.from(reader)?.reject() }
        }
        XML_SetXmlDeclHandler(parser) { reader, _, encoding, _ in
            TokenReader.from(reader)?.check(encoding)
        }
        XML_SetElementHandler(
            parser, { reader, _, _ in TokenReader.from(reader)?.append(.startTag) },
            { reader, _ in TokenReader.from(reader)?.append(.endTag) })
        XML_SetCommentHandler(parser) { reader, _ in TokenReader.from(reader)?.append(.comment) }
        XML_SetProcessingInstructionHandler(parser) { reader, _, _ in
            TokenReader.from(reader)?.append(.instruction)
        }
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> TokenReader? {
        pointer.map { Unmanaged<TokenReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func reject() {
        isRejected = true
        XML_StopParser(parser, 0)
    }

    private func check(_ encoding: UnsafePointer<XML_Char>?) {
        guard let encoding else { return }
        let name = String(cString: encoding).lowercased()
        if !["utf-8", "utf8", "us-ascii", "ascii"].contains(name) { reject() }
    }

    private func append(_ kind: XMLTokens.Token.Kind) {
        guard !isRejected else { return }
        if kind == .startTag { depth += 1 }
        if kind == .endTag { depth -= 1 }
        let start = Int(XML_GetCurrentByteIndex(parser))
        let count = Int(XML_GetCurrentByteCount(parser))
        guard depth <= maximumDepth, tokens.count < maximumTokens, start >= 0 else {
            return reject()
        }
        tokens.append(XMLTokens.Token(kind, start..<(start + count)))
    }
}
