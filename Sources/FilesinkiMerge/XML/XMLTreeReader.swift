import FilesinkiXML

/// Reads an XML document as a tree.
///
/// An element is a map of its attributes, of what is behind its start tag, ``SyntaxNode/Form/content``, and of
/// its children, ``SyntaxNode/Form/child``. Text, and elements between which text is, are one scalar, as they are
/// written. In a property list a dictionary has ``SyntaxNode/Form/pair`` instead of children.
struct XMLTreeReader {
    private let store: SyntaxStore
    private let bytes: [UInt8]
    /// What messages call the text of an element, as XPath does.
    private let textName: SyntaxText
    /// The elements whose end was not read.
    private var open: [XMLElement] = []
    private var count = 0
    private var isPropertyList = false
    private var root: SyntaxNode?
    private var identifiers = XMLIdentifiers()

    init(_ bytes: [UInt8]) {
        store = SyntaxStore(bytes)
        self.bytes = bytes
        textName = store.copy("text()".utf8)
    }

    mutating func document() -> SyntaxTree? {
        let tokens = XMLTokens.read(
            bytes, maximumDepth: SyntaxLimits.depth, maximumTokens: 2 * SyntaxLimits.items)
        for token in tokens ?? [] {
            switch token.kind {
            case .startTag:
                guard begin(token.range) else { return nil }
            case .endTag: end(token.range)
            case .comment, .instruction:
                if !open.isEmpty { open[open.count - 1].comments.append(token.range) }
            }
        }
        return root.map { SyntaxTree(store, root: $0, identifiers: identifiers) }
    }

    /// Opens an element and reads its attributes; false beyond a limit.
    private mutating func begin(_ tag: Range<Int>) -> Bool {
        if !open.isEmpty { readTrivia(before: tag.lowerBound, isEnd: false) }
        guard let element = XMLElement(bytes, tag: tag) else { return false }
        if open.isEmpty { isPropertyList = isNamed(element, "plist") }
        identifiers.add(element.attributes, store)
        count += element.attributes.count + 1
        open.append(element)
        return count <= SyntaxLimits.items
    }

    private mutating func end(_ tag: Range<Int>) {
        if !tag.isEmpty { readTrivia(before: tag.lowerBound, isEnd: true) }
        var element = open.removeLast()
        element.isMixed = element.isMixed || element.preservesSpace(bytes) && !open.isEmpty
        if isPropertyList, !element.isMixed, isNamed(element, "dict") {
            if let pairs = PropertyListPairs.pairs(of: element.children, store) {
                element.children = pairs
            } else {
                element.isMixed = true
            }
        }
        close(&element, before: tag)
        guard !open.isEmpty else { return root = element.node }
        open[open.count - 1].append(element, bytes)
    }

    /// Closes an element; in a dictionary as what ``PropertyListPairs`` makes a pair of.
    private func close(_ element: inout XMLElement, before tag: Range<Int>) {
        let isInDictionary =
            isPropertyList && open.last.map { isNamed($0, "dict") } ?? false
        guard isInDictionary, !isNamed(element, "key") else {
            return element.close(store, before: tag, textName: textName)
        }
        guard isNamed(element, "dict") || isNamed(element, "array") else {
            return element.closeWithoutItems(before: tag)
        }
        PropertyListPairs.addName(of: element, store)
        element.close(store, before: tag, textName: textName)
    }

    private func isNamed(_ element: XMLElement, _ name: String) -> Bool {
        bytes[element.name].elementsEqual(name.utf8)
    }

    /// Reads white space, comments and text up to a tag as what belongs to the open element.
    private mutating func readTrivia(before end: Int, isEnd: Bool) {
        open[open.count - 1].readTrivia(
            bytes, before: end, isEnd: isEnd, isPropertyList: isPropertyList)
    }
}
