/// A decimal number as it is written, of any length: `-12.50`. Its sums are exact.
struct DecimalText {
    private var isNegative: Bool
    /// The digits, the last one first.
    private var digits: [UInt8]
    /// How many of them are behind the point.
    private var scale: Int

    /// nil for what is not a plain decimal number; an exponent is not plain.
    init?(_ text: [UInt8]) {
        let unsigned =
            text.first.map { $0 == 0x2B || $0 == 0x2D } == true ? text.dropFirst() : text[...]
        let parts = unsigned.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, !whole.isEmpty,
            parts.last?.isEmpty == false,
            parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        isNegative = text.first == 0x2D
        let fraction = parts.count == 2 ? parts[1] : []
        let digits = whole.drop { $0 == 0x30 } + fraction
        self.digits = digits.reversed().map { $0 - 0x30 }
        scale = fraction.count
    }

    static let zero = DecimalText(isNegative: false, digits: [0], scale: 0)

    private init(isNegative: Bool, digits: [UInt8], scale: Int) {
        self.isNegative = isNegative
        self.digits = digits
        self.scale = scale
    }

    /// The number with as many places behind the point as its terms had at most.
    var text: [UInt8] {
        var written = digits
        while written.count > scale + 1, written.last == 0 { written.removeLast() }
        while written.count <= scale { written.append(0) }
        var result: [UInt8] = isNegative && written.contains { $0 > 0 } ? [0x2D] : []
        result += written[scale...].reversed().map { $0 + 0x30 }
        if scale > 0 { result += [0x2E] + written[..<scale].reversed().map { $0 + 0x30 } }
        return result
    }

    static prefix func - (number: DecimalText) -> DecimalText {
        DecimalText(isNegative: !number.isNegative, digits: number.digits, scale: number.scale)
    }

    static func + (first: DecimalText, second: DecimalText) -> DecimalText {
        let (one, other) = aligned(first, second)
        if one.isNegative == other.isNegative {
            return DecimalText(
                isNegative: one.isNegative, digits: sum(one.digits, other.digits), scale: one.scale)
        }
        let isGreater = !isLess(one.digits, other.digits)
        let (large, small) = isGreater ? (one, other) : (other, one)
        return DecimalText(
            isNegative: large.isNegative, digits: difference(large.digits, small.digits),
            scale: one.scale)
    }

    private static func aligned(_ first: DecimalText, _ second: DecimalText)
        -> (DecimalText, DecimalText)
    {
        let scale = max(first.scale, second.scale)
        let length =
            scale + max(first.digits.count - first.scale, second.digits.count - second.scale)
        func widened(_ number: DecimalText) -> DecimalText {
            let low = [UInt8](repeating: 0, count: scale - number.scale) + number.digits
            let high = [UInt8](repeating: 0, count: length - low.count)
            return DecimalText(isNegative: number.isNegative, digits: low + high, scale: scale)
        }
        return (widened(first), widened(second))
    }

    private static func isLess(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.reversed().lexicographicallyPrecedes(second.reversed())
    }

    private static func sum(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        var carry: UInt8 = 0
        var result: [UInt8] = zip(first, second).map { one, other in
            let digit = one + other + carry
            carry = digit / 10
            return digit % 10
        }
        if carry > 0 { result.append(carry) }
        return result
    }

    /// The first is not less than the second.
    private static func difference(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        var borrow: UInt8 = 0
        return zip(first, second).map { one, other in
            let taken = other + borrow
            borrow = one < taken ? 1 : 0
            return one + borrow * 10 - taken
        }
    }
}

extension DecimalText: Comparable {
    static func == (first: DecimalText, second: DecimalText) -> Bool {
        !(first < second) && !(second < first)
    }

    static func < (first: DecimalText, second: DecimalText) -> Bool {
        let (one, other) = (first.isBelowZero, second.isBelowZero)
        if one != other { return one }
        return one ? second.isNearer(than: first) : first.isNearer(than: second)
    }

    private var isBelowZero: Bool { isNegative && digits.contains { $0 > 0 } }

    /// Whether it is nearer to zero. Nothing is copied, for tables are sorted by this.
    private func isNearer(than other: DecimalText) -> Bool {
        let length = digits.count - scale
        let otherLength = other.digits.count - other.scale
        if length != otherLength { return length < otherLength }
        for place in 0..<max(digits.count, other.digits.count) {
            let digit = place < digits.count ? digits[digits.count - 1 - place] : 0
            let otherDigit =
                place < other.digits.count ? other.digits[other.digits.count - 1 - place] : 0
            if digit != otherDigit { return digit < otherDigit }
        }
        return false
    }
}
