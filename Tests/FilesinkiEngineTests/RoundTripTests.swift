import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// What a command costs in requests; `Docs/Decisions/0015-round-trips.md` has the table.
@Suite("Round trips")
struct RoundTripTests {
    let world: World
    let remote: CountingRemote
    let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        remote = CountingRemote(world.store)
        (a, b) = (Self.machine("a", world, remote), Self.machine("b", world, remote))
        for (name, machine) in ["a": a, "b": b] {
            _ = try await Replica.initialize(
                machine.options, address: "memory", deviceName: name)
        }
    }

    private static func machine(
        _ name: String, _ world: World, _ remote: any Remote
    ) -> Machine {
        Machine(
            root: world.folder.path(name), remote: remote,
            systemContext: world.clock.systemContext, clock: world.clock)
    }

    /// How many requests a command makes.
    private func requests(_ command: () async throws -> Void) async throws -> Int {
        remote.reset()
        try await command()
        return remote.counts.requests
    }

    /// Both replicas hold two files, and have met the store long ago.
    private func settle() async throws {
        try a.write(["f": .file("base"), "g": .file("other")])
        for machine in [a, b, a, b] { try await machine.sync() }
    }

    @Test func `an unchanged store costs one request of a few bytes`() async throws {
        try await settle()
        for machine in [a, b] {
            #expect(try await requests { try await machine.sync() } == 1)
            #expect(remote.counts.bytesRead < 100)
        }
        try await a.save("saved", at: "f")
        #expect(try await requests { try await a.sync() } == 1)
    }

    @Test func `a large last commit is not read again`() async throws {
        var random = SeededRandom(seed: 1)
        try a.write(["large": .bytes(random.bytes(200_000), mode: 0o644, modified: nil)])
        try await a.sync()
        #expect(world.store.objects.values.contains { $0.count > 200_000 })
        #expect(try await requests { try await a.sync() } == 1)
        #expect(remote.counts.bytesRead < 100)
    }

    @Test func `an empty store costs one list more`() async throws {
        try await a.sync()
        #expect(try await requests { try await a.sync() } == 2)
    }

    @Test func `a save takes three requests, also a conditional one and as the first operation`()
        async throws
    {
        try await settle()
        #expect(try await requests { try await a.save("one", at: "f") } == 3)
        #expect(try await requests { try await a.save("two", at: "f", ifVersion: 2) } == 3)
        #expect(try await requests { try await a.save("three", at: "d/new") } == 3)
        try a.write(["g": .file("edited")])
        #expect(try await requests { try await a.sync() } == 3)
        // Also when somebody else has published one since.
        #expect(try await requests { try await b.save("b's", at: "b") } == 6)
        #expect(try await requests { try await a.save("four", at: "f") } == 4)
    }

    @Test func `a save looks for its content in no pack at the remote`() async throws {
        try await settle()
        var random = SeededRandom(seed: 2)
        for number in 0..<3 {
            let large = random.bytes(300_000)
            let name = TreeFixture.Name(Array("large\(number)".utf8))
            try a.write(TreeFixture([name: .bytes(large, mode: 0o644, modified: nil)]))
            try await a.sync()
        }
        try await b.save("so that b knows the packs", at: "f")
        #expect(try await requests { try await b.save("new", at: "f") } == 3)
        #expect(remote.counts.bytesRead < 100)
    }

    @Test func `a delete takes three requests, and a load one, or two with news`() async throws {
        try await settle()
        let path = try RelativePath("f")
        func load() async throws {
            _ = try await b.with {
                try await $0.load(path, isOffline: false, SyncOptions()) { _ in }
            }
        }
        #expect(try await requests { try await load() } == 1)
        try await a.save("newer", at: "f")
        #expect(try await requests { try await load() } == 2)
        #expect(b.text("f") == "newer")
        let deletion = try await requests {
            _ = try await a.with {
                try await $0.delete([path], recursive: false, SyncOptions())
            }
        }
        #expect(deletion == 3)
        #expect(a.text("f") == nil)
    }

    @Test func `reporting pending changes takes no request`() async throws {
        try await settle()
        let requests = try await requests {
            _ = try await a.with { try await $0.status() }
            _ = try await a.with { try await $0.conflicts() }
            _ = try await a.with { try await $0.list([]) }
        }
        #expect(requests == 0)
    }

    @Test func `many commits are read with few requests, and their contents with them`()
        async throws
    {
        try await settle()
        for number in 0..<40 { try await a.save("content \(number)", at: "d/\(number)") }
        // Slots by 3, 6, 12 and 24, and a listing of archives for each.
        #expect(try await requests { try await b.sync() } == 8)
        #expect(b.text("d/39") == "content 39")
        let path = try RelativePath("f")
        let log = try await requests { _ = try await b.with { try await $0.history(of: path) } }
        #expect(log <= 10)
        let check = try await requests {
            let report = try await b.with { try await $0.check(.all, progress: nil) }
            #expect(report.failures.isEmpty)
        }
        #expect(check <= 16)
    }

    @Test func `a deleted folder is explained with as many requests as a file`() async throws {
        try await settle()
        for number in 0..<20 { try await a.save("\(number)", at: "d/\(number)") }
        let (file, folder) = (try RelativePath("f"), try RelativePath("d"))
        _ = try await a.with { try await $0.delete([folder], recursive: true, SyncOptions()) }
        func explain(_ path: RelativePath) async throws -> Int {
            try await requests { _ = try await a.with { try await $0.explain(path) } }
        }
        let expected = try await explain(file)
        #expect(try await explain(folder) == expected)
        let explained = try await a.with { try await $0.explain(folder) }
        #expect(explained.versions.first?.change.entry.kind == .tombstone)
    }

    @Test func `contents of many commits that were read before are read together`() async throws {
        try await settle()
        for number in 0..<40 { try await a.save("content \(number)", at: "d/\(number)") }
        // The commits are met, and their contents not used.
        try await b.save("b's", at: "f")
        #expect(try await requests { try await b.sync() } == 3)
        #expect(b.text("f") == "b's")
        #expect(b.text("d/0") == "content 0")
        #expect(b.text("d/39") == "content 39")
    }

    @Test func `a path is restored with few requests`() async throws {
        try await settle()
        for number in 0..<20 { try await a.save("\(number)", at: "f") }
        let path = try RelativePath("f")
        let restore = try await requests {
            _ = try await a.with { try await $0.restore(path, version: 5, SyncOptions()) }
        }
        #expect(a.text("f") == "3")
        #expect(restore <= 10)
        let show = try await requests {
            try await a.with { replica in
                let tree = try await replica.tree(at: .version(3), of: [path])
                try await replica.show(path, in: tree) { _ in }
            }
        }
        #expect(show <= 7)
    }
}
