/// Cuts a content into chunks at positions that depend on its bytes alone. An insertion changes
/// only the chunks around it.
///
/// Gear hashing with normalised chunk sizes, after FastCDC (Xia et al., USENIX ATC 2016). Of each
/// chunk the bytes from 64 before ``minimumSize`` on go into a 64-bit hash,
/// `hash = hash << 1 &+ table[byte]`, which so depends on the last 64 bytes only. The chunk ends
/// behind a byte at which the upper 18 bits of the hash are zero while the chunk is shorter than
/// ``averageSize``, the upper 14 bits from there on; or when it is ``maximumSize`` long; or with
/// the content. No end is looked for before ``minimumSize``.
///
/// The sizes, the bits and the table affect only how well contents share chunks. Readers do not
/// need them.
package struct Chunker: Sendable {
    /// The minimum length of a chunk other than the last: 16 KiB.
    package static let minimumSize = 16 << 10
    /// The length from which on the condition for an end is easier: 64 KiB.
    package static let averageSize = 64 << 10
    /// The maximum length of a chunk: 256 KiB. Contents up to this size are not cut.
    package static let maximumSize = 256 << 10

    private static let window = 64
    private static let strictMask: UInt64 = 0xFFFF_C000_0000_0000
    private static let easyMask: UInt64 = 0xFFFC_0000_0000_0000

    /// The number of bytes of the current chunk so far.
    private var length = 0
    private var hash: UInt64 = 0

    package init() {}

    /// Searches the end of the current chunk in the bytes that follow those of earlier calls.
    ///
    /// - Returns: The number of bytes up to the end of the chunk; the next call starts after
    ///   them. Nil when the chunk continues beyond `bytes`. At the end of the content the caller
    ///   closes the last chunk, which may have any length.
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

    /// Hashes the bytes of a range. Returns the position after the first byte that ends the chunk.
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
    /// One word for each value of a byte, in memory that is never freed. An array would cost a
    /// bounds check or a copy for each byte.
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
