/// A value in a document.
///
/// Nodes and items are plain numbers: a copy counts no references, and a tree of them is one array.
struct SyntaxNode: BitwiseCopyable {
    enum Kind: UInt8, Hashable {
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

    let kind: Kind
    /// What kind of scalar it is, such as `s` for a string: a string `1` is not the number.
    let type: UInt8
    /// Whether commas stand between the items.
    let hasCommas: Bool
    var form: Form
    /// All bytes of the value. Of a container: from the opening to the closing.
    @SyntaxRange var range: Range<Int>
    /// The end of the bytes before the first item: a bracket, and the rest of its line.
    @SyntaxPlace var openingEnd: Int
    /// The beginning of the bytes behind the white space that follows the last item: a bracket.
    @SyntaxPlace var closingStart: Int
    /// Of a scalar its text, of a container where its items are.
    private var content: (start: UInt32, end: UInt32)

    /// - Parameters:
    ///   - meaning: Of a scalar.
    ///   - items: Of a container.
    init(
        kind: Kind, type: UInt8 = 0, range: Range<Int>, meaning: SyntaxText = .none,
        items: SyntaxPlaces = .none, openingEnd: Int = 0, closingStart: Int = 0,
        hasCommas: Bool = false, form: Form = .value
    ) {
        self.kind = kind
        self.type = type
        self.hasCommas = hasCommas
        self.form = form
        _range = SyntaxRange(wrappedValue: range)
        _openingEnd = SyntaxPlace(wrappedValue: openingEnd)
        _closingStart = SyntaxPlace(wrappedValue: closingStart)
        content = kind == .scalar ? meaning.parts : (items.start, items.end)
    }

    /// The type of a scalar in lines, such as a script, both sides' changes of which can be merged as those of a text.
    static let linesType = UInt8(ascii: "b")

    /// Whether it is a text whose lines can be merged.
    var hasLines: Bool { form == .block || kind == .scalar && type == Self.linesType }

    /// What a scalar says: equal for all spellings of one value.
    var meaning: SyntaxText {
        get { kind == .scalar ? SyntaxText(parts: content) : .none }
        set { if kind == .scalar { content = newValue.parts } }
    }

    /// Where the items of a container are, without gaps between them.
    var items: SyntaxPlaces {
        get { kind == .scalar ? .none : SyntaxPlaces(start: content.start, end: content.end) }
        set { if kind != .scalar { content = (newValue.start, newValue.end) } }
    }

    var opening: Range<Int> { range.lowerBound..<openingEnd }
    var closing: Range<Int> { closingStart..<range.upperBound }
}

/// Where the items of a container stand among those of all containers.
struct SyntaxPlaces {
    fileprivate let start: UInt32
    fileprivate let end: UInt32

    static let none = SyntaxPlaces(0..<0)

    fileprivate init(start: UInt32, end: UInt32) { (self.start, self.end) = (start, end) }

    init(_ range: Range<Int>) {
        start = UInt32(range.lowerBound)
        end = UInt32(range.upperBound)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
    var count: Int { Int(end - start) }
    var isEmpty: Bool { start == end }

    /// With the item before them, which was kept just before they were.
    var withItemBefore: SyntaxPlaces { SyntaxPlaces(start: start - 1, end: end) }
}

/// A member, an element, or a comment that stands alone, with the bytes that move with it:
/// gap, lead, head, value, middle, comma, tail.
struct SyntaxItem: BitwiseCopyable {
    enum Role: UInt8, Hashable { case value, comment }

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
