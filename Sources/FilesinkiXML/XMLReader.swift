import CExpat
package import FilesinkiModel

/// Reads the small XML documents that WebDAV and S3 servers answer with.
///
/// expat does the reading: https://libexpat.github.io. What comes from a remote is bound here: a
/// document type, and with it every entity of its own, is refused at its first character, and so are
/// a document that is too deep, one of too many elements, and names too long.
package enum XMLReader {
    /// How deep elements may lie in each other.
    package static let maximumDepth = 32

    /// The most bytes of a name together with its namespace. Each element brings its namespace along,
    /// so that a long one would cost its length times the number of elements.
    package static let maximumNameLength = 1024

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - bytes: The whole document, in an encoding that expat knows.
    ///   - maximumElements: How many elements it may have.
    /// - Returns: The outermost element.
    /// - Throws: `Failure` with code `corrupt` for anything that is not such a document: also for
    ///   HTML, which is what a captive portal answers with.
    package static func parse(
        _ bytes: [UInt8], maximumElements: Int
    ) throws(Failure) -> XMLNode {
        // One call for the whole: in pieces, a long token would be read again for each of them.
        guard let length = Int32(exactly: bytes.count) else { throw notXML("it is too long") }
        guard let parser = XML_ParserCreateNS(nil, XMLBuilder.separator) else {
            throw notXML("out of memory")
        }
        defer { XML_ParserFree(parser) }
        let builder = XMLBuilder(parser, maximumElements: maximumElements)
        let status = withExtendedLifetime(builder) {
            builder.listen()
            return bytes.withUnsafeBytes { buffer in
                XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, length, 1)
            }
        }
        if let refusal = builder.refusal { throw notXML(refusal) }
        guard status == XML_STATUS_OK, let root = builder.root else {
            throw notXML(trouble(of: parser))
        }
        return root
    }

    /// expat's own words for what is wrong, and where.
    private static func trouble(of parser: XML_Parser) -> String {
        let words = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
        return "\(words ?? "unknown error") in line \(XML_GetCurrentLineNumber(parser))"
    }

    private static func notXML(_ reason: String) -> Failure {
        Failure(
            .corrupt, "The server's answer is not the XML it should be: \(reason).",
            remedy: "Check the address; what answers there may not be the store.")
    }
}
