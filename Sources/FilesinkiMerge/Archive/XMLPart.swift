import FilesinkiXML

/// A part of an archive in XML: its elements with their places, in the order of the document.
struct XMLPart {
    struct Element {
        /// The name as it is written.
        let name: Range<Int>
        /// The start tag, or the tag of an empty element.
        let tag: Range<Int>
        /// From the start tag to the end tag.
        fileprivate(set) var range: Range<Int>
        /// What is between both tags; empty behind the tag of an empty element.
        fileprivate(set) var content: Range<Int>
        let parent: Int?
        fileprivate(set) var children: [Int] = []
        /// Behind the last element in it.
        fileprivate(set) var end: Int
    }

    let bytes: [UInt8]
    let elements: [Element]

    /// - Returns: nil for what is not well-formed, has another encoding than UTF-8 or a document type with declarations,
    ///   begins with a byte order mark, or is beyond ``SyntaxLimits``.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= SyntaxLimits.size, bytes.first == UInt8(ascii: "<"),
            let tokens = XMLTokens.read(
                bytes, maximumDepth: SyntaxLimits.depth, maximumTokens: 2 * SyntaxLimits.items)
        else { return nil }
        var elements: [Element] = []
        var open: [Int] = []
        for token in tokens {
            switch token.kind {
            case .startTag:
                guard let name = Self.name(bytes, token.range) else { return nil }
                if let parent = open.last { elements[parent].children.append(elements.count) }
                open.append(elements.count)
                elements.append(
                    Element(
                        name: name, tag: token.range, range: token.range,
                        content: token.range.upperBound..<token.range.upperBound,
                        parent: open.dropLast().last, end: elements.count + 1))
            case .endTag:
                guard let closed = open.popLast() else { return nil }
                elements[closed].end = elements.count
                guard !token.range.isEmpty else { break }
                let tag = elements[closed].tag
                elements[closed].range = tag.lowerBound..<token.range.upperBound
                elements[closed].content = tag.upperBound..<token.range.lowerBound
            case .comment, .instruction: break
            }
        }
        guard !elements.isEmpty else { return nil }
        self.bytes = bytes
        self.elements = elements
    }

    private static func name(_ bytes: [UInt8], _ tag: Range<Int>) -> Range<Int>? {
        let start = tag.lowerBound + 1
        let end = bytes[start..<tag.upperBound].firstIndex {
            $0.isSpace || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">")
        }
        return end.map { start..<$0 }
    }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// An element with all in it.
    func text(_ element: Int) -> ArraySlice<UInt8> { bytes[elements[element].range] }

    func name(_ element: Int) -> ArraySlice<UInt8> { bytes[elements[element].name] }

    func isNamed(_ element: Int, _ name: String) -> Bool {
        self.name(element).elementsEqual(name.utf8)
    }

    /// The only child of a name; nil if there is none or several.
    func child(_ name: String, of element: Int) -> Int? {
        let found = elements[element].children.filter { isNamed($0, name) }
        return found.count == 1 ? found.first : nil
    }

    /// The element that a path of names leads to, beginning with the outermost one.
    func element(_ path: [String]) -> Int? {
        guard let first = path.first, isNamed(0, first) else { return nil }
        var element = 0
        for name in path.dropFirst() {
            guard let next = child(name, of: element) else { return nil }
            element = next
        }
        return element
    }

    /// An attribute as it is written, with the place of its value between the quotes.
    struct Attribute {
        let name: ArraySlice<UInt8>
        let value: ArraySlice<UInt8>
        /// With the white space before it.
        let range: Range<Int>

        func isNamed(_ name: String) -> Bool { self.name.elementsEqual(name.utf8) }
    }

    func attributes(_ element: Int) -> [Attribute] {
        // Most tags are a name between brackets.
        guard elements[element].tag.count > elements[element].name.count + 3 else { return [] }
        let items = XMLElement(bytes, tag: elements[element].tag)?.attributes ?? []
        let text = SyntaxBytes(bytes)
        return items.map { item in
            Attribute(
                name: text.slice(item.key), value: text.slice(item.value.meaning),
                range: item.gap.lowerBound..<item.end)
        }
    }

    /// The value of an attribute as it is written; nil without one.
    func attribute(_ name: String, of element: Int) -> ArraySlice<UInt8>? {
        attributes(element).first { $0.isNamed(name) }?.value
    }

    /// Whether nothing but white space is between the children of an element.
    func isContainer(_ element: Int) -> Bool {
        var place = elements[element].content.lowerBound
        for child in elements[element].children {
            guard bytes[place..<elements[child].range.lowerBound].allSatisfy(\.isSpace) else {
                return false
            }
            place = elements[child].range.upperBound
        }
        return bytes[place..<elements[element].content.upperBound].allSatisfy(\.isSpace)
    }

    /// The namespaces that the outermost element declares, by prefix.
    var namespaces: [[UInt8]: [UInt8]] {
        var result: [[UInt8]: [UInt8]] = [:]
        for attribute in attributes(0) where attribute.name.starts(with: "xmlns".utf8) {
            result[Array(attribute.name)] = Array(attribute.value)
        }
        return result
    }

    /// What becomes of an attribute in a changed copy of an element.
    enum AttributeEdit {
        case keep, remove
        /// Another value, as it is written between the quotes.
        case replace([UInt8])
    }

    /// An element with some of what is in it left out or written otherwise.
    ///
    /// - Parameter isEmptied: The elements of which only the tags are written.
    func text(
        _ element: Int, without isLeftOut: (Int) -> Bool = { _ in false },
        edit: (Int, Attribute) -> AttributeEdit = { _, _ in .keep },
        isEmptied: (Int) -> Bool = { _ in false }
    ) -> [UInt8] {
        var result: [UInt8] = []
        var place = elements[element].range.lowerBound
        var index = element
        while index < elements[element].end {
            let found = elements[index]
            guard !isLeftOut(index) else {
                result += bytes[place..<found.range.lowerBound]
                (place, index) = (found.range.upperBound, found.end)
                continue
            }
            for attribute in attributes(index) {
                switch edit(index, attribute) {
                case .keep: break
                case .remove:
                    result += bytes[place..<attribute.range.lowerBound]
                    place = attribute.range.upperBound
                case .replace(let value):
                    result += bytes[place..<attribute.value.startIndex] + value
                    place = attribute.value.endIndex
                }
            }
            guard isEmptied(index) else {
                index += 1
                continue
            }
            result += bytes[place..<found.content.lowerBound]
            (place, index) = (found.content.upperBound, found.end)
        }
        return result + bytes[place..<elements[element].range.upperBound]
    }
}
