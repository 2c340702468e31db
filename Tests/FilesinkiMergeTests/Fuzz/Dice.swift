/// Chance that a seed repeats (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// 0 up to below the limit; 0 for a limit of 0.
    mutating func below(_ limit: Int) -> Int {
        limit > 0 ? Int.random(in: 0..<limit, using: &self) : 0
    }

    /// True once in so many throws.
    mutating func once(in throwCount: Int) -> Bool { below(throwCount) == 0 }

    /// A piece of something with so many elements, not longer than the limit.
    mutating func range(in count: Int, atMost limit: Int = .max) -> Range<Int> {
        let start = below(count + 1)
        return start..<(start + below(min(limit, count - start) + 1))
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[below(choices.count)]
    }
}
