import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiMerge

/// Laws of sequences whose elements nothing identifies, compared with diff3 where this is plain.
///
/// `FILESINKI_FUZZ_SEED` makes another run, `FILESINKI_SEQUENCE_CASES` a longer one.
@Suite struct SequenceLawTests {
    private static let usualCount = 300

    /// Makes up sequences, up to the first ones with whose outcome something is wrong.
    ///
    /// - Parameters:
    ///   - share: One of so many of the usual cases is enough, where each is merged often.
    ///   - fault: What is wrong with an outcome, which is made when it is asked for; nil if nothing is.
    private func forEach(
        _ format: WrittenSequence, _ make: (inout Dice) -> MadeSequences, share: Int = 1,
        _ fault: (MadeSequences, () -> MergeOutcome) -> String?
    ) {
        let seed = knob("FILESINKI_FUZZ_SEED", otherwise: 1)
        var dice = Dice(seed: UInt64(clamping: seed))
        for number in 0..<knob("FILESINKI_SEQUENCE_CASES", otherwise: Self.usualCount / share) {
            let versions = make(&dice)
            func outcome() -> MergeOutcome { format.merge.merge(versions.input(format)) }
            guard let fault = fault(versions, outcome) else { continue }
            let name = "seed \(seed), number \(number): \(versions)"
            Issue.record("\(name)\n\(Self.text(outcome()))\n\(fault)")
            return
        }
    }

    /// As ``forEach(_:_:share:_:)``, for elements of which a result may have so many only.
    ///
    /// - Returns: How many were merged.
    private func countMerged(
        _ format: WrittenSequence, _ make: (inout Dice) -> MadeSequences,
        _ range: (MadeElement, MadeSequences) -> ClosedRange<Int>
    ) -> Int {
        var merged = 0
        forEach(format, make) { versions, outcome in
            guard let result = format.elements(of: outcome()) else { return nil }
            merged += 1
            let found = Self.counts(result)
            let all = Set(versions.base + versions.ours + versions.theirs + result)
            let wrong = all.first { !range($0, versions).contains(found[$0] ?? 0) }
            return wrong.map { "\(found[$0] ?? 0) times \($0)" }
        }
        return merged
    }

    @Test(
        "what both sides replaced by different elements is a conflict, whatever stands beside it",
        arguments: WrittenSequence.all)
    func replaced(_ format: WrittenSequence) {
        var conflicts = 0
        forEach(format, MadeSequences.plain) { versions, outcome in
            guard PlainDiff3(versions).isReplacedTwice else { return nil }
            conflicts += 1
            return format.elements(of: outcome()).map { _ in "This is no conflict." }
        }
        #expect(conflicts > 10)
    }

    @Test(
        "a merged sequence has each element as often as the sides imply",
        arguments: WrittenSequence.all)
    func counts(_ format: WrittenSequence) {
        let merged = countMerged(format, MadeSequences.plain) { PlainDiff3($1).counts(of: $0) }
        #expect(merged > 30)
    }

    @Test(
        "where each place was changed by one side or alike, both are merged in their order",
        arguments: WrittenSequence.all)
    func plain(_ format: WrittenSequence) {
        var merged = 0
        forEach(format, MadeSequences.plain) { versions, outcome in
            guard let expected = PlainDiff3(versions).merged else { return nil }
            guard let found = format.elements(of: outcome()) else {
                return format.isBlock ? nil : "This is a conflict."
            }
            merged += 1
            return found == expected ? nil : "Expected: \(expected)"
        }
        #expect(merged > 30)
    }

    @Test(
        "merging the result again with a side gives the same elements, or declines",
        arguments: WrittenSequence.all)
    func again(_ format: WrittenSequence) {
        let makers = [MadeSequences.plain, MadeSequences.repeating]
        for make in makers.prefix(format.canRepeat ? 2 : 1) {
            forEach(format, make, share: 3) { versions, merged in
                let outcome = merged()
                let input = versions.input(format)
                let swapped = format.merge.merge(input.swapped)
                guard case .merged(let bytes) = outcome else {
                    return format.elements(of: swapped).map { "Swapped: \($0)" }
                }
                guard swapped == outcome else { return "Swapped: \(Self.text(swapped))" }
                let result = Self.counts(format.read(bytes))
                for side in [input.ours, input.theirs] {
                    let repeated = MergeInput(base: input.base, ours: bytes, theirs: side)
                    let again = format.elements(of: format.merge.merge(repeated))
                    if let again, Self.counts(again) != result { return "Again: \(again)" }
                }
                return nil
            }
        }
    }

