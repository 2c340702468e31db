/// A random number generator whose sequence is determined by its seed.
///
/// SplitMix64, from Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The next random bytes.
    ///
    /// Without closures and generic calls for each byte: tests are not optimized, and some ask for millions.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        var words = [UInt64](repeating: 0, count: (count + 7) / 8)
        words.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            var index = 0
            while index < buffer.count {
                start[index] = next().littleEndian
                index += 1
            }
        }
        return words.withUnsafeBytes { Array(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// True with a probability from 0 to 1.
    package mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}

/// Random bytes, the same for each seed, which no codec makes smaller.
package func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return random.bytes(count)
}
