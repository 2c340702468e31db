/// The parts of a number as a text writes it, found without a copy.
///
/// Its value is exact: the digits from ``first`` to ``last`` without the point, times ten to the
/// ``exponent``. No digit is ever filled in, so an exponent of any size costs nothing.
package struct JSONNumber {
    package private(set) var isNegative = false
    /// The index of the first digit that is not 0; nil for zero.
    var first: Int?
    /// The index of the last digit that is not 0.
    var last = 0
    /// The power of ten of the last digit; nil when it does not fit into 48 bits.
    package private(set) var exponent: Int? = 0
    /// The number of digits after the point.
    package private(set) var fraction = 0
    package private(set) var hasExponent = false

    private static let largestExponent = 1 << 48

    /// - Parameter text: A well-formed number.
    package init(_ text: UnsafeBufferPointer<UInt8>) {
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
    package func digits(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
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
        for byte in text where JSONString.isDigit(byte) {
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            guard value < largestExponent else { return nil }
        }
        return isNegative ? -value : value
    }
}

/// Hashes that are equal for equal values.
///
/// The seed differs in every process, so that no text can be made to collide; nothing that is written
/// depends on a hash. Multiplying and folding is as in Wang Yi's wyhash, and costs a third
/// of the standard library's hasher on the short texts that documents are made of.
enum JSONHash {
    private static let seed = Hasher().finalize()

    static func bytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        var result = raw.count
        var position = 0
        while position + 8 <= raw.count {
            result = mix(result, raw.loadUnaligned(fromByteOffset: position, as: Int.self))
            position += 8
        }
        var rest = raw.count
        while position < raw.count {
            rest = rest << 8 | Int(raw[position])
            position += 1
        }
        return mix(result, rest)
    }

    static func literal(_ first: UInt8) -> Int { mix(1, Int(first)) }

    static func empty(_ kind: JSONNode.Kind) -> Int { mix(2, Int(kind.rawValue)) }

    static func mix(_ left: Int, _ right: Int) -> Int {
        let one = UInt(bitPattern: left ^ seed)
        let two = UInt(bitPattern: right) ^ 0x9E37_79B9_7F4A_7C15
        let product = one.multipliedFullWidth(by: two)
        return Int(bitPattern: product.high ^ product.low) ^ (left << 1)
    }
}
