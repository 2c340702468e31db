/// A document as a tree over its bytes.
///
/// The tree covers every byte: what is not a value is the white space, comment, name or punctuation
/// of an item. Writing all parts of all nodes in their order gives the document again, which is what a merge
/// does with the parts that nobody changed.
final class SyntaxTree {
    private let text: SyntaxBytes
    /// The items of all containers; those of one are neighbours.
    private let items: [SyntaxItem]
    let root: SyntaxNode
    /// What identifies elements of XML.
    let identifiers: XMLIdentifiers?

    init(_ store: SyntaxStore, root: SyntaxNode, identifiers: XMLIdentifiers? = nil) {
        (text, items) = store.contents
        self.root = root
        self.identifiers = identifiers
    }

    var bytes: [UInt8] { text.document }

    /// The white space and the comments before the root.
    var before: Range<Int> { 0..<root.range.lowerBound }
    /// The white space and the comments behind the root.
    var after: Range<Int> { root.range.upperBound..<bytes.count }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { text.document[range] }

    func slice(_ text: SyntaxText) -> ArraySlice<UInt8> { self.text.slice(text) }

    /// Whether a text is this one.
    func isEqual(_ text: SyntaxText, _ other: [UInt8]) -> Bool { self.text.isEqual(text, other) }

    func items(of node: SyntaxNode) -> SyntaxItems { SyntaxItems(items, node.items.range) }

    /// The white space between the last item and the closing.
    func lastGap(of node: SyntaxNode) -> Range<Int> {
        (items(of: node).last?.end ?? node.openingEnd)..<node.closingStart
    }

    /// Whether a blank line is above an item and its comments.
    func hasBlankLine(above item: SyntaxItem) -> Bool {
        let space = slice(item.gap)
        let before = slice(max(0, space.startIndex - 1)..<space.startIndex)
        return space.count { $0 == 10 } + (before == [10] ? 1 : 0) > 1
    }

    /// Whether a comma stands behind the last item; nil without an item.
    func hasLastComma(_ node: SyntaxNode) -> Bool? {
        items(of: node).last { $0.role == .value }.map { !$0.comma.isEmpty }
    }
}

/// The items of a container, from 0.
struct SyntaxItems: RandomAccessCollection {
    private let all: [SyntaxItem]
    private let range: Range<Int>

    static let empty = SyntaxItems([], 0..<0)

    init(_ all: [SyntaxItem], _ range: Range<Int>) {
        self.all = all
        self.range = range
    }

    var startIndex: Int { 0 }
    var endIndex: Int { range.count }

    subscript(place: Int) -> SyntaxItem { all[range.lowerBound + place] }
}

/// The items and texts of a document that is being read.
///
/// The items of a container are added when it is closed, so that they are neighbours.
final class SyntaxStore {
    private var text: SyntaxBytes
    private var items: [SyntaxItem] = []

    /// Memory is used where it is written to, so that there can be more of it than most documents need.
    init(_ bytes: [UInt8]) {
        text = SyntaxBytes(bytes)
        items.reserveCapacity(min(bytes.count / 8, SyntaxLimits.items))
    }

    var document: [UInt8] { text.document }

    var contents: (text: SyntaxBytes, items: [SyntaxItem]) { (text, items) }

    /// The bytes of a text, which must not be kept while others are copied: all copies would be copied, too.
    func slice(_ text: SyntaxText) -> ArraySlice<UInt8> { self.text.slice(text) }

    func isEqual(_ text: SyntaxText, _ other: [UInt8]) -> Bool { self.text.isEqual(text, other) }

    /// Keeps bytes that the document writes otherwise.
    func copy(_ bytes: some Sequence<UInt8>) -> SyntaxText { text.text(bytes) }

    /// Keeps two texts as one.
    func copy(_ start: [UInt8], _ rest: ArraySlice<UInt8>) -> SyntaxText { text.text(start, rest) }

    /// Keeps the items of a container.
    func add(_ new: some Collection<SyntaxItem>) -> SyntaxPlaces {
        let start = items.count
        items += new
        return SyntaxPlaces(start..<items.count)
    }

    /// Keeps the items of a container that are in several places.
    func add(
        _ first: [SyntaxItem], _ next: SyntaxItem, _ last: [SyntaxItem]
    ) -> SyntaxPlaces {
        let start = items.count
        items += first
        items.append(next)
        items += last
        return SyntaxPlaces(start..<items.count)
    }

    func items(of node: SyntaxNode) -> SyntaxItems { SyntaxItems(items, node.items.range) }
}
