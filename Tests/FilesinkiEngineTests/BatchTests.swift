import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// Large runs, which are carried out batch by batch; here from seven changes on, with three paths in a batch.
@Suite("Large runs in batches")
struct BatchTests {
    let world: World

    init() throws { world = try World() }

    private func tree(_ folders: Int, _ files: Int, _ text: String = "text") -> TreeFixture {
        var tree = TreeFixture()
        for folder in 0..<folders {
            var inner = TreeFixture()
            for file in 0..<files {
                inner[TreeFixture.Name(Array("f\(10 + file)".utf8))] = .file(
                    "\(text) \(folder) \(file)\n")
            }
            tree[TreeFixture.Name(Array("d\(10 + folder)".utf8))] = .directory(inner)
        }
        return tree
    }

    @discardableResult
    private func sync(
        _ machine: Machine, _ change: @escaping (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncReport {
        try await machine.sync {
            $0.batchSize = 3
            $0.wholeRunLimit = 6
            change(&$0)
        }
    }

    @Test("a first sync publishes batch after batch; a clone receives all of it")
    func firstSyncAndClone() async throws {
        let a = try await world.replica("a")
        try a.write(tree(3, 5))
        let sent = try await sync(a)
        #expect(sent.steps.count == 18)
        #expect(sent.problems.isEmpty && !sent.isQueued)
        #expect(try await world.commits().map(\.changes.count) == [3, 3, 3, 3, 3, 3])
        let b = try await world.replica("b")
        let received = try await sync(b)
        #expect(received.steps.count == 18)
        #expect(try b.tree(times: true) == a.tree(times: true))
        for machine in [a, b] {
            let again = try await sync(machine)
            #expect(again.isQuiet && again.publishedCommits == 0)
        }
    }

    @Test("steps that are given batch by batch are not in the report as well")
    func givenSteps() async throws {
        let a = try await world.replica("a")
        try a.write(tree(2, 4))
        let given = Mutex<[Int]>([])
        let report = try await sync(a) {
            $0.onSteps = { steps in given.withLock { $0.append(steps.count) } }
        }
        #expect(given.withLock { $0 } == [3, 3, 3, 1])
        #expect(report.steps.isEmpty && report.givenSteps == 10)
        #expect(!report.isQuiet)
    }

    @Test("a clone receives the folders first, then the files, batch by batch")
    func receivedInBatches() async throws {
        let a = try await world.replica("a")
        try a.write(tree(2, 3))
        try a.write(["d10": .directory(["e": .directory(["f": .file("deep")])])])
        try await sync(a)
        let b = try await world.replica("b")
        let given = Mutex<[[String]]>([])
        let report = try await sync(b) {
            $0.onSteps = { steps in
                given.withLock { $0.append(steps.map(\.path.description)) }
            }
        }
        #expect(
            given.withLock { $0 } == [
                ["d10", "d10/e", "d11"], ["d10/e/f", "d10/f10", "d10/f11"],
                ["d10/f12", "d11/f10", "d11/f11"], ["d11/f12"],
            ])
        #expect(report.steps.isEmpty && report.givenSteps == 10)
        #expect(try b.tree(times: true) == a.tree(times: true))
        for folder in ["d10", "d10/e", "d11"] {
            #expect(try modified(b.at(folder)) == modified(a.at(folder)), "\(folder)")
        }
    }

    private func modified(_ path: String) throws -> [Int] {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    @Test("what is in a folder that is left to the plan of the whole tree is left with it")
    func leftFolder() async throws {
        let a = try await world.replica("a")
        try a.write(tree(2, 3))
        a.setMode("d11", 0o555)
        try await sync(a)
        let b = try await world.replica("b")
        let given = Mutex<[String]>([])
        let report = try await sync(b) {
            $0.onSteps = { steps in
                given.withLock { $0 += steps.map(\.path.description) }
            }
        }
        #expect(given.withLock { $0 } == ["d10", "d10/f10", "d10/f11", "d10/f12"])
        #expect(
            report.steps.map(\.path.description).sorted() == [
                "d11", "d11/f10", "d11/f11", "d11/f12",
            ])
        #expect(try b.tree(times: true) == a.tree(times: true))
    }

    @Test("a first fetch of many changes is recorded before it is complete")
    func recordedInPart() async throws {
        let a = try await world.replica("a")
        try a.write(tree(4, 4))
        try await sync(a)
        var c = try await world.replica("c")
        let faulty = FaultyRemote(world.store)
        faulty.plan(
            .init(.before(.interrupted), verb: .get, prefix: "zones/files/log", skip: 4))
        c.options.connect = { _ in faulty }
        await #expect(throws: Failure.self) { try await sync(c) }
        let incoming = try await c.with { try await $0.status().incoming.count }
        #expect(incoming > 6)
        try await sync(c)
        #expect(try c.tree(times: true) == a.tree(times: true))
    }

    @Test("a run that is killed after any batch goes on there, and publishes nothing twice")
    func killed() async throws {
        for batch in 1...5 {
            let world = try World()
            let dying = DyingRemote(remote: world.remote)
            var a = try await world.replica("a")
            a.options.connect = { _ in dying }
            try a.write(tree(3, 4))
            if batch > 1 {
                dying.willDie(beforePublishing: batch)
                await #expect(throws: Failure.self) { try await sync(a) }
            }
            let before = try await world.commits().count
            #expect(before == batch - 1)
            try await sync(a)
            let commits = try await world.commits()
            let paths = commits.flatMap { $0.changes.map(\.path) }
            #expect(paths.count == 15 && Set(paths).count == 15)
            let b = try await world.replica("b")
            try await sync(b)
            #expect(try b.tree() == a.tree())
        }
    }

    @Test("a commit that comes in between is received, and the rest is sent upon it")
    func overtaken() async throws {
        let a = try await world.replica("a")
        var b = try await world.replica("b")
        let rival = RivalRemote(remote: world.remote)
        b.options.connect = { _ in rival }
        try b.write(tree(3, 4))
        for skip in 0..<3 {
            rival.beforePublishing(skipping: skip) {
                let name = TreeFixture.Name(Array("f1\(skip)".utf8))
                try a.write(["d10": .directory([name: .file("a's")])])
                try a.write([TreeFixture.Name(Array("x\(skip)".utf8)): .file("1")])
                try await a.sync()
            }
            try b.write(tree(3 + skip, 5, "text \(skip)"))
            let report = try await sync(b)
            #expect(report.problems.isEmpty)
        }
        try await world.converge()
        #expect(a.text("x2") == "1")
    }

    @Test("what was received in a batch is deleted by a commit that comes before the next one")
    func deletedMeanwhile() async throws {
        let a = try await world.replica("a")
        try a.write(tree(2, 3))
        try await a.sync()
        var b = try await world.replica("b")
        let rival = RivalRemote(remote: world.remote)
        b.options.connect = { _ in rival }
        try b.write(["own": .file("b's")])
        rival.beforePublishing(skipping: 0) {
            a.remove("d10/f10")
            try await a.sync()
        }
        try await sync(b)
        try await world.converge()
        #expect(b.text("d10/f10") == nil && b.text("d10/f11") != nil && a.text("own") == "b's")
    }

    @Test("deletions, renames, conflicts and ignored paths are left to the plan of the whole tree")
    func rest() async throws {
        let a = try await world.replica("a")
        try a.write(tree(4, 4))
        try await sync(a)
        let b = try await world.replica("b")
        try await sync(b)
        // One side edits, adds and renames; the other one adds to the folder, edits and deletes.
        try a.write(tree(3, 5, "edited"))
        try a.write(["d14": .directory(["f10": .file("new")])])
        a.rename("d13", "e13")
        try await sync(a)
        try b.write(tree(2, 2, "b's"))
        try b.write(["d13": .directory(["new": .file("follows")])])
        try b.write(["d14": .directory(["f14": .file("b's")])])
        b.remove("d12")
        let report = try await sync(b) { $0.maxDelete = .count(1_000) }
        #expect(!report.copies.isEmpty)
        try await world.converge()
        #expect(a.text("e13/new") == "follows")
        #expect(a.text("d14/f14") == "b's")
    }

    @Test(
        "a folder in the place of a file waits for the plan of the whole tree, with what is in it")
    func folderForFile() async throws {
        let a = try await world.replica("a")
        try a.write(["n": .file("a file")])
        try await a.sync()
        a.remove("n")
        try a.write(["n": .directory(["x": .file("1"), "y": .file("2")])])
        try a.write(tree(2, 4))
        let given = Mutex<[String]>([])
        let report = try await sync(a) {
            $0.onSteps = { steps in given.withLock { $0 += steps.map(\.path.description) } }
        }
        #expect(given.withLock { $0.count } == 10)
        #expect(given.withLock { $0.filter { $0.hasPrefix("n") } } == [])
        #expect(report.steps.map(\.path.description).sorted() == ["n", "n/x", "n/y"])
        let b = try await world.replica("b")
        try await sync(b)
        #expect(try b.tree() == a.tree())
    }

    @Test(
        "what the batches leave is sent by the same run",
        arguments: ["symlink", "folder", "conflict copy"])
    func leftChange(_ kind: String) async throws {
        let a = try await world.replica("a")
        try a.write(["n": .file("a file")])
        try await a.sync()
        switch kind {
        case "symlink", "folder":
            a.remove("n")
            try a.write(["n": kind == "folder" ? .directory([:]) : .symlink("d10")])
        default: try a.write(["n (conflict b 0123abcd)": .file("b's")])
        }
        try a.write(tree(2, 4))
        let report = try await sync(a)
        #expect(report.problems.isEmpty && report.publishedCommits == 5)
        let b = try await world.replica("b")
        try await sync(b)
        #expect(try b.tree() == a.tree())
        #expect(try await sync(a).publishedCommits == 0)
    }

    @Test("too many edits for the guards are left by all batches, and stop the run")
    func manyEdits() async throws {
        let a = try await world.replica("a")
        try a.write(tree(4, 30))
        try await a.sync()
        try a.write(tree(4, 30, "edited"))
        let failure = await #expect(throws: Failure.self) { try await sync(a) }
        #expect(failure?.code == .limit)
        #expect(
            failure?.message
                == "The run would overwrite 120 of 124 paths at the remote; "
                + "the limit of overwrites is 90%, and only --approve lifts it.")
    }

