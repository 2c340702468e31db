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
