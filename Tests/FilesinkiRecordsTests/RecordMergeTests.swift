import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiRecords

@Suite("Merging one record")
struct RecordMergeTests {
    /// What a policy makes of a case.
    enum Expected: Equatable {
        case theirs, ours
        case both([String: FieldValue])
        case conflict([String])
    }

    /// Two sides and a base; a record is its fields, nil is a deletion.
    struct Case: Sendable {
        var says: String
        var base: [String: FieldValue]?
        var ours: [String: FieldValue]?
        var theirs: [String: FieldValue]?
        var isOursNewer = true
        var rule = FieldRule.newest
        /// By policy: merge, unchanged, changed-keys, all-keys.
        var results: [Expected]
        /// The superseded values by policy: `ours.f` or `theirs.f`.
        var superseded: [String] = ["", "", "", ""]
    }

    private static let one = FieldValue.integer(1)
    private static let two = FieldValue.integer(2)
    private static let three = FieldValue.integer(3)

    static let cases: [Case] = [
        Case(
            says: "nothing changed", base: ["f": one], ours: ["f": one], theirs: ["f": one],
            results: [.theirs, .theirs, .theirs, .theirs]),
        Case(
            says: "only they changed", base: ["f": one], ours: ["f": one], theirs: ["f": two],
            results: [.theirs, .theirs, .theirs, .theirs]),
        Case(
            says: "only we changed", base: ["f": one], ours: ["f": two], theirs: ["f": one],
            results: [.ours, .ours, .ours, .ours]),
        Case(
            says: "the same field, ours newer", base: ["f": one], ours: ["f": two],
            theirs: ["f": three], results: [.ours, .conflict(["f"]), .ours, .ours],
            superseded: ["theirs.f", "", "theirs.f", "theirs.f"]),
        Case(
            says: "the same field, theirs newer", base: ["f": one], ours: ["f": two],
            theirs: ["f": three], isOursNewer: false,
            results: [.theirs, .conflict(["f"]), .ours, .ours],
            superseded: ["ours.f", "", "theirs.f", "theirs.f"]),
        Case(
            says: "the same field to the same value", base: ["f": one], ours: ["f": two],
            theirs: ["f": two], results: [.theirs, .conflict(["f"]), .theirs, .theirs]),
        Case(
            says: "another field", base: ["f": one, "g": one], ours: ["f": two, "g": one],
            theirs: ["f": one, "g": two],
            results: [
                .both(["f": two, "g": two]), .conflict(["g"]), .both(["f": two, "g": two]), .ours,
            ], superseded: ["", "", "", "theirs.g"]),
        Case(
            says: "each added a field", base: ["f": one], ours: ["f": one, "g": two],
            theirs: ["f": one, "h": three],
            results: [
                .both(["f": one, "g": two, "h": three]), .conflict(["h"]),
                .both(["f": one, "g": two, "h": three]), .both(["f": one, "g": two, "h": three]),
            ]),
        Case(
            says: "we removed what they changed, ours newer", base: ["f": one, "g": one],
            ours: ["g": one], theirs: ["f": two, "g": one],
            results: [.ours, .conflict(["f"]), .ours, .ours],
            superseded: ["theirs.f", "", "theirs.f", "theirs.f"]),
        Case(
            says: "we removed what they changed, theirs newer", base: ["f": one, "g": one],
            ours: ["g": one], theirs: ["f": two, "g": one], isOursNewer: false,
            results: [.theirs, .conflict(["f"]), .ours, .ours],
            superseded: ["", "", "theirs.f", "theirs.f"]),
        Case(
            says: "they removed what we changed, ours newer", base: ["f": one, "g": one],
            ours: ["f": two, "g": one], theirs: ["g": one],
            results: [.ours, .conflict(["f"]), .ours, .ours]),
        Case(
            says: "they removed what we changed, theirs newer", base: ["f": one, "g": one],
            ours: ["f": two, "g": one], theirs: ["g": one], isOursNewer: false,
            results: [.theirs, .conflict(["f"]), .ours, .ours], superseded: ["ours.f", "", "", ""]),
        Case(
            says: "we removed a field, they changed another", base: ["f": one, "g": one],
            ours: ["g": one], theirs: ["f": one, "g": two],
            results: [
                .both(["g": two]), .conflict(["g"]), .both(["g": two]), .ours,
            ], superseded: ["", "", "", "theirs.g"]),
        Case(
            says: "both removed it", base: ["f": one], ours: [:], theirs: [:],
            results: [.theirs, .conflict(["f"]), .theirs, .theirs]),
        Case(
            says: "they deleted what we changed", base: ["f": one], ours: ["f": two], theirs: nil,
            results: [.ours, .conflict(["f"]), .ours, .ours]),
        Case(
            says: "they deleted what we did not change", base: ["f": one], ours: ["f": one],
            theirs: nil, results: [.theirs, .theirs, .theirs, .theirs]),
        Case(
            says: "we deleted what they changed", base: ["f": one], ours: nil, theirs: ["f": two],
            results: [.theirs, .conflict(["f"]), .theirs, .ours],
            superseded: ["", "", "", "theirs.f"]),
        Case(
            says: "we deleted what they did not change", base: ["f": one], ours: nil,
            theirs: ["f": one], results: [.ours, .ours, .ours, .ours]),
        Case(
            says: "both deleted it", base: ["f": one], ours: nil, theirs: nil,
            results: [.theirs, .theirs, .theirs, .theirs]),
        Case(
            says: "both made it", base: nil, ours: ["f": one, "g": one],
            theirs: ["f": two, "h": two],
            results: [
                .both(["f": one, "g": one, "h": two]), .conflict(["f", "h"]),
                .both(["f": one, "g": one, "h": two]), .both(["f": one, "g": one, "h": two]),
            ], superseded: ["theirs.f", "", "theirs.f", "theirs.f"]),
        Case(
            says: "only we made it", base: nil, ours: ["f": one], theirs: nil,
            results: [.ours, .ours, .ours, .ours]),
        Case(
            says: "we changed the type of a value", base: ["f": one], ours: ["f": .string("a")],
            theirs: ["f": two], results: [.ours, .conflict(["f"]), .ours, .ours],
            superseded: ["theirs.f", "", "theirs.f", "theirs.f"]),
        Case(
            says: "they changed the type of a value under max", base: ["f": one], ours: ["f": two],
            theirs: ["f": .string("a")], isOursNewer: false, rule: .max,
            results: [.theirs, .conflict(["f"]), .ours, .ours],
            superseded: ["ours.f", "", "theirs.f", "theirs.f"]),
        Case(
            says: "ask", base: ["f": one, "g": one], ours: ["f": two, "g": two],
            theirs: ["f": three, "g": one], rule: .ask,
            results: [.conflict(["f"]), .conflict(["f"]), .ours, .ours],
            superseded: ["", "", "theirs.f", "theirs.f"]),
        Case(
            says: "ask about a removal", base: ["f": one], ours: [:], theirs: ["f": three],
            rule: .ask, results: [.conflict(["f"]), .conflict(["f"]), .ours, .ours],
            superseded: ["", "", "theirs.f", "theirs.f"]),
    ]

