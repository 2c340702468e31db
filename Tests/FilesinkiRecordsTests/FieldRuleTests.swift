import FilesinkiTesting
import Testing

@testable import FilesinkiRecords

@Suite("Rules of fields")
struct FieldRuleTests {
    struct Row: Sendable {
        var says: String
        var rule: FieldRule
        var base: FieldValue?
        var ours: FieldValue?
        var theirs: FieldValue?
        var result: FieldValue?
    }

    /// Ours is newer.
    static let rows: [Row] = [
        Row(
            says: "max", rule: .max, base: .integer(9), ours: .integer(3), theirs: .integer(5),
            result: .integer(5)),
        Row(
            says: "max of doubles", rule: .max, ours: .double(-0.0), theirs: .double(0),
            result: .double(0)),
        Row(
            says: "max of dates", rule: .max, ours: .date(milliseconds: 1),
            theirs: .date(milliseconds: 2), result: .date(milliseconds: 2)),
        Row(
            says: "max of texts", rule: .max, ours: .string("a"), theirs: .string("b"),
            result: .string("b")),
        Row(
            says: "max of what cannot be compared is the newest", rule: .max, ours: .data([1]),
            theirs: .data([2]), result: .data([1])),
        Row(
            says: "min", rule: .min, base: .integer(9), ours: .integer(5), theirs: .integer(3),
            result: .integer(3)),
        Row(
            says: "min of texts", rule: .min, ours: .string("b"), theirs: .string("a"),
            result: .string("a")),
        Row(
            says: "an edit survives a removal under max", rule: .max, base: .integer(1), ours: nil,
            theirs: .integer(0), result: .integer(0)),
        Row(
            says: "sum", rule: .sum, base: .integer(5), ours: .integer(6), theirs: .integer(8),
            result: .integer(9)),
        Row(
            says: "two equal steps count twice", rule: .sum, base: .integer(5), ours: .integer(6),
            theirs: .integer(6), result: .integer(7)),
        Row(
            says: "sum without a base", rule: .sum, ours: .integer(6), theirs: .integer(8),
            result: .integer(14)),
        Row(
            says: "a sum is held to 64 bits", rule: .sum, base: .integer(-1), ours: .integer(.max),
            theirs: .integer(1), result: .integer(.max)),
        Row(
            says: "sum of doubles", rule: .sum, base: .double(1), ours: .double(1.5),
            theirs: .double(3), result: .double(3.5)),
        Row(
            says: "a sum that is NaN is the newest", rule: .sum, base: .double(.infinity),
            ours: .double(1), theirs: .double(.infinity), result: .double(1)),
        Row(
            says: "a sum of two infinities is the newest", rule: .sum, base: .double(0),
            ours: .double(.infinity), theirs: .double(-.infinity), result: .double(.infinity)),
        Row(
            says: "sum of texts is the newest", rule: .sum, base: .string("a"), ours: .string("b"),
            theirs: .string("c"), result: .string("b")),
        Row(
            says: "sum of two types is the newest", rule: .sum, base: .integer(1),
            ours: .integer(2), theirs: .double(3), result: .integer(2)),
        Row(
            says: "only one step", rule: .sum, base: .integer(5), ours: .integer(5),
            theirs: .integer(8), result: .integer(8)),
        Row(
            says: "union", rule: .union, base: texts("a", "b"), ours: texts("b", "d"),
            theirs: texts("c", "a", "b"), result: texts("b", "c", "d")),
        Row(
            says: "union adds each once", rule: .union, base: texts(), ours: texts("a"),
            theirs: texts("a", "b", "a"), result: texts("a", "b")),
        Row(
            says: "union of lists of two types is the newest", rule: .union, base: nil,
            ours: texts("a"), theirs: list([.integer(1)], of: .integer), result: texts("a")),
        Row(
            says: "union of single values is the newest", rule: .union, base: .integer(0),
            ours: .integer(1), theirs: .integer(2), result: .integer(1)),
        Row(
            says: "an edit survives a removal under union", rule: .union, base: texts("a"),
            ours: nil, theirs: texts("a", "b"), result: texts("a", "b")),
    ]

    static func merged(_ merge: RecordMerge) -> Record? {
        switch merge.result.outcome {
        case .theirs: merge.theirs
        case .ours: merge.ours
        case .both(let record): record
        case .conflict: nil
        }
    }

    @Test("a rule decides when both changed a field", arguments: rows.indices)
    func rule(_ index: Int) {
        let row = Self.rows[index]
        func side(_ value: FieldValue?, _ time: Int64) -> Record {
            record("a", "Note", value.map { ["f": $0] } ?? [:], at: time, by: UInt8(time))
        }
        let merge = RecordMerge(
            base: side(row.base, 1), ours: side(row.ours, 30), theirs: side(row.theirs, 20),
            rules: { _ in row.rule })
        #expect(Self.merged(merge)?[field("f")] == row.result, "\(row.says)")
    }

