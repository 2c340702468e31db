import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

/// A log that has lost its newest commits, while other objects of the store prove that they were there.
@Suite("A log that ends too early")
struct LogEndTests {
    let world: World
    let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("base")])
    }

    private var format: StoreFormat {
        get async throws { try #require(try await StoreFormat.read(from: world.store)) }
    }

    private func slot(_ sequence: UInt64) -> String {
        let digits = String(sequence)
        return "/log/" + String(repeating: "0", count: 20 - digits.count) + digits + "/"
    }

    /// Takes commits out of the log, as a backup that is older does.
    private func remove(_ sequences: ClosedRange<UInt64>) {
        let gone = sequences.map(slot)
        world.store.objects = world.store.objects.filter { object in
            !gone.contains { object.key.description.contains($0) }
        }
    }

    /// A checkpoint of the newest commit.
    private func saveCheckpoint(packs: [PackReference] = []) async throws {
        var rows: [RelativePath: CheckpointRow] = [:]
        let commits = try await world.commits()
        for commit in commits {
            for change in commit.changes {
                rows[change.path] = CheckpointRow(
                    path: change.path,
                    entry: VersionedEntry(change.entry, version: commit.sequence))
            }
        }
        let last = try #require(commits.last)
        let shelf = try await CheckpointStore(remote: world.store, zone: "files", store: format)
        try await shelf.save(
            Checkpoint(
                token: last.token, entries: rows.values.sorted { $0.path < $1.path },
                packs: packs, inline: []))
    }

    /// Notes in the store that a device has seen the newest commit.
    private func acknowledge() async throws {
        let last = try #require(try await world.commits().last)
        let shelf = try await DeviceRegistry(remote: world.store, zone: "files", store: format)
        for number in [7, 8] as [UInt8] {
            try await shelf.acknowledge(
                Acknowledgement(
                    device: Device(id: [UInt8](repeating: number, count: 16), name: "d\(number)"),
                    token: last.token, time: Timestamp(nanoseconds: 0)))
        }
    }

    /// `a` publishes 6 more commits, which `b` does not see.
    private func publish() async throws {
        for number in 2...7 { try await a.save("version \(number)", at: "f") }
        try #require(try await world.commits().count == 7)
    }

    private func expectRefusal(
        _ code: Failure.Code, _ machine: Machine, _ comment: Comment
    ) async throws -> Failure? {
        let before = world.store.objects
        let failure = await #expect(throws: Failure.self, comment) { try await machine.sync() }
        #expect(failure?.code == code, comment)
        #expect(world.store.objects == before, comment)
        return failure
    }

    @Test("E4.3 a device that slept publishes nothing to a log older than its checkpoint")
    func restored() async throws {
        try await publish()
        try await saveCheckpoint()
        remove(2...7)
        world.clock.advance(by: .seconds(7200))
        try b.write(["mine": .file("b's")])
        _ = try await expectRefusal(.wrongStore, b, "b, which saw commit 1")
        _ = try await expectRefusal(.wrongStore, a, "a, which saw commit 7")
        // Neither does a save, nor one upon a version.
        let before = world.store.objects
        let saved = await #expect(throws: Failure.self) { try await b.save("x", at: "f") }
        #expect(saved?.code == .wrongStore)
        let upon = await #expect(throws: Failure.self) {
            try await b.save("x", at: "g", ifVersion: 0)
        }
        #expect(upon?.code == .wrongStore)
        #expect(world.store.objects == before)
    }

    @Test(
        "E4.3 a device between the log's end and the checkpoint detects it, and so does a new one")
    func gap() async throws {
        try await publish()
        try await b.sync()
        for number in 8...9 { try await a.save("version \(number)", at: "f") }
        try await saveCheckpoint()
        remove(4...9)
        try b.write(["mine": .file("b's")])
        _ = try await expectRefusal(.wrongStore, b, "b, which saw commit 7")
        let new = try await world.replica("new")
        try new.write(["own": .file("own")])
        _ = try await expectRefusal(.wrongStore, new, "a new device")
        #expect(try new.names == ["own"])
    }

    @Test("E4.3 a pruned log is not taken for a restored one")
    func pruned() async throws {
        try await publish()
        try await saveCheckpoint()
        try await a.save("version 8", at: "f")
        for last in [3, 6, 7] as [UInt64] {
            remove(1...last)
            world.clock.advance(by: .seconds(7200))
            let new = try await world.replica("new\(last)")
            let name = TreeFixture.Name(Array("own\(last)".utf8))
            try new.write(TreeFixture([name: .file("own")]))
            try await new.sync()
            #expect(new.text("f") == "version 8")
        }
        try b.write(["mine": .file("b's")])
        try await b.sync()
        try await world.converge()
    }

    @Test("E4.3 after approval both sides are merged as at a first sync")
    func approved() async throws {
        // In packs, for what lies in a commit is lost with it.
        var random = SeededRandom(seed: 3)
        for _ in 2...7 {
            try a.write(["f": .bytes(random.bytes(300_000), mode: 0o644, modified: nil)])
            try await a.sync()
        }
        try await saveCheckpoint(packs: try await world.commits().flatMap(\.packs))
        remove(2...7)
        world.clock.advance(by: .seconds(7200))
        try b.write(["of b": .file("own")])
        let failure = await #expect(throws: Failure.self) { try await b.sync() }
        #expect(failure?.code == .wrongStore)
        let id = try #require(
            failure?.remedy.split(separator: " ").last.map { String($0.dropLast()) })
        try await b.sync { $0.approved = id }
        #expect(try await b.sync().problems.isEmpty)
        // The log continues after the checkpoint: no device needs another approval.
        try a.write(["of a": .file("own")])
        #expect(try await a.sync().problems.isEmpty)
        let new = try await world.replica("new")
        try await new.sync()
        try await world.converge()
        #expect(try new.names.filter { !$0.contains("conflict") } == ["f", "of a", "of b"])
        #expect(try new.tree()["f"] == (try a.tree()["f"]))
    }

    @Test("E4.4 the newest commit is missing: a new device reports it and does not fill its slot")
    func missing() async throws {
        try await publish()
        try await acknowledge()
        remove(7...7)
        let new = try await world.replica("new")
        try new.write(["own": .file("own")])
        let failure = try await expectRefusal(.corrupt, new, "a new device")
        #expect(failure?.message.contains("Commit 7 is missing") == true)
        #expect(try new.names == ["own"])
        // Nor does a device that slept.
        world.clock.advance(by: .seconds(7200))
        try b.write(["mine": .file("b's")])
        _ = try await expectRefusal(.corrupt, b, "a device that slept")
    }

    @Test(
        "E4.4 an acknowledgement of an existing commit stops no device, nor does one of another zone"
    )
    func sound() async throws {
        try await publish()
        try await acknowledge()
        let shelf = try await DeviceRegistry(remote: world.store, zone: "kv-default", store: format)
        try await shelf.acknowledge(
            Acknowledgement(
                device: Device(id: [UInt8](repeating: 9, count: 16), name: "d9"),
                token: ChangeToken(sequence: 99, hash: .none), time: Timestamp(nanoseconds: 0)))
        let new = try await world.replica("new")
        try new.write(["own": .file("own")])
        try await new.sync()
        try await world.converge()
        #expect(b.text("own") == "own")
    }
}
