import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite("Operations")
struct OperationTests {
    @Test("a save as the first operation of a replica stores its content")
    func saveFirst() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try await a.save("hello", at: "notes/a")
        let b = try await world.replica("b")
        try await b.save("other", at: "notes/b")
        try await world.converge()
        #expect(b.text("notes/a") == "hello")
        #expect(a.text("notes/b") == "other")
    }

    @Test("a selected path may be in the store only, and stops the run where it is nowhere")
    func selection() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["d": .directory(["n": .file("new")])])
        try await a.sync()
        let failure = await #expect(throws: Failure.self) {
            try await b.sync {
                $0.requiresPaths = true
                $0.paths = [RelativePath(unchecked: Array("none".utf8))]
            }
        }
        #expect(failure?.code == .notFound)
        for name in ["d", "f"] {
            try await b.sync {
                $0.requiresPaths = true
                $0.paths = [RelativePath(unchecked: Array(name.utf8))]
            }
        }
        #expect(b.text("d/n") == "new")
    }

    @Test("save publishes the path and nothing else")
    func saveOnly() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        try a.write(["g": .file("not yet")])
        let report = try await a.save("saved", at: "f")
        #expect(report.version == 2)
        #expect(!report.differs)
        try await b.sync()
        #expect(b.text("f") == "saved")
        #expect(b.text("g") == "2")
        try await world.converge()
        #expect(b.text("g") == "not yet")
    }

    @Test("what a save of another path fetches keeps the path's earlier versions")
    func waitingFormerContents() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["n": .file("old")])
        try await a.sync()
        try await b.save("2", at: "f")
        try await a.sync()
        a.remove("n")
        try await a.sync()
        try await b.save("3", at: "f")
        // A stale copy from elsewhere, not a new file: the deletion of its content waits.
        try b.write(["n": .file("old")])
        try await world.converge()
        #expect(try b.names == ["f"])
        #expect(b.text("f") == "3")
    }

    @Test("pending changes survive saves of other paths")
    func waitingSurvives() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["d": .directory(["7": .file("text 7"), "8": .file("text 8")])])
        try await a.sync()
        let b = try await world.replica("b")
        for number in 0..<3 { try await b.save("\(number)", at: "notes/\(number)") }
        try await a.save("changed", at: "d/7")
        try await b.save("last", at: "notes/0")
        try await world.converge()
        #expect(b.text("d/7") == "changed")
        #expect(b.text("d/8") == "text 8")
        #expect(a.text("notes/0") == "last")
    }

    @Test("save --if-version is a compare-and-set")
    func ifVersion() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        let first = try await a.save("2", at: "f", ifVersion: 1)
        #expect(first.version == 2)
        let failure = await #expect(throws: Failure.self) {
            try await b.save("3", at: "f", ifVersion: 1)
        }
        #expect(failure?.code == .differs)
        #expect(b.text("f") != "3")
        let again = try await b.save("3", at: "f", ifVersion: 2)
        #expect(again.version == 3)
        #expect(again.sync.copies.isEmpty)
        try await b.save("new", at: "n", ifVersion: 0)
        let there = await #expect(throws: Failure.self) {
            try await a.save("x", at: "n", ifVersion: 0)
        }
        #expect(there?.code == .differs)
        try await world.converge()
        #expect(try a.tree().nodes.count == 2)
        #expect(a.text("f") == "3")
    }

    @Test("load fetches a newer version")
    func load() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        try a.write(["f": .file("newer"), "g": .file("newer too")])
        try await a.sync()
        let sink = ByteBox()
        let path = try RelativePath("f")
        let report = try await b.with { replica in
            try await replica.load(path, isOffline: false, SyncOptions()) { sink.append($0) }
        }
        #expect(sink.bytes == Array("newer".utf8))
        #expect(report.version == 2)
        #expect(b.text("g") == "2")
        try await world.converge()
        #expect(b.text("g") == "newer too")
        let absent = try RelativePath("absent")
        for isAway in [false, true] {
            world.remote.isAway = isAway
            let failure = await #expect(throws: Failure.self) {
                try await b.with {
                    try await $0.load(absent, isOffline: false, SyncOptions()) { _ in }
                }
            }
            #expect(failure?.code == (isAway ? .away : .notFound))
        }
    }

    @Test("restore brings a version back, here and everywhere")
    func restore() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("one", mode: 0o600)])
        try a.write(["f": .file("two")])
        try await a.sync()
        let path = try RelativePath("f")
        _ = try await b.with { try await $0.restore(path, version: 1, SyncOptions()) }
        try await world.converge()
        #expect(try a.tree() == ["f": .file("one", mode: 0o600)])
        let versions = try await a.with { try await $0.history(of: path) }
        #expect(versions.map(\.version) == [1, 2, 3])
        let none = await #expect(throws: Failure.self) {
            try await b.with { try await $0.restore(path, version: 99, SyncOptions()) }
        }
        #expect(none?.code == .notFound)
    }

    @Test("restore keeps unsynced content in the history")
    func restoreOverEdit() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("one")])
        try a.write(["f": .file("unsynced")])
        let path = try RelativePath("f")
        _ = try await a.with { try await $0.restore(path, version: 1, SyncOptions()) }
        #expect(a.text("f") == "one")
        let versions = try await a.with { try await $0.history(of: path) }
        var texts: [String] = []
        for version in versions {
            texts.append(try await a.with { try await $0.shown(version.change.entry.content) })
        }
        #expect(texts == ["one", "unsynced", "one"])
    }

    @Test("explain names the device and the rule of each change")
    func explain() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("x")])
        try a.write(["f": .file("edited")])
        b.remove("f")
        try await a.sync()
        try await b.sync()
        let path = try RelativePath("f")
        let explanation = try await b.with { try await $0.explain(path) }
        #expect(explanation.actions.first?.rule == "edit-beats-delete")
        #expect(explanation.versions.first?.device.name == "a")
        #expect(!explanation.isPending)
    }

    @Test("devices shows what each has seen, and forgets one")
    func devices() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("edited")])
        try await a.sync()
        let seen = try await a.with { try await $0.devices() }
        #expect(seen.map(\.device.name) == ["a", "b"])
        #expect(seen.map(\.seen) == [2, 1])
        #expect(seen.map(\.isThisOne) == [true, false])
        #expect(try await !a.with { try await $0.forgetDevice("b") })
        #expect(try await a.with { try await $0.devices().map(\.device.name) } == ["a"])
        #expect(try await a.with { try await $0.forgetDevice("a") })
        #expect(try await a.with { try await $0.devices() }.isEmpty)
        // With nothing new, and soon after its last acknowledgement.
        try await a.sync()
        #expect(try await a.with { try await $0.devices().map(\.device.name) } == ["a"])
    }

    @Test("a file that was never synced is loaded offline, and is at no version")
    func loadNew() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base")])
        try a.write(["new": .file("local")])
        let sink = ByteBox()
        let load = { @Sendable (name: String) in
            try await a.with { replica in
                try await replica.load(RelativePath(name), isOffline: true, SyncOptions()) {
                    sink.append($0)
                }
            }
        }
        #expect(try await load("new").version == 0)
        #expect(try await load("f").version == 1)
        #expect(sink.bytes == Array("localbase".utf8))
    }

    @Test("the published deletion of a file deletes a version not seen here, too, and keeps it")
    func publishDeletion() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("other")])
        let path = try RelativePath("f")
        try b.write(["f": .file("not seen by a")])
        try await b.sync()
        a.remove("f")
        let report = try await a.with { try await $0.publishDeletion(of: path, SyncOptions()) }
        #expect(report.problems.isEmpty)
        #expect(a.text("f") == nil)
        try await world.converge()
        #expect(try b.names == ["g"])
        let versions = try await a.with { try await $0.history(of: path) }
        #expect(versions.map(\.change.entry.kind) == [.file, .file, .tombstone])
    }

    @Test("a file that is there when its deletion is published stays")
    func publishDeletionOfPresent() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file("written since")])
        let path = try RelativePath("f")
        _ = try await a.with { try await $0.publishDeletion(of: path, SyncOptions()) }
        try await world.converge()
        #expect(b.text("f") == "written since")
    }

    @Test("a file that was never published is not among the deleted ones")
    func neverPublished() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base"), "g": .file("other")])
        world.remote.isAway = true
        try a.write(["new": .file("n")])
        try await a.sync()
        a.remove("new")
        world.remote.isAway = false
        try await a.sync()
        a.remove("g")
        try await a.sync()
        let deleted = try await a.with { try await $0.deleted([]) }
        #expect(deleted.map(\.path.description) == ["g"])
    }

    @Test("check finds nothing in a sound store")
    func check() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base"), "d": .directory(["g": .file("x")])])
        let report = try await a.with { try await $0.check(.all, progress: nil) }
        #expect(report.failures.isEmpty)
        #expect(report.commits == 1)
        #expect(report.contents == 2)
        #expect(report.bytes == 5)
    }

    @Test("a sync of some paths leaves the rest for later, and nothing is lost")
    func partial() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("1")]), "e": .directory(["g": .file("2")]),
        ])
        try a.write(["d": .directory(["f": .file("11")]), "e": .directory(["g": .file("22")])])
        try await a.sync { $0.paths = [RelativePath(unchecked: Array("d".utf8))] }
        try await b.sync()
        #expect(b.text("d/f") == "11")
        #expect(b.text("e/g") == "2")
        try await a.sync()
        try await b.sync { $0.paths = [RelativePath(unchecked: Array("d".utf8))] }
        #expect(b.text("e/g") == "2")
        try b.write(["e": .directory(["h": .file("3")])])
        try await world.converge()
        #expect(b.text("e/g") == "22")
        #expect(a.text("e/h") == "3")
    }

    @Test("a load of one path brings the folders above it as they are elsewhere")
    func foldersAbove() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write([
            "d": .directory(
                ["e": .directory(["x": .file("1"), "y": .file("2")], mode: 0o700)], mode: 0o750)
        ])
        try await a.sync()
        // Everything is fetched, and waits.
        try await b.save("saved", at: "f")
        #expect(try b.names == ["f"])
        let path = try RelativePath("d/e/x")
        _ = try await b.with { try await $0.load(path, isOffline: false, SyncOptions()) { _ in } }
        #expect(
            try b.tree()["d"]
                == .directory(["e": .directory(["x": .file("1")], mode: 0o700)], mode: 0o750))
        let waiting = try await b.with { try await $0.status().incoming.map(\.description) }
        #expect(waiting == ["d/e/y"])
        // And one of a folder brings all below it.
        _ = try await b.with { try await $0.refresh(RelativePath("d"), SyncOptions()) }
        #expect(b.text("d/e/y") == "2")
        #expect(try await b.with { try await $0.status().incoming.isEmpty })
    }

    @Test("contents larger than a commit may hold are stored in packs and read back")
    func large() async throws {
        let world = try World()
        var random = SeededRandom(seed: 7)
        var tree = TreeFixture()
        for number in 0..<4 {
            tree[TreeFixture.Name(Array("f\(number)".utf8))] = .bytes(
                random.bytes(700_000 * (number + 1)), mode: 0o644, modified: nil)
        }
        let (a, b) = try await world.pair(tree)
        #expect(try b.tree() == tree)
        #expect(world.store.objects.keys.contains { $0.description.hasPrefix("packs/") })
        guard case .bytes(let wanted, _, _)? = tree["f3"] else { return }
        let sink = ByteBox()
        try await b.with { replica in
            try await replica.show(content: ContentHasher.hash(wanted)) { sink.append($0) }
        }
        #expect(compare(sink.bytes, wanted) == 0)
        a.rename("f3", "g3")
        try await world.converge()
        let report = try await a.with { try await $0.check(.all, progress: nil) }
        #expect(report.failures.isEmpty)
    }
}
