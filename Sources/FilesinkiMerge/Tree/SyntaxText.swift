/// A name, or what a scalar says: bytes of the document, or others where the document writes it otherwise.
///
/// It is a place in ``SyntaxBytes``: documents have many of them, so that none has memory of its own.
struct SyntaxText {
    /// Set in the beginning of a text that is not in the document: documents are smaller than this.
    private static let copyMark: UInt32 = 1 << 31

    fileprivate let start: UInt32
    fileprivate let end: UInt32

    static let none = SyntaxText([])

    /// The bytes as they are in the document.
    init(_ slice: ArraySlice<UInt8>) {
        start = UInt32(slice.startIndex)
        end = UInt32(slice.endIndex)
    }

    /// - Parameter copy: A place in ``SyntaxBytes/copies``.
    fileprivate init(copy: Range<Int>) {
        start = UInt32(copy.lowerBound) | Self.copyMark
        end = UInt32(copy.upperBound) | Self.copyMark
    }

    /// The two numbers that it is, for ``SyntaxNode``.
    init(parts: (start: UInt32, end: UInt32)) { (start, end) = parts }

    var parts: (start: UInt32, end: UInt32) { (start, end) }

    fileprivate var isCopy: Bool { start & Self.copyMark != 0 }

    fileprivate var range: Range<Int> {
        Int(start & ~Self.copyMark)..<Int(end & ~Self.copyMark)
    }
}

/// The bytes of a document, and those that it means and writes otherwise.
struct SyntaxBytes {
    let document: [UInt8]
    /// The texts that are not in the document, one after the other.
    private var copies: [UInt8] = []

    init(_ document: [UInt8]) { self.document = document }

    func slice(_ text: SyntaxText) -> ArraySlice<UInt8> {
        text.isCopy ? copies[text.range] : document[text.range]
    }

    /// Keeps bytes that the document writes otherwise.
    mutating func text(_ bytes: some Sequence<UInt8>) -> SyntaxText {
        let start = copies.count
        copies += bytes
        return SyntaxText(copy: start..<copies.count)
    }

    /// Keeps two texts as one.
    mutating func text(_ first: [UInt8], _ rest: ArraySlice<UInt8>) -> SyntaxText {
        let start = copies.count
        copies += first
        copies += rest
        return SyntaxText(copy: start..<copies.count)
    }

    /// Whether a text is this one; most differ in length already.
    func isEqual(_ text: SyntaxText, _ other: [UInt8]) -> Bool {
        text.range.count == other.count && ByteKey(slice(text)) == ByteKey(other)
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
