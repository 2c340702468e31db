/// A number as a document writes it, taken apart without a copy.
///
/// Its value is exact: the digits from ``first`` to ``last`` without the point, times ten to the
/// ``exponent``. No digit is ever filled in, so an exponent of any size costs nothing.
struct JSONNumber {
    var isNegative = false
    /// Where the first digit is that is not 0; nil for zero.
    var first: Int?
    /// Where the last digit is that is not 0.
    var last = 0
    /// The power of ten of the last digit; nil where it does not fit into 48 bits.
    var exponent: Int? = 0
    /// How many digits follow the point.
    var fraction = 0
    var hasExponent = false

    private static let largestExponent = 1 << 48

    /// - Parameter text: a number that is known to be well formed.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        var end = text.count
        if let mark = text.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
            hasExponent = true
            exponent = Self.integer(text[(mark + 1)...])
            end = mark
        }
        isNegative = text.first == UInt8(ascii: "-")
        let point = text[..<end].firstIndex(of: UInt8(ascii: ".")) ?? end
        fraction = max(0, end - point - 1)
        for index in 0..<end where text[index] > UInt8(ascii: "0") {
            if first == nil { first = index }
            last = index
        }
        let power = last < point ? point - last - 1 : point - last
        exponent = exponent.map { $0 + power }
        if first == nil { exponent = 0 }
    }

    /// The significant digits, most significant first.
    func digits(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        guard let first else { return [] }
        return text[first...last].filter { $0 != UInt8(ascii: ".") }.map { $0 - UInt8(ascii: "0") }
    }

    static func hash(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        let number = JSONNumber(text)
        guard let exponent = number.exponent else { return JSONHash.bytes(text) }
        var value = 0
        if let first = number.first {
            for index in first...number.last where text[index] != UInt8(ascii: ".") {
                value = value &* 10 &+ Int(text[index] - UInt8(ascii: "0"))
            }
        }
        let isNegative = number.first != nil && number.isNegative
        return JSONHash.mix(JSONHash.mix(isNegative ? 3 : 4, exponent), value)
    }

    private static func integer(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let isNegative = text.first == UInt8(ascii: "-")
        var value = 0
        for byte in text where JSONText.isDigit(byte) {
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value < largestExponent else { return nil }
        }
        return isNegative ? -value : value
    }
}