    @Test(
        "repeated elements are neither lost nor doubled",
        arguments: WrittenSequence.all.filter(\.canRepeat))
    func repeated(_ format: WrittenSequence) {
        let merged = countMerged(format, MadeSequences.repeating) { element, versions in
            let (base, ours, theirs) = (
                versions.base.count { $0 == element }, versions.ours.count { $0 == element },
                versions.theirs.count { $0 == element }
            )
            let both = max(0, ours + theirs - base)
            return min(ours, theirs, both)...max(ours, theirs, both)
        }
        #expect(merged > 30)
    }

    /// The document, or the reasons of the conflicts.
    private static func text(_ outcome: MergeOutcome) -> String {
        guard case .declined(let conflicts) = outcome else { return outcome.shown }
        return conflicts.map(\.description).joined(separator: " ")
    }

    private static func counts(_ elements: [MadeElement]) -> [MadeElement: Int] {
        elements.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

/// diff3, written plainly, for sequences in which nothing is there twice and nothing is moved.
struct PlainDiff3 {
    let versions: MadeSequences

    init(_ versions: MadeSequences) { self.versions = versions }

    /// Whether both sides replaced an element, each by one that only it has: between the elements around it which the side
    /// still has, there is one. Where these are as many as before, each replaced the one at its place.
    var isReplacedTwice: Bool {
        func isReplaced(
            _ place: Int, _ side: [MadeElement], _ other: [MadeElement]
        ) -> Bool {
            let base = versions.base
            let before = base[..<place].last { side.contains($0) }
            let after = base[place...].first { side.contains($0) }
            let start = before.flatMap(side.firstIndex).map { $0 + 1 } ?? 0
            let end = after.flatMap(side.firstIndex) ?? side.count
            var new = side[start..<end]
            let oldStart = before.flatMap(base.firstIndex).map { $0 + 1 } ?? 0
            let oldEnd = after.flatMap(base.firstIndex) ?? base.count
            if new.count == oldEnd - oldStart { new = new.dropFirst(place - oldStart).prefix(1) }
            return new.contains { !base.contains($0) && !other.contains($0) }
        }
        return versions.base.indices.contains { place in
            let element = versions.base[place]
            return !versions.ours.contains(element) && !versions.theirs.contains(element)
                && isReplaced(place, versions.ours, versions.theirs)
                && isReplaced(place, versions.theirs, versions.ours)
        }
    }

    /// The elements that all versions have: nothing between them was changed by anybody.
    private var common: [MadeElement] {
        versions.base.filter { versions.ours.contains($0) && versions.theirs.contains($0) }
    }

    /// How often a merged sequence may have an element: what a side removed never; what both added between the same
    /// elements that all have, once; what they added apart, once or twice.
    func counts(of element: MadeElement) -> ClosedRange<Int> {
        let sides = [versions.ours, versions.theirs]
        if versions.base.contains(element) {
            let count = sides.allSatisfy { $0.contains(element) } ? 1 : 0
            return count...count
        }
        let places = sides.compactMap { side in
            side.firstIndex(of: element).map { place in
                side[..<place].count(where: common.contains)
            }
        }
        return min(1, places.count)...Set(places).count
    }

    /// The merged sequence; nil where both sides changed what stands between two elements that all have, or added an
    /// element at different places.
    var merged: [MadeElement]? {
        func parts(_ version: [MadeElement]) -> [[MadeElement]] {
            version.split(omittingEmptySubsequences: false, whereSeparator: common.contains)
                .map(Array.init)
        }
        let all = [versions.base, versions.ours, versions.theirs].map(parts)
        var result: [MadeElement] = []
        for place in 0...common.count {
            let (base, ours, theirs) = (all[0][place], all[1][place], all[2][place])
            guard ours == theirs || base == ours || base == theirs else { return nil }
            result += base == ours ? theirs : ours
            if place < common.count { result.append(common[place]) }
        }
        return Set(result).count == result.count ? result : nil
    }
}