    @Test func `the same step of a counter counts once`() {
        let base = record("a", "Note", ["f": .integer(5)])
        let once = record("a", "Note", ["f": .integer(6), "g": .integer(1)], at: 3)
        var other = once
        other.copy(field("g"), Field(.integer(2), stamp(4)))
        let merge = RecordMerge(base: base, ours: once, theirs: other, rules: { _ in .sum })
        #expect(Self.merged(merge)?[field("f")] == .integer(6))
        #expect(Self.merged(merge)?[field("g")] == .integer(3))
    }

    @Test func `every rule and every policy has a name`() {
        #expect(
            FieldRule.allCases.map(\.name) == ["newest", "max", "min", "sum", "union", "ask"])
        #expect(FieldRule.allCases.allSatisfy { FieldRule(name: $0.name) == $0 })
        #expect(FieldRule(name: "Max") == nil)
        #expect(
            SavePolicy.allCases.map(\.rawValue) == [
                "merge", "unchanged", "changed-keys", "all-keys",
            ])
    }

    // MARK: - Laws

    private static let names = ["f", "g", "h", "i"]
    private static let rules: [FieldRule] = [.newest, .max, .min, .sum, .union]

    private static func randomValue(_ random: inout SeededRandom) -> FieldValue {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: .string(["", "a", "B"].randomElement(using: &random) ?? "")
        case 1: .double([0, -0.0, 1.5, .infinity].randomElement(using: &random) ?? 0)
        case 2:
            list((0..<3).map { _ in .integer(.random(in: 0...2, using: &random)) }, of: .integer)
        case 3: texts("a", ["b", "c"].randomElement(using: &random) ?? "")
        default: .integer(.random(in: -2...4, using: &random))
        }
    }

    private static func randomEdit(
        of base: Record?, _ random: inout SeededRandom, by device: UInt8
    ) -> Record? {
        if random.chance(0.1) { return nil }
        if random.chance(0.1) { return base }
        let time = Int64.random(in: 10...16, using: &random)
        let recordType = ["A", "A", "A", "B"].randomElement(using: &random) ?? "A"
        var edited = base ?? record("a", recordType, [:], at: time, by: device)
        edited.type = type(recordType)
        edited.modified = stamp(time, device)
        for name in names where random.chance(0.4) {
            let field = FilesinkiRecordsTests.field(name)
            let stamp = stamp(time - Int64.random(in: 0...3, using: &random), device)
            edited.copy(field, random.chance(0.2) ? nil : Field(randomValue(&random), stamp))
        }
        return edited
    }

    @Test func `both orders have the same contents, and merging again changes nothing`() {
        var random = SeededRandom(seed: 7)
        var merges = 0
        for round in 0..<4_000 {
            let base = randomEdit(of: nil, &random)
            let (ours, theirs) = (
                Self.randomEdit(of: base, &random, by: 1), Self.randomEdit(of: base, &random, by: 2)
            )
            let horizon = random.chance(0.3) ? 13 : Int64.max
            let shift = Int.random(in: 0..<Self.rules.count, using: &random)
            func merge(_ ours: Record?, _ theirs: Record?, base: Record?) -> RecordMerge {
                RecordMerge(base: base, ours: ours, theirs: theirs, horizon: horizon) { name in
                    Self.rules[(Int(name.text.utf8.first ?? 0) + shift) % Self.rules.count]
                }
            }
            let one = merge(ours, theirs, base: base)
            let other = merge(theirs, ours, base: base)
            let (left, right) = (Self.merged(one), Self.merged(other))
            #expect(Self.areSame(left, right), "round \(round): \(one)")
            if case .both = one.result.outcome { merges += 1 }
            // The other device receives the result as theirs, with what it had as base.
            #expect(Self.areSame(Self.merged(merge(theirs, left, base: theirs)), left))
            #expect(Self.areSame(Self.merged(merge(left, left, base: base)), left))
            Self.checkNothingLost(one, left, round)
        }
        #expect(merges > 400, "too few merges of both: \(merges)")
    }

    private func randomEdit(of base: Record?, _ random: inout SeededRandom) -> Record? {
        Self.randomEdit(of: base, &random, by: 9)
    }

    private static func areSame(_ left: Record?, _ right: Record?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        return left.hasSameContents(as: right)
    }

    /// What a side set since the base is in the result, or in a sum or a union there, or superseded.
    private static func checkNothingLost(_ merge: RecordMerge, _ result: Record?, _ round: Int) {
        guard let ours = merge.ours, let theirs = merge.theirs else { return }
        let superseded = merge.result.superseded
        for (side, record) in [(SupersededField.Side.ours, ours), (.theirs, theirs)] {
            for (name, held) in record.fields where held.value != merge.base?[name] {
                let isThere =
                    result?[name] == held.value
                    || [.sum, .union].contains(merge.rules(name)) && result?[name] != nil
                    || superseded.contains {
                        $0.name == name && $0.side == side && $0.field == held
                    }
                #expect(isThere, "round \(round): \(side) \(name)")
            }
        }
    }
}
