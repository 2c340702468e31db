/// A document as a tree over its bytes.
///
/// The tree covers every byte: what is not a value is the white space, comment, name or punctuation
/// of an item. Writing all parts of all nodes in their order gives the document again, which is what a merge
/// does with the parts that nobody changed.
struct SyntaxTree {
    let bytes: [UInt8]
    let root: SyntaxNode
    /// What identifies elements of XML.
    var identifiers: XMLIdentifiers?

    /// The white space and the comments before the root.
    var before: Range<Int> { 0..<root.range.lowerBound }
    /// The white space and the comments behind the root.
    var after: Range<Int> { root.range.upperBound..<bytes.count }

    func slice(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    func slice(_ text: SyntaxText) -> ArraySlice<UInt8> { text.slice(of: bytes) }
}

/// A name, or what a scalar says: bytes of the document, or others where the document writes it otherwise.
///
/// Documents have many of them, so that none has memory of its own without need.
struct SyntaxText {
    /// The bytes in the document, unless there are ``own`` ones.
    @SyntaxRange private var range: Range<Int>
    /// What is not in the document as it is meant.
    private var own: [UInt8]?

    static let none = SyntaxText(range: 0..<0)

    private init(range: Range<Int>) { self.range = range }

    /// The bytes as they are in the document.
    init(_ slice: ArraySlice<UInt8>) { range = slice.startIndex..<slice.endIndex }

    /// Bytes that the document writes otherwise.
    init(own: [UInt8]) {
        range = 0..<0
        self.own = own
    }

    /// - Parameter bytes: The document.
    func slice(of bytes: [UInt8]) -> ArraySlice<UInt8> { own.map { $0[...] } ?? bytes[range] }

    /// Whether it is a text, of which most differ in length already.
    func isEqual(_ text: [UInt8], in bytes: [UInt8]) -> Bool {
        (own?.count ?? range.count) == text.count && slice(of: bytes).elementsEqual(text)
    }
}

/// A range of bytes in half the memory: documents are smaller than ``SyntaxLimits/size``.
@propertyWrapper struct SyntaxRange {
    private let start: UInt32
    private let end: UInt32

    init(wrappedValue: Range<Int>) {
        start = UInt32(wrappedValue.lowerBound)
        end = UInt32(wrappedValue.upperBound)
    }

    var wrappedValue: Range<Int> {
        get { Int(start)..<Int(end) }
        set { self = SyntaxRange(wrappedValue: newValue) }
    }
}

/// A place in a document in half the memory.
@propertyWrapper struct SyntaxPlace {
    private let place: UInt32

    init(wrappedValue: Int) { place = UInt32(wrappedValue) }

    var wrappedValue: Int {
        get { Int(place) }
        set { self = SyntaxPlace(wrappedValue: newValue) }
    }
}

/// A value in a document.
struct SyntaxNode {
    enum Kind: Hashable {
        /// Items with names.
        case map
        /// Items in an order.
        case list
        case scalar
    }

    /// What a value is written as. Items of one name and different forms are different items.
    enum Form: UInt8 {
        /// Behind its name.
        case value
        /// Below a line with its name, such as `[name]`.
        case section
        /// As a section that is an element of a list, such as `[[name]]`.
        case element
        /// As a translation that is marked as fuzzy.
        case fuzzy
        /// As an entry that is not used any more.
        case obsolete
        /// As values on one line with nothing but commas between them.
        case packed
        /// As the end of a start tag and the text behind it.
        case content
        /// As an element inside another one.
        case child
        /// As a key with the element behind it.
        case pair
        /// As a block of a text, whose lines can be merged.
        case block
        /// As an item of a list or a row of a table, which its text identifies.
        case entry
        /// As an item of a numbered list.
        case step

        /// Whether its name says what it is, and not which one.
        var isElement: Bool { self == .element || self == .child }
    }

    var kind: Kind
    /// What kind of scalar it is, such as `s` for a string: a string `1` is not the number.
    var type: UInt8 = 0
    /// All bytes of the value. Of a container: from the opening to the closing.
    @SyntaxRange var range: Range<Int>
    /// What a scalar says: equal for all spellings of one value.
    var meaning = SyntaxText.none
    /// The items of a container, without gaps between them.
    var items: [SyntaxItem] = []
    /// The end of the bytes before the first item: a bracket, and the rest of its line.
    @SyntaxPlace var openingEnd = 0
    /// The beginning of the bytes behind the white space that follows the last item: a bracket.
    @SyntaxPlace var closingStart = 0
    /// Whether commas stand between the items.
    var hasCommas = false
    var form = Form.value

    var opening: Range<Int> { range.lowerBound..<openingEnd }
    /// The white space between the last item and the closing.
    var lastGap: Range<Int> { (items.last?.end ?? openingEnd)..<closingStart }
    var closing: Range<Int> { closingStart..<range.upperBound }

    /// The items that are no comments.
    var valueCount: Int { items.count { $0.role == .value } }

    /// Whether a comma stands behind the last item; nil without an item.
    var hasLastComma: Bool? {
        items.last { $0.role == .value }.map { !$0.comma.isEmpty }
    }
}

/// A member, an element, or a comment that stands alone, with the bytes that move with it:
/// gap, lead, head, value, middle, comma, tail.
struct SyntaxItem {
    enum Role: Hashable { case value, comment }

    var role = Role.value
    /// The name of a member as programs see it; empty for elements and comments.
    var name = SyntaxText.none
    /// The name by which members of different versions are the same: ``name``, in lower case where the format
    /// does not distinguish cases.
    var key = SyntaxText.none
    /// White space: blank lines, or the spaces inside a line.
    @SyntaxRange var gap: Range<Int>
    /// The end of the comments right above it.
    @SyntaxPlace var leadEnd: Int
    var value: SyntaxNode
    @SyntaxRange var comma: Range<Int>
    /// Behind the rest of its line: spaces, a comment, the line end.
    @SyntaxPlace var end: Int

    /// The comments right above it.
    var lead: Range<Int> { gap.upperBound..<leadEnd }
    /// The indentation, the name, and what stands between name and value.
    var head: Range<Int> { leadEnd..<value.range.lowerBound }
    var middle: Range<Int> { value.range.upperBound..<comma.lowerBound }
    var tail: Range<Int> { comma.upperBound..<end }
}
