import FilesinkiModel

@testable import FilesinkiMerge

/// The laws of ``ContentMerge``, checked on one input.
struct MergeLaws {
    let merge: any ContentMerge
    /// What a content is made of; whatever only one side has must be in the result.
    var pieces: (@Sendable ([UInt8], MergeInput) -> Set<[UInt8]>)?
    /// What a merge of the result with one of its sides gives.
    var again = Again.same

    enum Again {
        /// The result.
        case same
        /// The result, or the merge declines. For merges by place: what both sides put in at one
        /// place touches what the result has there.
        case sameOrDeclined
        /// Anything that keeps the other laws: git may align equal lines another way.
        case unknown
    }

    /// What is broken, in words; empty where all laws hold.
    func broken(by input: MergeInput) -> [String] {
        let outcome = merge.merge(input)
        var broken = brokenTrivially(by: input)
        let exchanged = merge.merge(input.swapped)
        if !isSame(outcome, exchanged) {
            broken.append("exchanged: \(Self.text(exchanged)), else \(Self.text(outcome))")
        }
        guard case .merged(let result) = outcome else { return broken }
        if merge.merge(MergeInput(base: result, ours: result, theirs: result)) != .merged(result) {
            broken.append("the result is not of the format")
        }
        return broken + brokenAgain(input, result) + brokenPieces(input, result)
    }

    private func brokenTrivially(by input: MergeInput) -> [String] {
        var broken: [String] = []
        for side in [input.ours, input.theirs] {
            let trivial = [
                with(input, ours: side, theirs: side), with(input, ours: side, theirs: input.base),
                with(input, ours: input.base, theirs: side),
            ].compactMap(\.self).map { merge.merge($0) }
            let isRight = trivial.allSatisfy { outcome in
                if case .merged(let bytes) = outcome { return bytes == side }
                return true
            }
            if !isRight { broken.append("a side that did nothing counts") }
        }
        return broken
    }

    private func with(_ input: MergeInput, ours: [UInt8]?, theirs: [UInt8]?) -> MergeInput? {
        guard let ours, let theirs else { return nil }
        var result = input
        result.ours = ours
        result.theirs = theirs
        return result
    }

    private static func text(_ outcome: MergeOutcome) -> String {
        switch outcome {
        case .merged(let bytes): printable(bytes)
        case .declined(let conflicts): "\(conflicts)"
        }
    }

    /// Equal bytes, or both decline.
    private func isSame(_ first: MergeOutcome, _ second: MergeOutcome) -> Bool {
        switch (first, second) {
        case (.merged(let one), .merged(let other)): one == other
        case (.declined, .declined): true
        default: false
        }
    }

    private func brokenAgain(_ input: MergeInput, _ result: [UInt8]) -> [String] {
        if again == .unknown { return [] }
        return [input.ours, input.theirs].compactMap { side in
            guard let repeated = with(input, ours: result, theirs: side) else { return nil }
            switch merge.merge(repeated) {
            case .merged(let bytes):
                return bytes == result
                    ? nil : "merging again changes the result to \(printable(bytes))"
            case .declined(let conflicts):
                return again == .same ? "merging again declines: \(conflicts)" : nil
            }
        }
    }

    private func brokenPieces(_ input: MergeInput, _ result: [UInt8]) -> [String] {
        guard let pieces else { return [] }
        let base = pieces(input.base ?? [], input)
        let added = pieces(input.ours, input).union(pieces(input.theirs, input)).subtracting(base)
        let lost = added.subtracting(pieces(result, input))
        return lost.isEmpty ? [] : ["lost: \(lost.map { printable($0) })"]
    }
}

/// Base, here and there on three lines.
func describe(_ input: MergeInput) -> String {
    [("base", input.base ?? []), ("here", input.ours), ("there", input.theirs)]
        .map { "\($0): \(printable($1.prefix(2000)))" }.joined(separator: "\n")
}
