import FilesinkiModel
import FilesinkiReconcile
import Testing

/// What a plan says of itself: its order, its bytes, its lines, its numbers.
@Suite struct PlanTests {
    private func plan(base: Tree, theirs: Tree) -> Plan {
        var store = Store()
        var replica = Replica(device: .ours)
        for (name, entry) in base {
            replica.base[path(name)] = store.publish(entry, at: path(name), by: .theirs)
            replica.local[path(name)] = entry
        }
        for name in base.keys where theirs[name] == nil {
            store.publish(.tombstone, at: path(name), by: .theirs)
        }
        for (name, entry) in theirs where base[name] != entry {
            store.publish(entry, at: path(name), by: .theirs)
        }
        return reconcile(replica.input(store))
    }

    @Test func `directories come before their contents, deletions after them`() {
        let plan = plan(
            base: ["a": folder, "a/f": file("X"), "a/s": folder, "z": file("Y")],
            theirs: [
                "b": folder, "b/f": file("V"), "b/t": folder, "b/t/g": file("W"), "z": file("Z"),
            ])
        #expect(
            plan.steps.map(\.description) == [
                "take b: new", "take b/t: new", "take b/f: new", "take b/t/g: new",
                "take z: edited", "delete a/s: deleted", "delete a/f: deleted",
                "delete a: deleted",
            ])
    }

    @Test func `steps of one kind are in the order of bytes, deletions in the reverse`() {
        // Neighbours whose first bytes differ by one, and paths that others begin with.
        let names = ["a", "aa", "aab", "ab", "abc", "b", "ba", "bbb", "c", "caa", "d"]
        let tree = Dictionary(uniqueKeysWithValues: names.map { ($0, file("X")) })
        let added = plan(base: [:], theirs: tree).steps.map(\.path.description)
        #expect(added == names)
        let deleted = plan(base: tree, theirs: [:]).steps.map(\.path.description)
        #expect(deleted == names.reversed())
    }

    @Test(
        "a rename says the mode from before where it changes it",
        arguments: [0o644, 0o600] as [UInt16])
    func modeBefore(_ mode: UInt16) {
        let plan = plan(base: ["f": file("X")], theirs: ["g": file("X", mode: mode)])
        let before: UInt16? = mode == 0o644 ? nil : 0o644
        #expect(plan.steps.map(\.path) == [path("g"), path("f")])
        #expect(plan.steps.first?.modeBefore == before)
    }

    @Test func `a rename names the content's source`() {
        let plan = plan(base: ["f": file("X")], theirs: ["g": file("X")])
        #expect(plan.description == "take g from f: renamed from f\ndelete f: renamed to g")
        #expect(plan.steps.first?.movedFrom == path("f"))
        #expect(plan.counts.deletedOurs == 0)
    }

    @Test func `deletions outside of what becomes a directory come last`() {
        let plan = plan(
            base: ["f": file("X"), "z": file("Y")],
            theirs: ["f": folder, "f/g": file("V"), "a": folder])
        #expect(
            plan.steps.map(\.description) == [
                "take a: new", "take f: edited", "take f/g: new", "delete z: deleted",
            ])
    }

    @Test func `equal inputs give equal bytes, others do not`() {
        let worlds: [Tree] = [
            ["f": file("Y")], ["f": file("Z")], ["f": file("Y", mode: 0o600)], ["g": file("Y")],
            ["f": symlink("t")], [:], ["f": file("Y", time: 8)], ["f": folder],
        ]
        let all = worlds.map {
            plan(base: ["f": file("X"), "h": file("V")], theirs: $0).bytes
        }
        #expect(Set(all).count == worlds.count)
        let again = worlds.map {
            plan(base: ["f": file("X"), "h": file("V")], theirs: $0).bytes
        }
        #expect(Set(all + again).count == worlds.count)
    }

    @Test func `counts steps by kind`() {
        let counts = plan(
            base: ["a": folder, "a/f": file("X"), "z": file("Y")],
            theirs: ["b": file("V"), "z": file("Z")]
        ).counts
        #expect(counts.taken == 4)
        #expect(counts.deletedOurs == 2)
        #expect(counts.overwrittenOurs == 1)
        #expect(counts.published + counts.deletedTheirs + counts.conflictCopies == 0)
    }

    @Test func `counts each action, and what it deletes and overwrites`() {
        func step(_ action: Action, _ reason: Reason = .edit, before: Entry? = nil) -> Step {
            Step(
                path: path("p"), ours: before,
                theirs: before.map { VersionedEntry($0, version: 1) }, action: action,
                reason: reason)
        }
        let asked = Conflict(path: path("p"), base: nil, ours: file("X"), theirs: file("Y"))
        let steps =
            [step(.agree)]
            + Array(repeating: step(.publish(file("Y")), before: file("X")), count: 2)
            + Array(repeating: step(.take(file("Y")), before: file("X")), count: 3)
            + Array(repeating: step(.both(.tombstone), before: file("X")), count: 4)
            + Array(repeating: step(.undecided(asked)), count: 5)
            + Array(repeating: step(.leave), count: 6) + Array(repeating: step(.skip), count: 7)
            + Array(
                repeating: step(.both(file("X")), .conflictCopy(of: path("q"))), count: 8)
        var expected = Plan.Counts()
        expected.agreed = 1
        expected.published = 2
        expected.taken = 3
        expected.writtenToBoth = 12
        expected.undecided = 5
        expected.left = 6
        expected.skipped = 7
        expected.conflictCopies = 8
        expected.deletedOurs = 4
        expected.deletedTheirs = 4
        expected.overwrittenOurs = 3
        expected.overwrittenTheirs = 2
        #expect(Plan(steps).counts == expected)
        let none = Plan().counts
        #expect(none.agreed + none.taken + none.published + none.writtenToBoth == 0)
        #expect(none.undecided + none.left + none.skipped + none.conflictCopies == 0)
    }

    @Test(
        "a step is about a directory by what it writes, or else by what it removes",
        arguments: [
            (Step(path: path("p"), ours: file("X"), action: .take(folder), reason: .edit), true),
            (Step(path: path("p"), ours: folder, action: .take(file("X")), reason: .edit), false),
            (Step(path: path("p"), ours: folder, action: .take(.tombstone), reason: .edit), true),
            (Step(path: path("p"), ours: file("X"), action: .skip, reason: .blocked), false),
            (Step(path: path("p"), ours: folder, action: .agree, reason: .equal), true),
        ])
    func isFolder(_ step: Step, _ isFolder: Bool) {
        #expect(step.isFolder == isFolder)
    }

    @Test func `a step is based on the remote version, or on none`() {
        let known = VersionedEntry(file("X"), version: 7)
        #expect(Step(path: path("p"), theirs: known, action: .leave, reason: .open).seen == 7)
        #expect(Step(path: path("p"), action: .leave, reason: .open).seen == 0)
    }

    @Test(
        "an action's word says whether it deletes",
        arguments: [
            (Action.publish(file("X")), "publish"), (.publish(.tombstone), "publish-deletion"),
            (.take(file("X")), "take"), (.take(.tombstone), "delete"),
            (.both(file("X")), "write-both"), (.both(.tombstone), "delete-both"),
        ])
    func words(_ action: Action, _ word: String) {
        #expect(action.word == word)
    }
}