    /// A record of the fields that were changed at a time, and of the others of the base.
    static func side(
        _ fields: [String: FieldValue]?, _ time: Int64, _ device: UInt8, since base: Record? = nil
    ) -> Record? {
        guard let fields else { return nil }
        var result = record("a", "Note", fields, at: time, by: device)
        for (name, held) in base?.fields ?? [:] where result[name] == held.value {
            result.copy(name, held)
        }
        if let base, base.hasSameContents(as: result) { return base }
        return result
    }

    @Test("CK-06 every policy and every kind of change", arguments: cases.indices, 0..<4)
    func policy(_ index: Int, _ column: Int) throws {
        let row = Self.cases[index]
        let policy = SavePolicy.allCases[column]
        let base = Self.side(row.base, 10, 9)
        let merge = RecordMerge(
            base: base, ours: Self.side(row.ours, row.isOursNewer ? 30 : 20, 1, since: base),
            theirs: Self.side(row.theirs, row.isOursNewer ? 20 : 30, 2, since: base),
            policy: policy,
            rules: { _ in row.rule })
        let result = merge.result
        let found: Expected =
            switch result.outcome {
            case .theirs: .theirs
            case .ours: .ours
            case .both(let record):
                .both(
                    Dictionary(
                        uniqueKeysWithValues: record.fields.map { ($0.key.text, $0.value.value) }))
            case .conflict(let fields): .conflict(fields.map(\.name.text))
            }
        #expect(found == row.results[column], "\(row.says), \(policy.rawValue)")
        let names = result.superseded.map { "\($0.side).\($0.name)" }.joined(separator: " ")
        #expect(names == row.superseded[column], "\(row.says), \(policy.rawValue)")
        for lost in result.superseded {
            let side = lost.side == .ours ? merge.ours : merge.theirs
            #expect(side?.fields[lost.name] == lost.field)
        }
    }

