import FilesinkiText
import Testing

@testable import FilesinkiMerge

@Suite struct JSONMergeLawTests {
    private func merge(_ base: [UInt8]?, _ ours: [UInt8], _ theirs: [UInt8]) -> MergeOutcome {
        JSONMerge().merge(MergeInput(base: base, ours: ours, theirs: theirs))
    }

    /// Three versions, in up to three styles.
    private func versions(_ seed: UInt64) -> [[UInt8]] {
        var maker = JSONMaker(seed: seed)
        let base = maker.object()
        let indents = [2, 2, 2, 4, nil]
        let style = indents[maker.below(5)]
        return [base, maker.edited(base), maker.edited(base)].map {
            let indent = maker.below(4) == 0 ? indents[maker.below(5)] : style
            return Array(($0.written(indent: indent) + "\n").utf8)
        }
    }

    @Test(arguments: 0..<40)
    func `the laws hold for random documents`(_ round: Int) throws {
        for seed in (UInt64(round) * 50)..<(UInt64(round) * 50 + 12) {
            let all = versions(seed)
            let (base, ours, theirs) = (all[0], all[1], all[2])
            let show = all.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "~~\n")
            #expect(merge(base, ours, ours) == .merged(ours), "seed \(seed)")
            #expect(merge(base, base, ours) == .merged(ours), "seed \(seed)")
            #expect(merge(base, ours, base) == .merged(ours), "seed \(seed)")
            let outcome = merge(base, ours, theirs)
            #expect(sameBytes(outcome, merge(base, theirs, ours)), "seed \(seed)\n\(show)")
            guard case .merged(let result) = outcome else { continue }
            #expect(throws: Never.self, "seed \(seed)\n\(show)") { try JSONDocument(result) }
            let again = merge(base, result, theirs)
            let shown = String(decoding: result, as: UTF8.self)
            if again != outcome {
                Issue.record("seed \(seed)\n\(show)~~\n\(shown)~~\n\(text(of: again))")
            }
        }
    }

    private func text(of outcome: MergeOutcome) -> String {
        switch outcome {
        case .merged(let bytes): String(decoding: bytes, as: UTF8.self)
        case .declined(let conflicts): conflicts.map(\.description).joined(separator: "\n")
        }
    }

    private func sameBytes(_ left: MergeOutcome, _ right: MergeOutcome) -> Bool {
        switch (left, right) {
        case (.merged(let one), .merged(let two)): one == two
        case (.declined(let one), .declined(let two)): one.count == two.count
        default: false
        }
    }

    @Test(arguments: 0..<150)
    func `edits of different members are both applied, formatted as by one editor`(_ seed: Int) {
        var maker = JSONMaker(seed: UInt64(seed))
        let indent = maker.below(4) == 0 ? nil : 2
        let values = (0..<4).map { _ in maker.value() }
        let edits = values.map { maker.edited($0) }
        func document(_ parts: [JSONModel]) -> [UInt8] {
            let members = parts.enumerated().map { JSONModel.Member(key: "m\($0)", value: $1) }
            return Array(JSONModel.object(members).written(indent: indent).utf8)
        }
        let outcome = merge(
            document(values), document([edits[0], values[1], edits[2], values[3]]),
            document([values[0], edits[1], values[2], edits[3]]))
        #expect(outcome == .merged(document(edits)))
    }

    @Test(arguments: 0..<100)
    func `members that only one side has at the top are in the result unchanged`(_ seed: Int) throws
    {
        let all = versions(UInt64(seed) + 100_000)
        guard case .merged(let bytes) = merge(all[0], all[1], all[2]) else { return }
        let result = try JSONDocument(bytes)
        let (base, sides) = (
            try JSONDocument(all[0]), [try JSONDocument(all[1]), try JSONDocument(all[2])]
        )
        guard result.nodes[0].kind == .object else { return }
        for (side, other) in zip(sides, sides.reversed()) where side.nodes[0].kind == .object {
            for child in side.children(of: 0) {
                let key = side.key(child)
                guard base.member(key, of: 0) == nil, other.member(key, of: 0) == nil else {
                    continue
                }
                let found = try #require(result.member(key, of: 0))
                #expect(side.sameValue(child, result, found))
            }
        }
    }
}
