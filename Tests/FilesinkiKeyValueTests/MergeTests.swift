import FilesinkiItems
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiKeyValue

@Suite("Merging one key")
struct MergeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var says: String
        var policy = MergePolicy.newest
        var base: TypedValue?
        var ours: TypedValue?
        var theirs: TypedValue?
        var result: TypedValue?
        /// The side that is newer.
        var isOursNewer = true

        var testDescription: String { says }
    }

    static let rows: [Row] = [
        Row(
            says: "what is equal stays", base: .integer(1), ours: .integer(2), theirs: .integer(2),
            result: .integer(2)),
        Row(
            says: "only there changed: there", base: .integer(1), ours: .integer(1),
            theirs: .integer(0), result: .integer(0)),
        Row(
            says: "only here changed: here", base: .integer(1), ours: .integer(0),
            theirs: .integer(1), result: .integer(0), isOursNewer: false),
        Row(
            says: "KV-14 newest: here", base: .integer(1), ours: .integer(2), theirs: .integer(3),
            result: .integer(2)),
        Row(
            says: "KV-14 newest: there", base: .integer(1), ours: .integer(2), theirs: .integer(3),
            result: .integer(3), isOursNewer: false),
        Row(says: "newest removal", base: .integer(1), ours: nil, theirs: .integer(3), result: nil),
        Row(
            says: "newest set", base: .integer(1), ours: nil, theirs: .integer(3),
            result: .integer(3), isOursNewer: false),
        Row(says: "both removed", base: .integer(1), ours: nil, theirs: nil, result: nil),
        Row(
            says: "max", policy: .max, base: .integer(1), ours: .integer(5), theirs: .integer(3),
            result: .integer(5), isOursNewer: false),
        Row(
            says: "max of doubles and integers is exact", policy: .max, base: nil,
            ours: .integer(.max), theirs: .double(0x1p63), result: .double(0x1p63)),
        Row(
            says: "max of texts", policy: .max, base: nil, ours: .string("a"), theirs: .string("b"),
            result: .string("b")),
        Row(
            says: "max of what cannot be compared is the newest", policy: .max, base: nil,
            ours: .string("a"), theirs: .integer(3), result: .string("a")),
        Row(
            says: "an edit survives a removal under max", policy: .max, base: .integer(1),
            ours: nil, theirs: .integer(3), result: .integer(3)),
        Row(
            says: "min", policy: .min, base: .integer(9), ours: .integer(5), theirs: .integer(3),
            result: .integer(3)),
        Row(
            says: "sum", policy: .sum, base: .integer(10), ours: .integer(12), theirs: .integer(15),
            result: .integer(17)),
        Row(
            says: "two equal steps of a counter count twice", policy: .sum, base: .integer(5),
            ours: .integer(6), theirs: .integer(6), result: .integer(7)),
        Row(
            says: "sum without a base", policy: .sum, base: nil, ours: .integer(2),
            theirs: .integer(5), result: .integer(7)),
        Row(
            says: "sum is held to 64 bits", policy: .sum, base: .integer(0), ours: .integer(.max),
            theirs: .integer(5), result: .integer(.max)),
        Row(
            says: "sum of doubles", policy: .sum, base: .double(1), ours: .double(1.5),
            theirs: .integer(3), result: .double(3.5)),
        Row(
            says: "union of arrays", policy: .union, base: .array([.integer(1), .integer(2)]),
            ours: .array([.integer(1), .integer(3)]),
            theirs: .array([.integer(1), .integer(2), .integer(4)]),
            result: .array([.integer(1), .integer(4), .integer(3)])),
        Row(
            says: "union of dictionaries", policy: .union,
            base: .dictionary(ValueMembers([("a", .integer(1)), ("b", .integer(1))])),
            ours: .dictionary(
                ValueMembers([("a", .integer(2)), ("b", .integer(1)), ("c", .integer(3))])),
            theirs: .dictionary(ValueMembers([("a", .integer(5))])),
            result: .dictionary(ValueMembers([("a", .integer(2)), ("c", .integer(3))]))),
    ]

    static func held(
        _ value: TypedValue?, _ time: Int64, _ device: UInt8, _ policy: MergePolicy
    ) -> Register {
        Register(value, time: time, device: Array(repeating: device, count: 16), policy: policy)
    }

    static func result(_ merge: ValueMerge) -> TypedValue? {
        switch merge.outcome {
        case .ours: merge.ours.value
        case .theirs: merge.theirs.value
        case .both(let value, _): value
        }
    }

    @Test("KV-14 a key is merged by its rule, on any device", arguments: rows)
    func table(_ row: Row) {
        let base = Self.held(row.base, 10, 9, row.policy)
        let ours = Self.held(row.ours, row.isOursNewer ? 30 : 20, 1, row.policy)
        let theirs = Self.held(row.theirs, 25, 2, row.policy)
        #expect(Self.result(ValueMerge(base: base, ours: ours, theirs: theirs)) == row.result)
        #expect(Self.result(ValueMerge(base: base, ours: theirs, theirs: ours)) == row.result)
    }

    @Test func `KV-14 merging is symmetric, for any values and times`() {
        var random = SeededRandom(seed: 7)
        let pool: [TypedValue?] =
            [nil] + ValueTests.samples + [
                .integer(1), .integer(2), .double(1), .array([.integer(3)]),
            ]
        for _ in 0..<4_000 {
            func any() -> Register {
                Self.held(
                    pool.randomElement(using: &random) ?? nil,
                    Int64.random(in: 0..<4, using: &random),
                    UInt8.random(in: 0..<3, using: &random),
                    MergePolicy.allCases.randomElement(using: &random) ?? .newest)
            }
            let merge = ValueMerge(base: any(), ours: any(), theirs: any(), horizon: 2)
            let turned = ValueMerge(
                base: merge.base, ours: merge.theirs, theirs: merge.ours, horizon: 2)
            #expect(Self.result(merge) == Self.result(turned), "\(merge)")
            // Equal sides are never merged, and a merge again changes nothing.
            #expect(
                ValueMerge(base: merge.base, ours: merge.ours, theirs: merge.ours).outcome
                    == .theirs)
        }
    }

    @Test func `KV-14 a time too far ahead is not trusted`() {
        let year: Int64 = 365 * 86_400_000_000_000
        let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
        let horizon = HybridClock.horizon(now)
        let base = Self.held(.integer(0), now.nanoseconds - 1_000, 1, .newest)
        let wrong = Self.held(.integer(1), now.nanoseconds + year, 2, .newest)
        let right = Self.held(.integer(2), now.nanoseconds, 3, .newest)
        let merge = ValueMerge(base: base, ours: right, theirs: wrong, horizon: horizon)
        #expect(merge.outcome == .ours)
        let near = Self.held(.integer(1), now.nanoseconds + HybridClock.allowance, 2, .newest)
        #expect(
            ValueMerge(base: base, ours: right, theirs: near, horizon: horizon).outcome == .theirs)
    }

    @Test func `a hybrid clock never stands still, and follows no wrong clock`() {
        let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
        var clock = HybridClock()
        let first = clock.tick(now)
        #expect(clock.tick(now) > first)
        #expect(clock.tick(Timestamp(seconds: 1_699_999_900, nanoseconds: 0)) > first)
        clock.observe(.max, now: now)
        #expect(clock.last <= HybridClock.horizon(now))
        #expect(clock.tick(now) > first)
        // A device whose own clock was set right.
        var broken = HybridClock(last: .max)
        #expect(broken.tick(now) <= HybridClock.horizon(now) + 1)
    }
}
