import FilesinkiModel
import FilesinkiReconcile
import Testing

/// Rows 22 to 26: what is decided where the base or the local tree is not known, or came back.
@Suite struct FirstMeetingTests {
    @Test("22: without a base: equal versions agree, others are created on both sides")
    func noBase() {
        var store = Store()
        store.publish(file("X"), at: path("same"), by: .theirs)
        store.publish(file("Y"), at: path("other"), by: .theirs)
        store.publish(file("Z"), at: path("only-there"), by: .theirs)
        var replica = Replica(device: .ours, hasBase: false)
        replica.local = [
            path("same"): file("X"), path("other"): file("W"), path("only-here"): file("V"),
        ]
        let plan = replica.sync(&store)
        #expect(plan.steps.first { $0.path == path("same") }?.action == .agree)
        #expect(replica.local[path("other")]?.content == Character("Y").id)
        #expect(
            replica.local[path(copy(of: "other", "W", by: .ours))]?.content == Character("W").id)
        #expect(agree(replica.local, store.tree))
        #expect(replica.local.count == 5)
    }

    @Test(
        "23: manifest lost, remote tombstone",
        arguments: [
            (file("X"), true, true), (file("Y"), true, true), (file("Z"), true, false),
            (file("Y"), false, false), (symlink("t"), true, true), (symlink("u"), true, false),
        ])
    func lostManifest(_ found: Entry, _ isLost: Bool, _ isDeleted: Bool) {
        var store = Store()
        store.publish(file("X"), at: path("f"), by: .theirs)
        store.publish(symlink("t"), at: path("f"), by: .theirs)
        store.publish(file("Y"), at: path("f"), by: .theirs)
        store.publish(.tombstone, at: path("f"), by: .theirs)
        var replica = Replica(device: .ours, hasBase: !isLost)
        replica.local = [path("f"): found]
        let plan = replica.sync(&store)
        #expect(replica.local.isEmpty == isDeleted)
        #expect(store.tree.isEmpty == isDeleted)
        #expect(plan.steps.first?.reason == (isDeleted ? .staleCopy : .created))
    }

    @Test("a version that the path had remotely since the base is no edit, whatever happened since")
    func formerVersion() {
        for (second, third) in [(file("Y"), file("Z")), (symlink("t"), symlink("u"))] {
            var store = Store()
            var replica = Replica(device: .ours)
            replica.base[path("f")] = store.publish(file("X"), at: path("f"), by: .theirs)
            store.publish(second, at: path("f"), by: .theirs)
            store.publish(third, at: path("f"), by: .theirs)
            // A run that was killed had taken the second one, and could not note it.
            replica.local = [path("f"): second]
            let plan = replica.sync(&store)
            #expect(plan.steps.map(\.action) == [.take(third)])
            #expect(plan.steps.first?.supersededEntry == nil)
            #expect(store.version == 3)
        }
    }

    @Test func `23: a stale folder is deleted with its stale files, and stays for a new one`() {
        for (extra, count) in [(nil, 0), (file("Z"), 2)] as [(Entry?, Int)] {
            var store = Store()
            for name in ["d", "d/f"] {
                store.publish(name == "d" ? folder : file("X"), at: path(name), by: .theirs)
            }
            for name in ["d/f", "d"] { store.publish(.tombstone, at: path(name), by: .theirs) }
            var replica = Replica(device: .ours, hasBase: false)
            replica.local = [path("d"): folder, path("d/f"): file("X")]
            replica.local[path("d/n")] = extra
            replica.sync(&store)
            #expect(replica.local.count == count)
            #expect(agree(replica.local, store.tree))
            #expect(replica.violations.isEmpty)
        }
    }

    @Test func `24: an unreadable path is a problem, never a deletion`() {
        var store = Store()
        var replica = Replica(device: .ours)
        let names: Tree = ["d": folder, "d/f": file("X"), "d/s": folder, "d/s/g": file("X")]
        for (name, entry) in names.sorted(by: { $0.key < $1.key }) {
            let version = store.publish(entry, at: path(name), by: .theirs)
            replica.base[path(name)] = version
        }
        replica.local = [path("d"): folder, path("d/f"): file("X"), path("d/s"): folder]
        replica.blocked = [path("d/s")]
        let plan = replica.sync(&store)
        #expect(plan.steps.map(\.action) == [.skip])
        #expect(plan.steps.map(\.reason) == [.blocked])
        #expect(store.tree.count == 4)
    }

    @Test func `24: a folder deleted remotely stays for what cannot be read in it`() {
        var store = Store()
        var replica = Replica(device: .ours)
        for name in ["d", "d/f"] {
            let entry = name == "d" ? folder : file("X")
            replica.base[path(name)] = store.publish(entry, at: path(name), by: .theirs)
            replica.local[path(name)] = entry
        }
        for name in ["d/f", "d"] { store.publish(.tombstone, at: path(name), by: .theirs) }
        replica.blocked = [path("d/secret")]
        let plan = replica.sync(&store)
        #expect(plan.steps.map(\.reason).contains(.holdsBlocked))
        #expect(replica.local.keys.map(\.description) == ["d"])
        #expect(store.tree.isEmpty)
    }

    @Test(
        "26: edit, back to base and forth again: decided by versions",
        arguments: [
            (file("Y"), Reason.asks("auto")), (file("X"), .equal),
        ])
    func cameBack(_ ours: Entry, _ reason: Reason) {
        var store = Store()
        var replica = Replica(device: .ours)
        replica.base[path("f")] = store.publish(file("X"), at: path("f"), by: .theirs)
        replica.local[path("f")] = ours
        store.publish(file("Z"), at: path("f"), by: .theirs)
        store.publish(file("X"), at: path("f"), by: .theirs)
        let plan = replica.sync(&store)
        #expect(plan.steps.first { $0.path == path("f") }?.reason == reason)
        #expect(agree(replica.local, store.tree))
    }

    @Test func `26: a new time on the way back is an edit where the log shows it`() {
        for cameBack in [false, true] {
            let base = VersionedEntry(file("X"), version: 1)
            let input = ReconcileInput(
                base: [path("f"): base], ours: [path("f"): LocalChange(file("Y"))],
                theirs: [
                    path("f"): RemoteChange(
                        VersionedEntry(file("X", time: 9), version: 3), cameBack: cameBack)
                ],
                device: .ours)
            let reason = reconcile(input).steps.first?.reason
            #expect(reason == (cameBack ? .asks("auto") : .edit))
        }
    }
}
