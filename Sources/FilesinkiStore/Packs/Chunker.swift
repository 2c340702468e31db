/// Cuts a content into chunks at places that its bytes alone decide, so that an insertion changes
/// the chunks around it and no others.
///
/// Gear hashing with normalised chunk sizes, after FastCDC (Xia et al., USENIX ATC 2016). Of each
/// chunk the bytes from 64 before ``minimumSize`` on go into a 64-bit hash,
/// `hash = hash << 1 &+ table[byte]`, which so depends on the last 64 bytes only. The chunk ends
/// behind a byte at which the upper 18 bits of the hash are zero while the chunk is shorter than
/// ``averageSize``, the upper 14 bits from there on; or when it is ``maximumSize`` long; or with
/// the content. No end is looked for before ``minimumSize``.
///
/// The sizes, the bits and the table decide only how well contents share chunks: a reader needs
/// none of them.
package struct Chunker: Sendable {
    /// The shortest chunk, save the last of a content: 16 KiB.
    package static let minimumSize = 16 << 10
    /// Where the condition for an end becomes easier: 64 KiB.
    package static let averageSize = 64 << 10
    /// The longest chunk: 256 KiB. Contents up to this size are not cut at all.
    package static let maximumSize = 256 << 10

    private static let window = 64
    private static let strictMask: UInt64 = 0xFFFF_C000_0000_0000
    private static let easyMask: UInt64 = 0xFFFC_0000_0000_0000

    /// How many bytes of the present chunk have passed.
    private var length = 0
    private var hash: UInt64 = 0

    package init() {}

    /// Looks for the end of the present chunk in the bytes that follow those of earlier calls.
    ///
    /// - Returns: How many of `bytes` belong to the chunk that ends in them; the next call begins
    ///   behind those. Nil when the chunk goes on beyond `bytes`. At the content's end the caller
    ///   closes the last chunk, which may be of any length.
    package mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        let start = length
        let limit = min(bytes.count, Self.maximumSize - start)
        // Positions in `bytes` of the first hashed byte, the first possible end and the average.
        var index = min(max(Self.minimumSize - Self.window - start, 0), limit)
        let first = min(max(Self.minimumSize - start, 0), limit)
        let middle = min(max(Self.averageSize - start, 0), limit)
        let table = GearTable.words
        var hash = self.hash
        while index < first {
            hash = hash << 1 &+ table[Int(bytes[index])]
            index += 1
        }
        if let end = Self.scan(bytes, from: index, to: middle, mask: Self.strictMask, &hash)
            ?? Self.scan(bytes, from: max(index, middle), to: limit, mask: Self.easyMask, &hash)
        {
            self = Chunker()
            return end
        }
        guard start + limit < Self.maximumSize else {
            self = Chunker()
            return limit
        }
        length = start + limit
        self.hash = hash
        return nil
    }

    /// Hashes the bytes of a range and gives the position behind the first that ends the chunk.
    @inline(__always)
    private static func scan(
        _ bytes: UnsafeRawBufferPointer, from: Int, to: Int, mask: UInt64, _ hash: inout UInt64
    ) -> Int? {
        guard from < to, let base = bytes.baseAddress else { return nil }
        let table = GearTable.words
        var state = hash
        var index = from
        while index < to {
            let byte = base.load(fromByteOffset: index, as: UInt8.self)
            state = state << 1 &+ table[Int(byte)]
            index += 1
            if state & mask == 0 { return index }
        }
        hash = state
        return nil
    }
}

/// The 256 random words of the ``Chunker``.
enum GearTable {
    /// The words, one for each value of a byte, in memory that lives as long as the process: as an
    /// array or an inline array they would cost a check, or a copy, for each byte.
    ///
    /// They are the first 256 outputs of splitmix64 (Steele, Lea and Flood, OOPSLA 2014) from the
    /// state 0x66696C6573696E6B, which is "filesink" in ASCII.
    nonisolated(unsafe) static let words: UnsafePointer<UInt64> = {
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: 256)
        var state: UInt64 = 0x6669_6C65_7369_6E6B
        for index in 0..<256 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            words.advanced(by: index).initialize(to: word ^ word >> 31)
        }
        return UnsafePointer(words)
    }()
}
