/// A set of byte values, for a class in a glob such as `[a-z]`.
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

    /// The complement of this set.
    var inverted: ByteSet {
        var result = ByteSet()
        result.words = (~words.0, ~words.1, ~words.2, ~words.3)
        return result
    }

    private func bit(_ byte: UInt8) -> UInt64 { 1 << UInt64(byte & 63) }

    static func == (left: ByteSet, right: ByteSet) -> Bool { left.words == right.words }
}

extension ByteSet {
    /// Adds a POSIX class by name, such as `alpha` in `[[:alpha:]]`, with the members that git
    /// uses: ASCII only, and white space without vertical tab and form feed.
    ///
    /// - Returns: Whether the class exists.
    mutating func insert(classNamed name: ArraySlice<UInt8>) -> Bool {
        switch String(decoding: name, as: UTF8.self) {
        case "alnum": insert(letters + digits)
        case "alpha": insert(letters)
        case "blank": insert([0x20...0x20, 0x09...0x09])
        case "cntrl": insert([0x00...0x1F, 0x7F...0x7F])
        case "digit": insert(digits)
        case "graph": insert([0x21...0x7E])
        case "lower": insert([0x61...0x7A])
        case "print": insert([0x20...0x7E])
        case "punct": insert([0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E])
        case "space": insert([0x20...0x20, 0x09...0x0A, 0x0D...0x0D])
        case "upper": insert([0x41...0x5A])
        case "xdigit": insert(digits + [0x41...0x46, 0x61...0x66])
        default: return false
        }
        return true
    }

    private mutating func insert(_ ranges: [ClosedRange<UInt8>]) {
        for range in ranges { insert(range) }
    }

    private var letters: [ClosedRange<UInt8>] { [0x41...0x5A, 0x61...0x7A] }
    private var digits: [ClosedRange<UInt8>] { [0x30...0x39] }
}
