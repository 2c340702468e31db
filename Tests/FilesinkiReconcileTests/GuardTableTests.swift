import FilesinkiModel
import FilesinkiReconcile
import Testing

/// When a run stops, number by number: each row is beside a limit.
@Suite struct GuardTableTests {
    /// What a plan counts, and a guard asks for.
    enum Number: Sendable {
        case agreed, taken, deletedOurs, deletedTheirs, overwrittenOurs, overwrittenTheirs

        var path: WritableKeyPath<Plan.Counts, Int> {
            switch self {
            case .agreed: \.agreed
            case .taken: \.taken
            case .deletedOurs: \.deletedOurs
            case .deletedTheirs: \.deletedTheirs
            case .overwrittenOurs: \.overwrittenOurs
            case .overwrittenTheirs: \.overwrittenTheirs
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var check = Guard()
        var planned: [Number: Int]
        var done: [Number: Int] = [:]
        var recent: [Number: Int] = [:]
        var base: Int
        var missing = 0
        var violations: [GuardViolation]

        var testDescription: String { name }
    }

    @Test("a limit", arguments: deletions + overwrites + emptied)
    func limit(_ row: Case) {
        let violations = row.check.check(
            counts(row.planned), after: counts(row.done), and: counts(row.recent),
            baseCount: row.base, missingOurs: row.missing)
        #expect(violations == row.violations)
    }

    private func counts(_ numbers: [Number: Int]) -> Plan.Counts {
        numbers.reduce(into: Plan.Counts()) { $0[keyPath: $1.key.path] = $1.value }
    }

    static let deletions = [
        Case(
            name: "half of all is allowed", planned: [.deletedOurs: 30], base: 60, violations: []),
        Case(
            name: "one more than half is not", planned: [.deletedOurs: 31], base: 60,
            violations: [.deletionsOurs(31, of: 60, limit: .standard)]),
        Case(
            name: "at the remote likewise", planned: [.deletedTheirs: 31], base: 60,
            violations: [.deletionsTheirs(31, of: 60, limit: .standard)]),
        Case(
            name: "half there and half here is no sum",
            planned: [.deletedTheirs: 30, .deletedOurs: 30], base: 60, violations: []),
        Case(
            name: "in a small tree every share is large", planned: [.deletedOurs: 24], base: 24,
            violations: []),
        Case(
            name: "a number counts from the first one on", check: Guard(maxDelete: .count(0)),
            planned: [.deletedOurs: 1], base: 100,
            violations: [.deletionsOurs(1, of: 100, limit: .count(0))]),
        Case(
            name: "no limit of a share", check: Guard(maxDelete: .share(1)),
            planned: [.deletedOurs: 100], base: 100, violations: []),
        Case(
            name: "no share at all, from the least number on",
            check: Guard(maxDelete: .share(0), minimumDeletions: 3),
            planned: [.deletedOurs: 2, .deletedTheirs: 3], base: 100,
            violations: [.deletionsTheirs(3, of: 100, limit: .share(0))]),
        Case(
            name: "an earlier round of the run counts", planned: [.deletedTheirs: 1],
            done: [.deletedTheirs: 30], base: 60,
            violations: [.deletionsTheirs(31, of: 60, limit: .standard, earlier: 30)]),
        Case(
            name: "an earlier round on the other side does not", planned: [.deletedTheirs: 1],
            done: [.deletedOurs: 30], base: 60, violations: []),
        Case(
            name: "earlier runs count, and what they deleted counts as there",
            planned: [.deletedOurs: 21], recent: [.deletedOurs: 20], base: 60,
            violations: [.deletionsOurs(41, of: 80, limit: .standard, earlier: 20)]),
        Case(
            name: "earlier runs: half of what was there before them is allowed",
            planned: [.deletedOurs: 20], recent: [.deletedOurs: 20], base: 60, violations: []),
        Case(
            name: "the limit of a number holds for earlier runs, too",
            check: Guard(maxDelete: .count(5)), planned: [.deletedTheirs: 2],
            done: [.deletedTheirs: 2], recent: [.deletedTheirs: 2], base: 100,
            violations: [.deletionsTheirs(6, of: 102, limit: .count(5), earlier: 4)]),
        Case(
            name: "what was deleted before stops nothing by itself", planned: [.taken: 5],
            done: [.deletedOurs: 50], recent: [.deletedTheirs: 50], base: 60, violations: []),
    ]

    static let overwrites = [
        Case(
            name: "nine in ten are allowed", planned: [.overwrittenOurs: 180], base: 200,
            violations: []),
        Case(
            name: "more are not", planned: [.overwrittenTheirs: 181], base: 200,
            violations: [.overwritesTheirs(181, of: 200)]),
        Case(
            name: "less than a hundred never are too many", planned: [.overwrittenOurs: 99],
            base: 99, violations: []),
        Case(
            name: "another share and another least number",
            check: Guard(maxOverwriteShare: 0.5, minimumOverwrites: 3),
            planned: [.overwrittenOurs: 3, .overwrittenTheirs: 2], base: 5,
            violations: [.overwritesOurs(3, of: 5, share: 0.5)]),
        Case(
            name: "earlier runs do not count for overwrites", planned: [.overwrittenOurs: 95],
            recent: [.overwrittenOurs: 95], base: 100, violations: []),
        Case(
            name: "an earlier round stops nothing by itself", planned: [.taken: 3],
            done: [.overwrittenOurs: 150, .overwrittenTheirs: 150], base: 150, violations: []),
    ]

    static let emptied = [
        Case(
            name: "two paths, both gone: the root may not be mounted",
            planned: [.deletedTheirs: 2], base: 2, missing: 2,
            violations: [.emptiedRoot(paths: 2)]),
        Case(
            name: "the only path is gone: a person may do that", planned: [.deletedTheirs: 1],
            base: 1, missing: 1, violations: []),
        Case(
            name: "one is left", planned: [.deletedTheirs: 2], base: 3, missing: 2,
            violations: []),
        Case(
            name: "all are gone on both sides", planned: [.agreed: 9], base: 9, missing: 9,
            violations: []),
        Case(
            name: "another least number", check: Guard(minimumEmptied: 4),
            planned: [.deletedTheirs: 3], base: 3, missing: 3, violations: []),
        Case(
            name: "the only path that an earlier run left", planned: [.deletedTheirs: 1],
            recent: [.deletedTheirs: 1], base: 1, missing: 1,
            violations: [.emptiedRoot(paths: 2)]),
        Case(
            name: "all of a large tree: for two reasons", planned: [.deletedTheirs: 40], base: 40,
            missing: 40,
            violations: [
                .emptiedRoot(paths: 40), .deletionsTheirs(40, of: 40, limit: .standard),
            ]),
    ]

    @Test(
        "a violation in a sentence",
        arguments: [
            (
                .emptiedRoot(paths: 7),
                "All 7 paths that were in the root are gone, and the run would delete them at the remote."
            ),
            (
                .stillMissing(3, of: 4),
                "All 4 paths that were in the root were gone, and 3 of them are still missing: "
                    + "the run would delete them at the remote."
            ),
            (
                .stillMissing(1, of: 2),
                "All 2 paths that were in the root were gone, and 1 of them is still missing: "
                    + "the run would delete it at the remote."
            ),
            (
                .deletionsTheirs(4, of: 6, limit: .share(0.5)),
                "The run would delete 4 of 6 paths at the remote; the limit is 50%."
            ),
            (
                .deletionsTheirs(4, of: 6, limit: .count(3), earlier: 2),
                "The run would delete 4 of 6 paths at the remote, 2 of them already deleted; "
                    + "the limit is 3."
            ),
            (
                .deletionsOurs(4, of: 6, limit: .count(0)),
                "The run would delete 4 of 6 paths here; the limit is 0."
            ),
            (
                .overwritesTheirs(5, of: 5),
                "The run would overwrite 5 of 5 paths at the remote; "
                    + "the limit of overwrites is 90%, and only --approve lifts it."
            ),
            (
                .overwritesOurs(5, of: 5, share: 0.5),
                "The run would overwrite 5 of 5 paths here; "
                    + "the limit of overwrites is 50%, and only --approve lifts it."
            ),
        ] as [(GuardViolation, String)])
    func sentences(_ violation: GuardViolation, _ sentence: String) {
        #expect(violation.description == sentence)
    }

    @Test(
        "a share is written as it is read",
        arguments: ["0%", "1%", "29%", "50%", "57%", "0.5%", "12.25%", "33.333%", "99.9%", "100%"])
    func shares(_ text: String) throws {
        #expect(try MaxDelete(parsing: text).description == text)
    }

    @Test(
        "an invalid limit is refused and named, with an example",
        arguments: ["-1%", "100.1%", "1 %", "ten", "1.5", "%", "5%%", "+%", "0x10", " 5", "inf%"])
    func refused(_ text: String) {
        let failure = #expect(throws: Failure.self) { try MaxDelete(parsing: text) }
        #expect(failure?.message == "Invalid limit of deletions: '\(text)'.")
        #expect(
            failure?.remedy == "Write a number of paths, such as 100, or a share, such as 30%.")
    }

    @Test func `only paths that are gone count as missing, not those that changed`() {
        let base: Tree = ["a": file("X"), "b": file("Y")]
        let gone = ReconcileInput(base: base, ours: [:], theirs: base)
        #expect(Guard().check(reconcile(gone), gone) == [.emptiedRoot(paths: 2)])
        let edited = ReconcileInput(base: base, ours: ["b": file("Z")], theirs: base)
        #expect(Guard().check(reconcile(edited), edited) == [])
        let renamed = ReconcileInput(
            base: base, ours: ["c": file("X"), "d": file("Y")], theirs: base)
        #expect(Guard().check(reconcile(renamed), renamed) == [])
    }
}