    @Test("what a rule ignores is not received, and the run is complete")
    func ignored() async throws {
        let a = try await world.replica("a")
        try a.write(tree(3, 3))
        try a.write(["log": .directory(["one": .file("1"), "two": .file("2")])])
        try await sync(a)
        let b = try await world.replica("b")
        try b.write([".filesinkiignore": .file("log\n")])
        let report = try await sync(b)
        #expect(report.problems.isEmpty)
        #expect(try b.names == [".filesinkiignore", "d10", "d11", "d12"])
        try await sync(b)
        #expect(try b.names == [".filesinkiignore", "d10", "d11", "d12"])
        b.remove(".filesinkiignore")
        try await sync(b)
        #expect(b.text("log/two") == "2")
    }

    @Test("a copy of what was deleted elsewhere does not come back")
    func staleCopies() async throws {
        let a = try await world.replica("a")
        try a.write(tree(3, 4))
        try await sync(a)
        let old = try a.tree(times: true)
        for path in ["d10/f10", "d11/f11", "d12/f12", "d12/f13"] { a.remove(path) }
        try await sync(a) { $0.maxDelete = .count(1_000) }
        // A new replica of a root that holds the files as they were, and others.
        let b = try await world.replica("b")
        try b.write(old)
        try b.write(["new": .directory(tree(2, 4))])
        try await sync(b) { $0.maxDelete = .count(1_000) }
        #expect(b.text("d10/f10") == nil)
        try await world.converge()
        #expect(a.text("d12/f13") == nil && a.text("new/d10/f10") != nil)
        let c = try await world.replica("c")
        try await sync(c)
        #expect(try c.tree() == a.tree())
        let again = try await sync(c)
        #expect(again.isQuiet)
    }

