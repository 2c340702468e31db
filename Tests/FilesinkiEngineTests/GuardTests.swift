import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite("Guards, rules and pending changes")
struct GuardTests {
    private func planID(_ failure: Failure?) throws -> String {
        let words = try #require(failure).remedy.split { " .".contains($0) }
        let flag = try #require(words.firstIndex(of: "--approve"))
        return String(words[words.index(after: flag)])
    }

    private func wide(_ count: Int) -> TreeFixture {
        TreeFixture(
            Dictionary(
                (0..<count).map { (TreeFixture.Name(Array("f\($0)".utf8)), .file("text \($0)")) }
            ) { first, _ in first })
    }

    @Test("with one file back in an emptied root, the others are deleted only by an approved plan")
    func emptiedAndOneBack() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(5))
        for name in try a.names { a.remove(name) }
        await #expect(throws: Failure.self) { try await a.sync() }
        try a.write(["f1": .file("back")])
        let failure = await #expect(throws: Failure.self) { try await a.sync() }
        #expect(failure?.code == .limit)
        #expect(
            failure?.message.contains("5 paths that were in the root were gone, and 4 of them")
                == true, "\(failure?.message ?? "")")
        let plan = try planID(failure)
        try await a.sync { $0.approved = plan }
        try await b.sync()
        #expect(try b.tree() == ["f1": .file("back")])
        // That settles it.
        try b.write(["f2": .file("2")])
        try await world.converge()
        a.remove("f2")
        try await a.sync()
    }

    @Test("once all is back in an emptied root, single deletions are sent as ever")
    func emptiedAndAllBack() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(5))
        let tree = try a.tree()
        for name in try a.names { a.remove(name) }
        await #expect(throws: Failure.self) { try await a.sync() }
        try a.write(tree)
        try await a.sync()
        a.remove("f1")
        try await a.sync()
        try await b.sync()
        #expect(try b.names.count == 4)
    }

    @Test("an emptied root stops the run; exactly the approved plan is carried out")
    func emptied() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(5))
        for name in try a.names { a.remove(name) }
        let before = world.store.objects
        let failure = await #expect(throws: Failure.self) { try await a.sync() }
        #expect(failure?.code == .limit)
        #expect(
            world.store.objects.keys.filter { $0.description.contains("/log/") }.count
                == before.keys.filter { $0.description.contains("/log/") }.count)
        let plan = try planID(failure)
        let dry = try await a.sync { $0.isDryRun = true }
        #expect(dry.planID == plan)
        // Another plan is not the one that was looked at.
        try b.write(["f1": .file("edited")])
        try await b.sync()
        let other = await #expect(throws: Failure.self) {
            try await a.sync { $0.approved = plan }
        }
        #expect(other?.code == .limit)
        #expect(try planID(other) != plan)
        let report = try await a.sync { $0.approved = try? self.planID(other) }
        #expect(report.publishedCommits == 1)
        try await world.converge()
        #expect(try b.tree() == ["f1": .file("edited")])
    }

    @Test("too many deletions stop the run on the side that would lose them, too")
    func incoming() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(60))
        for name in try a.names.prefix(50) { a.remove(name) }
        try await a.sync { $0.maxDelete = .count(100) }
        let failure = await #expect(throws: Failure.self) { try await b.sync() }
        #expect(failure?.code == .limit)
        #expect(try b.names.count == 60)
        try await b.sync { $0.approved = try? self.planID(failure) }
        #expect(try b.names.count == 10)
    }

    @Test("--max-delete counts paths", arguments: [(2, true), (3, false)])
    func maxDelete(_ limit: Int, _ stops: Bool) async throws {
        let world = try World()
        let (a, _) = try await world.pair(wide(9))
        for name in try a.names.prefix(3) { a.remove(name) }
        do {
            try await a.sync { $0.maxDelete = .count(limit) }
            #expect(!stops)
        } catch let failure as Failure {
            #expect(stops)
            #expect(failure.code == .limit)
        }
    }

    @Test("a dry run prints what the run then does, and changes nothing")
    func dryRun() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2"), "h": .file("3")])
        try a.write(["f": .file("edited"), "n": .file("new")])
        a.rename("g", "g2")
        try await a.sync()
        try b.write(["f": .file("other edit"), "m": .file("new")])
        b.remove("h")
        let before = world.store.objects
        let tree = try b.tree(times: true)
        let dry = try await b.sync { $0.isDryRun = true }
        #expect(try b.tree(times: true) == tree)
        #expect(world.store.objects == before)
        let real = try await b.sync()
        #expect(real.planID == dry.planID)
        #expect(Set(real.steps.map(\.description)) == Set(dry.steps.map(\.description)))
    }

    @Test("ignoring a path deletes it nowhere, nor does removing the rule")
    func ignored() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "f": .file("1"), "build": .directory(["out": .file("2")]), "k": .file("keep"),
        ])
        try a.write([".filesinkiignore": .file("build/\nf\n")])
        try await world.converge()
        for machine in [a, b] {
            #expect(machine.text("build/out") == "2")
            #expect(machine.text("f") == "1")
        }
        // Ignored, they go separate ways.
        a.remove("f")
        try b.write(["build": .directory(["out": .file("changed"), "more": .file("m")])])
        for machine in [a, b, a, b] { try await machine.sync() }
        #expect(b.text("f") == "1")
        #expect(a.text("build/out") == "2")
        #expect(a.text("build/more") == nil)
        a.remove(".filesinkiignore")
        try await a.sync { $0.maxDelete = .count(1) }
        try await b.sync()
        // The user of b decides about what the rule kept private there.
        let named = try ["build/out", "build/more"].map { try RelativePath($0) }
        try await b.sync { $0.paths = named }
        for machine in [a, b, a] { try await machine.sync() }
        for machine in [a, b] { #expect(machine.text("f") == "1") }
        #expect(a.text("build/more") == "m")
        // What changed on both sides meanwhile is merged as at a first sync: nothing is lost.
        guard case .folder(let build, _) = try a.tree()["build"] else { return }
        #expect(build.nodes.values.contains(.file("changed")))
    }

    @Test("DO-15 a .nosync path stays local, and nothing done to it deletes it elsewhere")
    func notSynced() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            ".filesinkiignore": .file("!*.nosync\n"), "old.nosync": .file("synced before"),
            "k": .file("keep"),
        ])
        // The first run of b began before it had the rule.
        try await b.sync()
        #expect(b.text("old.nosync") == "synced before")
        // From here on the built-in rule holds.
        a.remove(".filesinkiignore")
        try await world.converge()
        try a.write([
            "new.nosync": .file("here"), "d.nosync": .directory(["f": .file("here")]),
        ])
        a.remove("old.nosync")
        a.rename("k", "k.nosync")
        for machine in [a, b, a, b] { try await machine.sync() }
        #expect(b.text("old.nosync") == "synced before")
        #expect(b.text("new.nosync") == nil && b.text("d.nosync/f") == nil)
        #expect(a.text("new.nosync") == "here" && a.text("d.nosync/f") == "here")
        // What got the mark was taken out of sync: elsewhere that is a deletion of the old name.
        #expect(a.text("k.nosync") == "keep" && b.text("k") == nil && b.text("k.nosync") == nil)
    }

    @Test("a remote change to a path that is ignored here is left alone here")
    func ignoredThere() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        // Only b has the rule so far; what it leaves out there is private.
        try b.write([
            ".filesinkiignore": .file("secret\n"), "secret": .file("private"),
        ])
        try a.write(["secret": .file("public")])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.problems.isEmpty)
        #expect(b.text("secret") == "private")
        try await b.sync()
        #expect(b.text("secret") == "private")
        let commits = try await world.commits()
        let contents = commits.flatMap(\.inline).map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(!contents.contains("private"))
        try await a.sync()
        #expect(a.text("secret") == "public")
    }

    @Test("loading an ignored file that was never synced publishes nothing")
    func loadedPrivate() async throws {
        let world = try World()
        let (a, b) = try await world.pair([".filesinkiignore": .file("secret*\n")])
        try a.write([
            "secret": .file("private"), "secrets": .directory(["key": .file("private key")]),
        ])
        #expect(try await a.load("secret") == "private")
        #expect(try await a.load("secrets/key") == "private key")
        for machine in [a, b] { try await machine.sync() }
        #expect(b.text("secret") == nil && b.text("secrets/key") == nil)
        let commits = try await world.commits()
        let named = commits.flatMap(\.changes).map(\.path.description)
        #expect(named == [".filesinkiignore"])
    }

    @Test(
        "loading an ignored file leaves a remote file of that name alone, and is left alone by it")
    func loadedBesideRemote() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        try b.write([".filesinkiignore": .file("secret\n"), "secret": .file("private")])
        try a.write(["secret": .file("public")])
        try await a.sync()
        #expect(try await b.load("secret") == "private")
        #expect(b.text("secret") == "private")
        try await a.sync()
        #expect(a.text("secret") == "public")
        // A remote file that is not here is loaded, although it is ignored.
        b.remove("secret")
        #expect(try await b.load("secret") == "public")
    }

    @Test("a folder deleted elsewhere that holds ignored files stays, with a notice")
    func keptFolder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            ".filesinkiignore": .file("*.o\n"), "d": .directory(["f": .file("1")]),
            "k": .file("keep"),
        ])
        try b.write(["d": .directory(["x.o": .file("built")])])
        a.remove("d")
        try a.write(["k": .file("edited")])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.notices.map(\.path.description) == ["d"])
        #expect(report.problems.isEmpty)
        #expect(b.text("d/x.o") == "built")
        #expect(b.text("d/f") == nil)
        #expect(b.text("k") == "edited")
        try await a.sync()
        #expect(a.text("d/f") == nil)
        b.remove("d")
        try await world.converge()
    }

    @Test("adding a rule and removing the ignored file together deletes it nowhere else")
    func ignoredAndRemoved() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "build": .directory(["out": .file("2"), "more": .file("3")]), "k": .file("keep"),
        ])
        try a.write([".filesinkiignore": .file("build/\n")])
        a.remove("build")
        for machine in [a, b, a, b] { try await machine.sync() }
        #expect(b.text("build/out") == "2")
        #expect(b.text("build/more") == "3")
    }

    @Test("with an unavailable remote changes stay pending, nothing is lost, and it is reported")
    func away() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        try a.write(["f": .file("edited"), "n": .file("new")])
        a.remove("g")
        let report = try await a.sync()
        #expect(report.away?.code == .away)
        #expect(report.isQueued)
        let pending = try await a.with { try await $0.status().pending.map(\.description) }
        #expect(pending.sorted() == ["f", "g", "n"])
        let saved = try await a.save("saved", at: "s/t")
        #expect(saved.sync.away != nil)
        #expect(saved.version == 0)
        world.remote.isAway = false
        try await world.converge()
        #expect(
            try b.tree() == [
                "f": .file("edited"), "n": .file("new"), "s": .directory(["t": .file("saved")]),
            ])
        #expect(try await a.with { try await $0.status().pending.isEmpty })
    }

    @Test(
        "a remote that becomes unavailable at any request of a sync: nothing is lost",
        arguments: 0..<30)
    func awayAt(_ request: Int) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2"), "c": .file("3")])
        try a.write(["f": .file("edited"), "c": .file("of a")])
        try await a.sync()
        try b.write(["n": .file("new"), "c": .file("of b")])
        b.remove("g")
        let fault: FaultyRemote.Fault =
            request.isMultiple(of: 2) ? .away(requests: 1) : .after(.away)
        world.remote.plan(FaultyRemote.Script(fault, skip: request / 2))
        _ = try? await b.sync()
        try await world.converge()
        #expect(a.text("f") == "edited")
        #expect(a.text("n") == "new")
        #expect(a.text("g") == nil)
        let texts = try a.names.compactMap { a.text($0) }
        #expect(Set(texts) == ["edited", "new", "of a", "of b"])
        #expect(texts.count == 4)
    }
}
