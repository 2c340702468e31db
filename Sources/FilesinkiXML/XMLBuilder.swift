import CExpat
import Glibc

/// Makes the tree of what expat finds, and stops expat at what is refused.
final class XMLBuilder {
    /// Stands between a namespace and a name; no name holds it.
    static let separator = CChar(bitPattern: UInt8(ascii: "\n"))

    private struct Open {
        var node: XMLNode
        var text: [UInt8] = []
    }

    private let parser: XML_Parser
    private let maximumElements: Int
    private var open: [Open] = []
    private var count = 0
    /// Each name is kept once, however many elements have it.
    private var names: [String: XMLNode] = [:]
    private(set) var root: XMLNode?
    /// Why the document is refused; nil while it is not.
    private(set) var refusal: String?

    init(_ parser: XML_Parser, maximumElements: Int) {
        self.parser = parser
        self.maximumElements = maximumElements
    }

    /// Sets expat's handlers. They hold no reference: the builder has to outlive the parsing.
    func listen() {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetStartDoctypeDeclHandler(parser) { builder, _, _, _, _ in
            XMLBuilder.behind(builder)?.refuse("it has a document type")
        }
        XML_SetElementHandler(
            parser, { builder, name, _ in XMLBuilder.behind(builder)?.begin(name) },
            { builder, _ in XMLBuilder.behind(builder)?.end() })
        XML_SetCharacterDataHandler(parser) { builder, text, length in
            XMLBuilder.behind(builder)?.add(text, Int(length))
        }
    }

    private static func behind(_ pointer: UnsafeMutableRawPointer?) -> XMLBuilder? {
        pointer.map { Unmanaged<XMLBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    private func refuse(_ reason: String) {
        refusal = refusal ?? reason
        XML_StopParser(parser, 0)
    }

    private func begin(_ name: UnsafePointer<XML_Char>?) {
        guard refusal == nil, let name else { return }
        count += 1
        if count > maximumElements { return refuse("it has more than \(maximumElements) elements") }
        if open.count >= XMLReader.maximumDepth { return refuse("it is too deep") }
        if strnlen(name, XMLReader.maximumNameLength + 1) > XMLReader.maximumNameLength {
            return refuse("a name is too long")
        }
        open.append(Open(node: element(String(cString: name))))
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
        guard refusal == nil, let closed = open.popLast() else { return }
        var node = closed.node
        node.text = String(decoding: closed.text, as: UTF8.self)
        if open.isEmpty {
            root = node
        } else {
            open[open.count - 1].node.children.append(node)
        }
    }

    private func add(_ text: UnsafePointer<XML_Char>?, _ length: Int) {
        guard refusal == nil, let text, !open.isEmpty else { return }
        UnsafeBufferPointer(start: text, count: length).withMemoryRebound(to: UInt8.self) {
            open[open.count - 1].text += $0
        }
    }
}