    @Test("the notices of the rules are reported once, whether or not something is left")
    func ruleNotices() async throws {
        let a = try await world.replica("a")
        try a.write(tree(3, 3))
        try a.write([".filesinki.toml": .file("no-such-setting = 1\n")])
        let whole = try await a.sync { $0.isDryRun = true }.notices.map(\.failure.message)
        try #require(!whole.isEmpty)
        #expect(try await sync(a).notices.map(\.failure.message) == whole)
        try a.write(tree(5, 5, "edited"))
        a.remove("d10/f10")
        #expect(try await sync(a).notices.map(\.failure.message) == whole)
    }

    @Test("a folder that cannot be written into is received with its files")
    func readOnlyFolder() async throws {
        let a = try await world.replica("a")
        try a.write(tree(3, 3))
        a.setMode("d11", 0o555)
        try await sync(a)
        let b = try await world.replica("b")
        try await sync(b)
        #expect(try b.tree(times: true) == a.tree(times: true))
    }

    @Test("a first fetch that was recorded in part and failed is forgotten by the next one")
    func interruptedFetch() async throws {
        let a = try await world.replica("a")
        try a.write(tree(4, 4))
        try await sync(a)
        for request in 0..<10 {
            var c = try await world.replica("c\(request)")
            let faulty = FaultyRemote(world.store)
            faulty.plan(
                .init(
                    .before(.interrupted), verb: .get, prefix: "zones/files/log", skip: request))
            c.options.connect = { _ in faulty }
            _ = try? await sync(c)
            // Meanwhile the first paths of the store go, and come back as something else.
            a.remove("d10/f1\(request % 4)")
            let new = TreeFixture.Name(Array("new\(request)".utf8))
            try a.write(["d13": .directory([new: .file("new")])])
            try await sync(a) { $0.maxDelete = .count(1_000) }
            try await sync(c)
            #expect(try c.tree(times: true) == a.tree(times: true))
        }
        try await world.converge()
    }
}
