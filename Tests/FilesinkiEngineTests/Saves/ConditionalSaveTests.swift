import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

/// Of all devices that save a path upon one version, one succeeds, however they race.
@Suite("Conditional saves")
struct ConditionalSaveTests {
    let world: World
    /// `a` reaches the store through ``rival``.
    let (a, b): (Machine, Machine)
    let rival: RivalRemote

    init() async throws {
        world = try World()
        let (plain, b) = try await world.pair(["f": .file("one"), "g": .file("g")])
        rival = RivalRemote(remote: world.remote)
        var a = plain
        a.options.connect = { [rival] _ in rival }
        (self.a, self.b) = (a, b)
    }

    /// A save of `a` that does not come about.
    private func refused(
        _ text: String, at path: String, ifVersion version: UInt64
    ) async -> Failure.Code? {
        let failure = await #expect(throws: Failure.self) {
            try await a.save(text, at: path, ifVersion: version)
        }
        return failure?.code
    }

    private func versions(_ path: String) async throws -> [UInt64] {
        let path = try RelativePath(path)
        return try await world.commits()
            .filter { $0.changes.contains { $0.path == path } }.map(\.sequence)
    }

    @Test(
        "a save that loses the race for the slot has not saved, whatever both contents are",
        arguments: [("two", "two"), ("mine", "theirs"), ("one", "one"), ("one", "two")])
    func lost(_ mine: String, _ theirs: String) async throws {
        rival.beforePublishing { [b] in
            let report = try await b.save(theirs, at: "f", ifVersion: 1)
            #expect(report.version == 2)
        }
        #expect(await refused(mine, at: "f", ifVersion: 1) == .differs)
        #expect(a.text("f") == theirs)
        #expect(try await versions("f") == [1, 2])
        try await world.converge()
        #expect(try b.tree() == ["f": .file(theirs), "g": .file("g")])
        #expect(try await a.save(mine, at: "f", ifVersion: 2).version == 3)
    }

    @Test(arguments: ["new", "d/e/new"])
    func `of two that create a path one succeeds, and the other leaves nothing`(
        _ path: String
    ) async throws {
        rival.beforePublishing { [b] in
            _ = try await b.save("same", at: path, ifVersion: 0)
            // After it is deleted, the path can be created again.
            b.remove(path)
            try await b.sync()
        }
        let made = try await a.save("same", at: path, ifVersion: 0)
        #expect(made.version == 4)
        rival.beforePublishing { [b] in
            _ = try await b.save("same", at: "other/new", ifVersion: 0)
            b.remove("other")
            try b.write(["other": .file("a file")])
            try await b.sync()
        }
        await #expect(throws: Failure.self) {
            try await a.save("same", at: "other/new", ifVersion: 0)
        }
        try await world.converge()
        #expect(b.text(path) == "same")
        #expect(b.text("other") == "a file")
    }

    @Test(arguments: [1, 100_000])
    func `a commit of other paths that is first does not matter`(_ count: Int) async throws {
        rival.beforePublishing { [b] in _ = try await b.save("b's", at: "g") }
        var random = SeededRandom(seed: 3)
        let text = random.bytes(5 * count).map { String($0, radix: 16) }.joined()
        let report = try await a.save(text, at: "f", ifVersion: 1)
        #expect(report.version == 3)
        #expect(report.sync.publishedCommits == 1)
        #expect(a.text("g") == "g")
        try await world.converge()
        #expect(b.text("f") == text)
        #expect(a.text("g") == "b's")
    }

    @Test func `new folders are saved too, and nothing is left for the next run`() async throws {
        let report = try await a.save("new", at: "d/e/new", ifVersion: 0)
        #expect(report.version == 2)
        #expect(!report.differs)
        #expect(try await a.sync().publishedCommits == 0)
        try await b.sync()
        #expect(b.text("d/e/new") == "new")
    }

    @Test func `saving the same content again is a new version`() async throws {
        #expect(try await a.save("one", at: "f", ifVersion: 1).version == 2)
        #expect(try await a.save("one", at: "f", ifVersion: 2).version == 3)
        #expect(await refused("one", at: "f", ifVersion: 2) == .differs)
    }

    @Test func `with an unavailable remote nothing is saved, here or there`() async throws {
        world.remote.plan(.init(.away(requests: 4), verb: .publish))
        #expect(await refused("two", at: "f", ifVersion: 1) == .away)
        #expect(a.text("f") == "one")
        world.remote.isAway = true
        #expect(await refused("two", at: "f", ifVersion: 1) == .away)
        world.remote.isAway = false
        #expect(a.text("f") == "one")
        #expect(try await versions("f") == [1])
        try await world.converge()
        #expect(try await versions("f") == [1])
    }

    @Test func `a lost reply is asked for again`() async throws {
        world.remote.plan(.init(.after(.away), verb: .publish))
        #expect(try await a.save("two", at: "f", ifVersion: 1).version == 2)
    }

    @Test func `a save with unknown outcome is found once the remote is back`()
        async throws
    {
        world.remote.plan(.init(.after(.away), verb: .publish))
        rival.beforePublishing { [remote = world.remote] in
            remote.plan(.init(.before(.away), verb: .get))
        }
        #expect(await refused("two", at: "f", ifVersion: 1) == .away)
        #expect(a.text("f") == "one")
        try await b.save("three", at: "f", ifVersion: 2)
        try await world.converge()
        #expect(a.text("f") == "three")
        #expect(try await versions("f") == [1, 2, 3])
    }

    @Test(arguments: [true, false])
    func `after a kill the log decides`(isAfter: Bool) async throws {
        let dying = DyingRemote(remote: world.remote)
        var machine = a
        machine.options.connect = { _ in dying }
        if isAfter {
            dying.willDie(afterPublishing: 1)
        } else {
            dying.willDie(beforePublishing: 1)
        }
        await #expect(throws: Failure.self) {
            try await machine.save("two", at: "f", ifVersion: 1)
        }
        #expect(try await a.sync().publishedCommits == 0)
        #expect(a.text("f") == (isAfter ? "two" : "one"))
        #expect(try a.names == ["f", "g"])
    }

    @Test func `an edit meanwhile is not lost`() async throws {
        rival.beforePublishing { [a] in try a.write(["f": .file("typed")]) }
        let before = try await world.commits().count
        let report = try await a.save("saved", at: "f", ifVersion: 1)
        #expect(report.sync.copies.count == 1)
        #expect(try await world.commits().count - before == report.sync.publishedCommits)
        try await world.converge()
        let texts = try b.names.compactMap { b.text($0) }
        #expect(texts.contains("typed"))
        #expect(texts.contains("saved"))
    }
}
