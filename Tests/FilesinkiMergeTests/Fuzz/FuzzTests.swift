import Testing

@testable import FilesinkiMerge

/// A deterministic fuzzer: mutated contents go through every merge, and its laws must hold.
///
/// `FILESINKI_FUZZ_SECONDS` makes it run so long for each merge, `FILESINKI_FUZZ_SEED` repeats a
/// run or makes another one. A hang is seen as a run that does not end.
@Suite struct FuzzTests {
    private static let usualCount = 250

    @Test(arguments: FuzzTarget.all)
    func `no mutated content breaks a law`(_ target: FuzzTarget) throws {
        let seed = try MergeKnob.fuzzSeed.value() ?? 1
        let seconds = try MergeKnob.fuzzSeconds.value()
        var mutator = Mutator(dice: Dice(seed: UInt64(clamping: seed)))
        let laws = target.laws()
        let start = ContinuousClock.now
        var counts = (all: 0, merged: 0, broken: 0)
        while counts.broken < 5 {
            if let seconds {
                if start.duration(to: .now) > .seconds(seconds) { break }
            } else if counts.all == Self.usualCount {
                break
            }
            let (base, ours, theirs) = mutator.triple(from: target.corpus)
            let input = MergeInput(base: base, ours: ours, theirs: theirs)
            let broken = laws.broken(by: input)
            #expect(
                broken.isEmpty, "seed \(seed), number \(counts.all)\n\(describe(input))")
            if !broken.isEmpty { counts.broken += 1 }
            if case .merged = laws.merge.merge(input) { counts.merged += 1 }
            counts.all += 1
        }
        if seconds != nil { print("\(target.name): \(counts)") }
        #expect(counts.merged > 0)
    }
}
