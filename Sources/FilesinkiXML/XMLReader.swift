import CExpat
package import FilesinkiModel
import Glibc

/// Parses the small XML documents in the replies of WebDAV and S3 servers.
///
/// The parser is expat: https://libexpat.github.io. Replies are not trusted: parsing stops at a document
/// type, and so at every entity declaration, and at the limits on depth, number of elements and length of
/// names.
package enum XMLReader {
    /// The deepest nesting of elements.
    package static let maximumDepth = 32

    /// The most bytes of a name and its namespace. Every element repeats its namespace, so the cost of a
    /// long one is multiplied by the number of elements.
    package static let maximumNameLength = 1024

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - bytes: The whole document, in an encoding that expat supports.
    ///   - maximumElements: The most elements.
    /// - Returns: The outermost element.
    /// - Throws: `Failure` with code `corrupt` for anything else, such as the HTML of a captive portal.
    package static func parse(
        _ bytes: [UInt8], maximumElements: Int
    ) throws(Failure) -> XMLNode {
        // In one call: expat would parse a long token again for each piece.
        guard let length = Int32(exactly: bytes.count) else { throw invalidXML("it is too long") }
        guard let parser = XML_ParserCreateNS(nil, XMLBuilder.separator) else {
            throw invalidXML("out of memory")
        }
        defer { XML_ParserFree(parser) }
        let builder = XMLBuilder(parser, maximumElements: maximumElements)
        let status = withExtendedLifetime(builder) {
            builder.setHandlers()
            return bytes.withUnsafeBytes { buffer in
                XML_Parse(parser, buffer.bindMemory(to: CChar.self).baseAddress, length, 1)
            }
        }
        if let reason = builder.rejectionReason { throw invalidXML(reason) }
        guard status == XML_STATUS_OK, let root = builder.root else {
            throw invalidXML(errorText(of: parser))
        }
        return root
    }

    /// expat's message, and the line.
    private static func errorText(of parser: XML_Parser) -> String {
        let words = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
        return "\(words ?? "unknown error") in line \(XML_GetCurrentLineNumber(parser))"
    }

    private static func invalidXML(_ reason: String) -> Failure {
        Failure(
            .corrupt, "The server's reply is not the expected XML: \(reason).",
            remedy: "Check the address; another server may have replied.")
    }
}

/// An element of an XML document, without its attributes: WebDAV and S3 use none.
package struct XMLNode: Hashable, Sendable {
    /// The local name, without a prefix.
    package var name: String
    /// The namespace's URI; empty for none.
    package var namespace: String
    /// The text directly inside the element, with its white space, without that of the children.
    package var text: String
    package var children: [XMLNode]

    package init(
        _ name: String, namespace: String = "", text: String = "", children: [XMLNode] = []
    ) {
        self.name = name
        self.namespace = namespace
        self.text = text
        self.children = children
    }

    /// The first child with this local name.
    ///
    /// - Parameter namespace: The child's namespace; nil for any, because servers differ in it.
    package func first(_ name: String, namespace: String? = nil) -> XMLNode? {
        children.first { $0.isNamed(name, namespace) }
    }

    /// The children with this local name, in order.
    ///
    /// - Parameter namespace: Their namespace; nil for any.
    package func all(_ name: String, namespace: String? = nil) -> [XMLNode] {
        children.filter { $0.isNamed(name, namespace) }
    }

    /// The text of the first child with this local name; nil when there is no such child.
    package func text(of name: String) -> String? { first(name)?.text }

    private func isNamed(_ name: String, _ namespace: String?) -> Bool {
        self.name == name && namespace.map { $0 == self.namespace } ?? true
    }
}

/// Builds the tree from expat's events, and stops expat at what is not allowed.
private final class XMLBuilder {
    /// Separates a namespace from a name; no name contains it.
    static let separator = CChar(bitPattern: UInt8(ascii: "\n"))

    private struct OpenElement {
        var node: XMLNode
        var text: [UInt8] = []
    }

    private let parser: XML_Parser
    private let maximumElements: Int
    private var open: [OpenElement] = []
    private var count = 0
    /// Elements of the same name share its strings.
    private var names: [String: XMLNode] = [:]
    private(set) var root: XMLNode?
    /// Why the document was rejected; nil if it was not.
    private(set) var rejectionReason: String?

    init(_ parser: XML_Parser, maximumElements: Int) {
        self.parser = parser
        self.maximumElements = maximumElements
    }

    /// Sets expat's handlers, which do not retain the builder: it must outlive the parsing.
    func setHandlers() {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetStartDoctypeDeclHandler(parser) { builder, _, _, _, _ in
            XMLBuilder.from(builder)?.reject("it has a document type")
        }
        XML_SetElementHandler(
            parser, { builder, name, _ in XMLBuilder.from(builder)?.begin(name) },
            { builder, _ in XMLBuilder.from(builder)?.end() })
        XML_SetCharacterDataHandler(parser) { builder, text, length in
            XMLBuilder.from(builder)?.add(text, Int(length))
        }
    }

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> XMLBuilder? {
        pointer.map { Unmanaged<XMLBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    private func reject(_ reason: String) {
        rejectionReason = rejectionReason ?? reason
        XML_StopParser(parser, 0)
    }

    private func begin(_ name: UnsafePointer<XML_Char>?) {
        guard rejectionReason == nil, let name else { return }
        count += 1
        if count > maximumElements { return reject("it has more than \(maximumElements) elements") }
        if open.count >= XMLReader.maximumDepth { return reject("it is nested too deeply") }
        if strnlen(name, XMLReader.maximumNameLength + 1) > XMLReader.maximumNameLength {
            return reject("a name is too long")
        }
        open.append(OpenElement(node: element(String(cString: name))))
    }

    private func element(_ name: String) -> XMLNode {
        if let known = names[name] { return known }
        let parts = name.utf8.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
        let node =
            parts.count == 2
            ? XMLNode(
                String(decoding: parts[1], as: UTF8.self),
                namespace: String(decoding: parts[0], as: UTF8.self))
            : XMLNode(name)
        names[name] = node
        return node
    }

    private func end() {
        guard rejectionReason == nil, let closed = open.popLast() else { return }
        var node = closed.node
        node.text = String(decoding: closed.text, as: UTF8.self)
        if open.isEmpty {
            root = node
        } else {
            open[open.count - 1].node.children.append(node)
        }
    }

    private func add(_ text: UnsafePointer<XML_Char>?, _ length: Int) {
        guard rejectionReason == nil, let text, !open.isEmpty else { return }
        UnsafeBufferPointer(start: text, count: length).withMemoryRebound(to: UInt8.self) {
            open[open.count - 1].text += $0
        }
    }
}
