/// 64 bits over the values of a row, to tell bit rot from data.
///
/// Each word is mixed in by steps that can be undone (xor, an odd multiplier, a xor with the upper
/// half: those of MurmurHash3's finaliser, https://github.com/aappleby/smhasher), so that a change
/// within one word always changes the result; several changes go unnoticed once in 2^64. It is no
/// defence against somebody who wants to deceive: who can write the manifest can write the files.
struct RowCheck {
    private var state: UInt64

    /// - Parameter table: The table's name, so that a row is not taken for one of another table.
    init(table: StaticString) {
        state = 0x9E37_79B9_7F4A_7C15
        table.withUTF8Buffer { add(UnsafeRawBufferPointer($0)) }
    }

    /// The check of all values added.
    var value: UInt64 {
        var copy = self
        copy.add(UInt64(0x2545_F491_4F6C_DD1D))
        copy.add(UInt64(0))
        return copy.state
    }

    mutating func add(_ word: UInt64) {
        state ^= word
        state &*= 0xFF51_AFD7_ED55_8CCD
        state ^= state >> 32
    }

    /// Adds the length and then the bytes, eight at a time, the last ones filled up with zeros.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(bytes.count))
        var index = 0
        while index + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
        }
        guard index < bytes.count else { return }
        var rest: UInt64 = 0
        for offset in index..<bytes.count {
            rest |= UInt64(bytes[offset]) << (UInt64(offset - index) * 8)
        }
        add(rest)
    }
}