    @Test func `a conflict has what each side has`() {
        let merge = RecordMerge(
            base: record("a", "Note", ["f": Self.one]), ours: record("a", "Note", ["f": Self.two]),
            theirs: record("a", "Note", [:], at: 3), policy: .unchanged)
        let expected = FieldConflict(
            name: field("f"), base: Self.one, ours: Self.two, theirs: nil)
        #expect(merge.result.outcome == .conflict([expected]))
    }

    @Test func `under unchanged a change of stamps only is a conflict, too`() {
        let merge = RecordMerge(
            base: record("a", "Note", ["f": Self.one]), ours: record("a", "Note", ["f": Self.two]),
            theirs: record("a", "Note", ["f": Self.one], at: 3), policy: .unchanged)
        guard case .conflict = merge.result.outcome else {
            Issue.record("\(merge.result.outcome)")
            return
        }
    }

    @Test(arguments: zip(SavePolicy.allCases, [Self.two, nil, Self.two, Self.one]))
    func `a save that changes nothing gives way, unless it asks for a check or for all fields`(
        _ policy: SavePolicy, _ value: FieldValue?
    ) {
        let merge = RecordMerge(
            base: record("a", "Note", ["f": Self.one]),
            ours: record("a", "Note", ["f": Self.one], at: 5),
            theirs: record("a", "Note", ["f": Self.two], at: 3), policy: policy)
        #expect(FieldRuleTests.merged(merge)?[field("f")] == value)
    }

    @Test func `the later stamp of a changed field decides, not that of the record`() throws {
        let base = record("a", "Note", ["f": Self.one, "g": Self.one], at: 1)
        var ours = base
        try ours.set(field("f"), Field(Self.two, stamp(20, 1)))
        ours.modified = stamp(90, 1)
        var theirs = base
        try theirs.set(field("f"), Field(Self.three, stamp(30, 2)))
        theirs.modified = stamp(30, 2)
        #expect(RecordMerge(base: base, ours: ours, theirs: theirs).result.outcome == .theirs)
        try ours.set(field("f"), nil)
        #expect(RecordMerge(base: base, ours: ours, theirs: theirs).result.outcome == .ours)
    }

    @Test func `equal times: a value before a removal, then the greater device, then the bytes`() {
        func outcome(
            _ ours: [String: FieldValue], _ device: UInt8, _ theirs: [String: FieldValue],
            _ other: UInt8
        ) -> RecordMergeResult.Outcome {
            RecordMerge(
                base: record("a", "Note", ["f": Self.one]),
                ours: Self.side(ours, 20, device), theirs: Self.side(theirs, 20, other)
            ).result.outcome
        }
        #expect(outcome(["f": Self.two], 1, [:], 2) == .ours)
        #expect(outcome([:], 2, ["f": Self.two], 1) == .theirs)
        #expect(outcome(["f": Self.two], 2, ["f": Self.three], 1) == .ours)
        #expect(outcome(["f": Self.three], 1, ["f": Self.two], 2) == .theirs)
        #expect(outcome(["f": Self.three], 1, ["f": Self.two], 1) == .ours)
    }

