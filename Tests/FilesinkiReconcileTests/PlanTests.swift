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

    @Test func `directories before what is in them, deletions after`() {
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

    @Test func `a rename says where the content is`() {
        let plan = plan(base: ["f": file("X")], theirs: ["g": file("X")])
        #expect(plan.description == "take g from f: renamed from f\ndelete f: renamed to g")
        #expect(plan.steps.first?.movedFrom == path("f"))
        #expect(plan.counts.deletedOurs == 0)
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

    @Test func `counts what is done`() {
        let counts = plan(
            base: ["a": folder, "a/f": file("X"), "z": file("Y")],
            theirs: ["b": file("V"), "z": file("Z")]
        ).counts
        #expect(counts.taken == 4)
        #expect(counts.deletedOurs == 2)
        #expect(counts.overwrittenOurs == 1)
        #expect(counts.published + counts.deletedTheirs + counts.conflictCopies == 0)
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
        "lets pass what is usual",
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
        "refuses another --max-delete", arguments: ["", "-1", "101%", "-1%", "%", "many", "nan%"])
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
