/// A set of byte values, as a class in a glob such as `[a-z]` means one.
struct ByteSet: Sendable, Equatable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return word & bit(byte) != 0
    }

    mutating func insert(_ byte: UInt8) {
        switch byte >> 6 {
        case 0: words.0 |= bit(byte)
        case 1: words.1 |= bit(byte)
        case 2: words.2 |= bit(byte)
        default: words.3 |= bit(byte)
        }
    }

    mutating func insert(_ bytes: ClosedRange<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    mutating func remove(_ byte: UInt8) {
        switch byte >> 6 {
        case 0: words.0 &= ~bit(byte)
        case 1: words.1 &= ~bit(byte)
        case 2: words.2 &= ~bit(byte)
        default: words.3 &= ~bit(byte)
        }
    }

    /// All bytes that are not in this set.
    var inverted: ByteSet {
        var result = ByteSet()
        result.words = (~words.0, ~words.1, ~words.2, ~words.3)
        return result
    }

    private func bit(_ byte: UInt8) -> UInt64 { 1 << UInt64(byte & 63) }

    static func == (left: ByteSet, right: ByteSet) -> Bool { left.words == right.words }
}