/// What stops a run.
@Suite struct GuardTests {
    private func counts(
        deletedOurs: Int = 0, deletedTheirs: Int = 0, overwrittenOurs: Int = 0,
        overwrittenTheirs: Int = 0
    ) -> Plan.Counts {
        var counts = Plan.Counts()
        counts.deletedOurs = deletedOurs
        counts.deletedTheirs = deletedTheirs
        counts.overwrittenOurs = overwrittenOurs
        counts.overwrittenTheirs = overwrittenTheirs
        return counts
    }

    @Test(
        "passes usual plans",
        arguments: [(24, 24, 0), (50, 100, 0), (0, 200, 180), (0, 90, 90)])
    func passes(_ deletions: Int, _ all: Int, _ overwrites: Int) {
        let counts = counts(deletedOurs: deletions, overwrittenOurs: overwrites)
        #expect(Guard().check(counts, baseCount: all, missingOurs: 0).isEmpty)
    }

    @Test func `stops too many deletions on either side, by share and by number`() {
        let ours = Guard().check(counts(deletedOurs: 51), baseCount: 100, missingOurs: 0)
        #expect(ours == [.deletionsOurs(51, of: 100, limit: .share(0.5))])
        let theirs = Guard(maxDelete: .count(3)).check(
            counts(deletedTheirs: 4), baseCount: 1000, missingOurs: 4)
        #expect(
            theirs.map(\.description) == [
                "The run would delete 4 of 1000 paths at the remote; the limit is 3."
            ])
        #expect(
            Guard(maxDelete: .count(4)).check(
                counts(deletedTheirs: 4), baseCount: 4, missingOurs: 0
            ).isEmpty)
    }

    @Test func `a share of deletions stops from 25 on, of overwrites from 100 on`() {
        let deletions = Guard().check(counts(deletedOurs: 25), baseCount: 40, missingOurs: 0)
        #expect(deletions == [.deletionsOurs(25, of: 40, limit: .share(0.5))])
        let overwrites = Guard().check(
            counts(overwrittenOurs: 100), baseCount: 100, missingOurs: 0)
        #expect(overwrites == [.overwritesOurs(100, of: 100)])
        #expect(
            Guard().check(counts(overwrittenOurs: 99), baseCount: 99, missingOurs: 0).isEmpty)
    }

    @Test func `overwrites of earlier rounds count`() {
        let violations = Guard().check(
            counts(overwrittenOurs: 1, overwrittenTheirs: 1),
            after: counts(overwrittenOurs: 99, overwrittenTheirs: 98), baseCount: 100,
            missingOurs: 0)
        #expect(violations == [.overwritesOurs(100, of: 100)])
    }

    @Test func `a root that recent runs emptied has all its paths named`() {
        let violations = Guard().check(
            counts(deletedTheirs: 3), and: counts(deletedTheirs: 2), baseCount: 3, missingOurs: 3)
        #expect(violations == [.emptiedRoot(paths: 5)])
    }

    @Test func `one earlier deletion is named`() {
        #expect(
            GuardViolation.deletionsOurs(60, of: 0, limit: .standard).description
                == "The run would delete 60 paths here, where 0 were synced before; the limit is 50%."
        )
        let violation = GuardViolation.deletionsOurs(3, of: 4, limit: .count(2), earlier: 1)
        #expect(
            violation.description
                == "The run would delete 3 of 4 paths here, 1 of them already deleted; "
                + "the limit is 2.")
    }

    @Test func `a root that still has one path is not emptied`() {
        var store = Store()
        var replica = Replica(device: .ours)
        for name in ["a", "b", "c"] {
            replica.base[path(name)] = store.publish(file("X"), at: path(name), by: .theirs)
        }
        replica.local[path("c")] = file("X")
        let input = replica.input(store)
        #expect(Guard().check(reconcile(input), input).isEmpty)
    }

    @Test func `stops an emptied root, however small`() {
        let violations = Guard().check(counts(deletedTheirs: 3), baseCount: 3, missingOurs: 3)
        #expect(violations == [.emptiedRoot(paths: 3)])
        #expect(Guard().check(counts(deletedTheirs: 1), baseCount: 1, missingOurs: 1).isEmpty)
        #expect(Guard().check(counts(deletedTheirs: 2), baseCount: 3, missingOurs: 2).isEmpty)
    }

    @Test func `stops a mass overwrite on either side`() {
        let violations = Guard().check(
            counts(overwrittenOurs: 181, overwrittenTheirs: 181), baseCount: 200, missingOurs: 0)
        #expect(violations == [.overwritesTheirs(181, of: 200), .overwritesOurs(181, of: 200)])
    }

    @Test func `a renamed folder deletes nothing`() {
        var store = Store()
        var replica = Replica(device: .ours)
        for index in 0..<60 {
            let content = ContentID((0..<32).map { _ in UInt8(index) }) ?? .none
            let entry = Entry.file(
                content, size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 1))
            replica.base[path("d/\(index)")] = store.publish(
                entry, at: path("d/\(index)"), by: .theirs)
            replica.local[path("e/\(index)")] = entry
        }
        replica.base[path("d")] = store.publish(folder, at: path("d"), by: .theirs)
        replica.local[path("e")] = folder
        let input = replica.input(store)
        #expect(Guard().check(reconcile(input), input).isEmpty)
        replica.local = [:]
        let emptied = replica.input(store)
        #expect(Guard().check(reconcile(emptied), emptied).count == 2)
    }

    @Test(
        "reads --max-delete",
        arguments: [
            ("100", MaxDelete.count(100)), ("0", .count(0)), ("30%", .share(0.3)),
            ("100%", .share(1)), ("29%", .share(0.29)), ("0.5%", .share(0.005)),
        ])
    func reads(_ text: String, _ limit: MaxDelete) throws {
        #expect(try MaxDelete(parsing: text) == limit)
        #expect(limit.description == text)
    }

    @Test(
        "refuses an invalid --max-delete",
        arguments: ["", "-1", "101%", "-1%", "%", "many", "nan%"])
    func refuses(_ text: String) {
        let failure = #expect(throws: Failure.self) { try MaxDelete(parsing: text) }
        #expect(failure?.code == .usage)
    }
}

extension Plan {
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        forEachCanonicalPiece { bytes += $0 }
        return bytes
    }
}