    @Test func `a time beyond the horizon counts as that of the base`() {
        func outcome(_ ours: Int64, _ base: Int64 = 10) -> RecordMergeResult.Outcome {
            RecordMerge(
                base: Self.side(["f": Self.one], base, 9),
                ours: Self.side(["f": Self.two], ours, 1),
                theirs: Self.side(["f": Self.three], 20, 2), horizon: 100
            ).result.outcome
        }
        #expect(outcome(100) == .ours)
        #expect(outcome(101) == .theirs)
        #expect(outcome(101, 30) == .ours)
        #expect(outcome(101, 101) == .theirs)
    }

    @Test func `the record keeps who made it, and has the later change`() {
        let base = record("a", "Note", ["f": Self.one, "g": Self.one], at: 1)
        var ours = record("a", "Note", ["f": Self.two, "g": Self.one], at: 20, by: 1)
        ours.created = stamp(7, 7)
        var theirs = record("a", "Note", ["f": Self.one, "g": Self.two], at: 30, by: 2)
        theirs.created = stamp(5, 5)
        let merged = FieldRuleTests.merged(RecordMerge(base: base, ours: ours, theirs: theirs))
        #expect(merged?.created == base.created && merged?.modified == stamp(30, 2))
        #expect(merged?.fields[field("f")]?.stamp == stamp(20, 1))
        #expect(merged?.fields[field("g")]?.stamp == stamp(30, 2))
        ours.copy(field("h"), Field(Self.three, stamp(20, 1)))
        let made = FieldRuleTests.merged(RecordMerge(base: nil, ours: ours, theirs: theirs))
        #expect(made?[field("g")] == Self.two && made?[field("h")] == Self.three)
        #expect(made?.created == stamp(5, 5))
    }

    @Test func `the type of a record is merged as a field is`() {
        func outcome(_ base: String, _ ours: String, _ theirs: String) -> RecordMergeResult {
            RecordMerge(
                base: record("a", base, ["f": Self.one], at: 1),
                ours: record("a", ours, ["f": Self.two], at: 30, by: 1),
                theirs: record("a", theirs, ["f": Self.three], at: 20, by: 2)
            ).result
        }
        #expect(outcome("A", "B", "A").outcome == .ours)
        let changed = outcome("A", "A", "B")
        guard case .both(let merged) = changed.outcome else {
            Issue.record("\(changed)")
            return
        }
        #expect(merged.type == type("B") && merged[field("f")] == Self.two)
        // Then the newer record wins as a whole.
        let both = RecordMerge(
            base: record("a", "A", ["f": Self.one], at: 1),
            ours: record("a", "B", ["f": Self.two], at: 30, by: 1),
            theirs: record("a", "C", ["f": Self.three, "g": Self.one], at: 20, by: 2)
        ).result
        #expect(both.outcome == .ours)
        #expect(both.superseded.map(\.field.value) == [Self.three, Self.one])
    }

    @Test func `a stamp changes only with its value`() throws {
        let former = record("a", "Note", ["f": Self.one, "g": Self.one, "h": Self.one], at: 10)
        var saved = record("a", "Note", ["f": Self.one, "g": Self.two], at: 20, by: 2)
        try saved.set(field("i"), Field(Self.one, stamp(20, 2)))
        let kept = saved.keepingStamps(of: former)
        #expect(kept.hasSameContents(as: saved) && kept.modified == stamp(20, 2))
        #expect(kept.fields[field("f")]?.stamp == stamp(10))
        for name in ["g", "i"] { #expect(kept.fields[field(name)]?.stamp == stamp(20, 2)) }
    }
}
