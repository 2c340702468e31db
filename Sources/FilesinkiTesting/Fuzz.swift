import Glibc

/// Mutated input for readers of bytes that are not trusted.
///
/// Each run has the same input. `FILESINKI_FUZZ_SECONDS` makes it run so long, `FILESINKI_FUZZ_SEED` makes another run or
/// repeats one. A crash ends the run, a hang is seen as a run that does not end.
package struct Fuzz {
    /// How much input there was.
    package struct Counts {
        package var all = 0
        /// What the reader took.
        package var read = 0

        /// Whether neither all input was read, nor was nearly all of it refused.
        package var isMixed: Bool { read > all / 50 && read < all }
    }

    private let corpus: [[UInt8]]
    private let pieces: [[UInt8]]
    private let count: Int
    private let maximumLength: Int

    /// The seed of the run, also for what a test draws besides its input.
    package static var seed: UInt64 {
        UInt64(clamping: knob("FILESINKI_FUZZ_SEED", otherwise: 1))
    }

    /// - Parameters:
    ///   - corpus: What is mutated.
    ///   - pieces: What means something to the reader, and is inserted now and then.
    ///   - count: How much input there is when the environment does not say how long to go on.
    ///   - maximumLength: The longest input, in bytes.
    package init(
        _ corpus: [[UInt8]], pieces: [[UInt8]] = [], count: Int = 600,
        maximumLength: Int = 20_000
    ) {
        (self.corpus, self.pieces) = (corpus, pieces)
        (self.count, self.maximumLength) = (count, maximumLength)
    }

    /// Calls `body` with input; it returns whether it was read.
    @discardableResult
    package func run(_ body: ([UInt8]) throws -> Bool) rethrows -> Counts {
        var mutator = Mutator(
            random: SeededRandom(seed: Self.seed), corpus: corpus, pieces: pieces)
        let seconds = knob("FILESINKI_FUZZ_SECONDS", otherwise: 0)
        let start = ContinuousClock.now
        var counts = Counts()
        while seconds > 0 ? start.duration(to: .now) < .seconds(seconds) : counts.all < count {
            if try body(Array(mutator.next().prefix(maximumLength))) { counts.read += 1 }
            counts.all += 1
        }
        return counts
    }
}

private struct Mutator {
    var random: SeededRandom
    let corpus: [[UInt8]]
    let pieces: [[UInt8]]

    mutating func next() -> [UInt8] {
        var bytes = corpus.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 0...3, using: &random) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...24, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1 where start < bytes.count:
            bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2 where start < bytes.count: bytes[start] = random.bytes(1)[0]
        case 3: bytes.insert(contentsOf: Array(bytes[start..<end]), at: start)
        case 4: bytes.insert(contentsOf: corpus.randomElement(using: &random) ?? [], at: start)
        case 5: bytes.removeSubrange(start...)
        case 6:
            let copies = repeatElement(Array(bytes[start..<end]), count: 100).joined()
            bytes.insert(contentsOf: Array(copies), at: start)
        default: bytes.insert(contentsOf: piece(), at: start)
        }
    }

    private mutating func piece() -> [UInt8] {
        pieces.randomElement(using: &random)
            ?? random.bytes(Int.random(in: 1...4, using: &random))
    }
}
