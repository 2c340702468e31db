import FilesinkiText

/// A number of any length, exactly.
struct JSONDecimal: Hashable {
    var isNegative: Bool
    /// 0 to 9 each, most significant first, neither beginning nor ending with 0; empty for zero.
    var digits: [UInt8]
    /// The power of ten of the last digit.
    var exponent: Int

    /// More digits than this are not added up.
    private static let longest = 100_000

    /// - Returns: nil for an exponent beyond reason.
    init?(_ text: [UInt8]) {
        let parts = text.withUnsafeBufferPointer { text in
            let number = JSONNumber(text)
            return number.exponent.map { (number.isNegative, number.digits(text), $0) }
        }
        guard let (isNegative, digits, exponent) = parts else { return nil }
        self.init(isNegative: isNegative, digits: digits, exponent: exponent)
    }

    private init(isNegative: Bool, digits: [UInt8], exponent: Int) {
        let last = digits.lastIndex { $0 != 0 } ?? -1
        self.digits = Array(digits[...last].drop { $0 == 0 })
        self.isNegative = isNegative && !self.digits.isEmpty
        self.exponent = self.digits.isEmpty ? 0 : exponent + digits.count - 1 - last
    }

    /// The power of ten just above the number.
    private var magnitude: Int { exponent + digits.count }

    static prefix func - (number: JSONDecimal) -> JSONDecimal {
        JSONDecimal(
            isNegative: !number.isNegative, digits: number.digits, exponent: number.exponent)
    }

    /// - Returns: nil when the sum would have too many digits.
    func adding(_ other: JSONDecimal) -> JSONDecimal? {
        guard !digits.isEmpty else { return other }
        guard !other.digits.isEmpty else { return self }
        let low = min(exponent, other.exponent)
        let width = max(magnitude, other.magnitude) - low + 1
        guard width <= Self.longest else { return nil }
        let (left, right) = (aligned(low, width), other.aligned(low, width))
        if isNegative == other.isNegative {
            return JSONDecimal(
                isNegative: isNegative, digits: Self.sum(left, right), exponent: low)
        }
        let isLess = left.lexicographicallyPrecedes(right)
        return JSONDecimal(
            isNegative: isLess ? other.isNegative : isNegative,
            digits: isLess ? Self.difference(right, left) : Self.difference(left, right),
            exponent: low)
    }

    private func aligned(_ low: Int, _ width: Int) -> [UInt8] {
        let tail = [UInt8](repeating: 0, count: exponent - low)
        return [UInt8](repeating: 0, count: width - digits.count - tail.count) + digits + tail
    }

    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var result = left
        var carry: UInt8 = 0
        for index in left.indices.reversed() {
            let digit = left[index] + right[index] + carry
            carry = digit / 10
            result[index] = digit % 10
        }
        return result
    }

    private static func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var result = left
        var borrow: UInt8 = 0
        for index in left.indices.reversed() {
            let digit = left[index] + 10 - right[index] - borrow
            borrow = digit < 10 ? 1 : 0
            result[index] = digit % 10
        }
        return result
    }

    /// As a document writes it, with at least `fraction` digits after the point.
    func written(fraction: Int) -> [UInt8] {
        let sign: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        let ascii = digits.map { $0 + UInt8(ascii: "0") }
        let zero = UInt8(ascii: "0")
        guard exponent <= 40, magnitude > -40 - digits.count else {
            return sign + ascii + Array("e\(exponent)".utf8)
        }
        let places = max(fraction, -exponent)
        var all = ascii + [UInt8](repeating: zero, count: places + exponent)
        if all.count <= places {
            all = [UInt8](repeating: zero, count: places + 1 - all.count) + all
        }
        guard places > 0 else { return sign + all }
        return sign + all.dropLast(places) + [UInt8(ascii: ".")] + all.suffix(places)
    }
}

extension JSONDecimal: Comparable {
    static func < (left: JSONDecimal, right: JSONDecimal) -> Bool {
        let (leftSign, rightSign) = (left.sign, right.sign)
        guard leftSign == rightSign else { return leftSign < rightSign }
        return left.isNegative
            ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Whether it is nearer to zero; both have the same sign.
    private func isSmaller(than other: JSONDecimal) -> Bool {
        guard !digits.isEmpty, magnitude == other.magnitude else {
            return magnitude < other.magnitude
        }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

extension JSONDocument {
    /// The exact value of a number; nil for other values, and for an exponent beyond reason.
    func decimal(_ node: Int) -> JSONDecimal? {
        nodes[node].kind == .number ? JSONDecimal(Array(text(node))) : nil
    }
}

extension JSONDecimal {
    /// - Returns: nil for a text that is not a number as JSON writes it.
    init?(text: ArraySlice<UInt8>) {
        guard let first = text.first, first == UInt8(ascii: "-") || JSONString.isDigit(first),
            text.count < 1000, let document = try? JSONDocument(Array(text)),
            let number = document.decimal(0)
        else { return nil }
        self = number
    }
}
