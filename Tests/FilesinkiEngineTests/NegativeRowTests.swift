import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

/// Rows about the network, in one process: what fails passes, and nothing is stuck afterwards.
/// `Docs/Rows.md` says what became of each row.
@Suite("Negative rows: the network")
struct NegativeRowTests {
    /// How a save is cut: in the middle of a pack, of a commit, or for some time.
    static let cuts: [FaultyRemote.Script] = [
        .init(.before(.away), verb: .put), .init(.after(.away), verb: .put),
        .init(.before(.away), verb: .publish), .init(.after(.away), verb: .publish),
        .init(.away(requests: 4), verb: .put), .init(.away(requests: 4), verb: .publish),
        .init(.away(requests: 2), verb: .get),
    ]

    @Test(
        "FB-04: a process whose save was cut off by the network uploads it, and saves there again",
        arguments: cuts)
    func cutSave(_ cut: FaultyRemote.Script) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("other")])
        var random = SeededRandom(seed: 4)
        // Large enough for a pack.
        let first = random.bytes(400_000)
        try await a.with { replica in
            world.remote.plan(cut)
            _ = try await replica.save(first, at: "f")
            #expect(world.remote.log.contains { $0.fault != nil })
            // One of the runs finds the network restored.
            for _ in 1...4 { _ = try await replica.sync(SyncOptions()) }
            #expect(try await replica.status().pending.isEmpty)
        }
        try await b.sync()
        #expect(try b.tree()["f"] == (try a.tree()["f"]))
        try await a.with { replica in
            world.remote.plan(cut)
            _ = try await replica.save(first, at: "f")
            _ = try await replica.save(Array("second".utf8), at: "f")
            for _ in 1...4 { _ = try await replica.sync(SyncOptions()) }
            #expect(try await replica.status().pending.isEmpty)
        }
        try await world.converge()
        #expect(b.text("f") == "second")
        #expect(try b.names == ["f", "g"])
    }

    @Test(
        "FB-16: a load that fails at any request keeps every pending save", arguments: ["f", "g"])
    func endedLoad(_ name: String) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "g": .file("other")])
        let path = try RelativePath(name)
        var requests = 0
        while true {
            world.remote.isAway = true
            try await a.save("waits \(requests)", at: "f")
            world.remote.isAway = false
            try await b.save("newer \(requests)", at: "g")
            world.remote.plan(.init(.before(.interrupted), skip: requests))
            let load = await Result {
                try await a.with { try await $0.load(path, isOffline: false, .init()) { _ in } }
            }
            // So many requests it does not make.
            if case .success = load { break }
            try await world.converge()
            #expect(a.text("f") == "waits \(requests)")
            #expect(b.text("f") == "waits \(requests)")
            #expect(a.text("g") == "newer \(requests)")
            requests += 1
            try #require(requests < 50)
        }
        #expect(requests > 2)
    }

    @Test(
        "FB-17: a remote that is busy or unavailable at any request of the first run keeps nothing pending",
        arguments: [Failure.Code.busy, .away])
    func busyAtFirst(_ code: Failure.Code) async throws {
        // The probe that looks at a new place makes most of the requests.
        for skip in [0, 1, 2, 3, 5, 10, 20, 40, 60, 80, 100] {
            let world = try World()
            world.remote.plan(.init(.before(code), skip: skip))
            let machine = Machine(
                root: world.folder.path("a"), remote: world.remote,
                systemContext: world.clock.systemContext, clock: world.clock)
            do {
                _ = try await Replica.initialize(
                    machine.options, address: "memory", deviceName: "a")
            } catch let failure as Failure {
                #expect(failure.code == code, "\(skip): \(failure)")
            }
            _ = try await Replica.initialize(machine.options, address: "memory", deviceName: "a")
            try machine.write(["f": .file("content")])
            _ = await Result { try await machine.sync() }
            let report = try await machine.sync()
            #expect(report.away == nil, "\(skip)")
            let b = try await world.replica("b")
            try await b.sync()
            #expect(b.text("f") == "content", "\(skip)")
        }
    }

    @Test(
        "FB-21: a process that the remote refused continues as soon as it is allowed again",
        arguments: [Failure.Code.away, .busy, .notAllowed, .full, .io])
    func refusedForATime(_ code: Failure.Code) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try await a.with { replica in
            for skip in 0...4 {
                try a.write(["f": .file("edit \(skip)")])
                world.remote.plan(.init(.before(code), skip: skip))
                _ = await Result { try await replica.sync(SyncOptions()) }
                let report = try await replica.sync(SyncOptions())
                #expect(report.away == nil, "\(skip)")
                #expect(try await replica.status().pending.isEmpty, "\(skip)")
                #expect(try await world.commits().count == skip + 2, "\(skip)")
            }
            #expect(world.remote.log.filter { $0.fault != nil }.count >= 3)
        }
        try await b.sync()
        #expect(b.text("f") == "edit 4")
    }
}

extension Replica {
    /// What `save` does with bytes.
    fileprivate func save(_ bytes: [UInt8], at path: String) async throws -> SaveReport {
        try await save(try RelativePath(path), SaveOptions()) { give in
            try bytes.withUnsafeBytes { try give($0) }
        }
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous call came to.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
