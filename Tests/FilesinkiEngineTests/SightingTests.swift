import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Testing

@Suite("Checkpoints of the engine")
struct EngineCheckpointTests {
    @Test(
        "a new device makes one for the next, unless it has begun with a late one",
        arguments: [(last: nil, made: [260]), (last: 1, made: [1, 260]), (last: 10, made: [10])]
            as [(last: UInt64?, made: [UInt64])])
    func newDevice(_ last: UInt64?, _ made: [UInt64]) async throws {
        let world = try World()
        let format = try await StoreFormat.create(
            at: world.store, surroundings: world.clock.surroundings)
        let log = try CommitLog(remote: world.store, zone: "files", store: format)
        let shelf = try CheckpointShelf(remote: world.store, zone: "files", store: format)
        var token = log.genesis
        for number in 1...260 {
            let draft = CommitDraft(
                device: Device(id: Array(repeating: 1, count: 16), name: "other"),
                time: Timestamp(nanoseconds: 1), changes: [], operation: "test")
            let id = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)
            guard case .mine(let commit) = try await log.append(draft, after: token, id: id) else {
                return
            }
            token = commit.token
            guard token.sequence == last else { continue }
            try await shelf.save(Checkpoint(token: token, entries: [], packs: [], inline: []))
        }
        let machine = try await world.replica("a")
        try await machine.sync()
        #expect(try await shelf.sequences().sorted() == made)
        try await machine.sync()
        #expect(try await shelf.sequences().sorted() == made)
    }
}

/// How often a device says how far it has seen the log, and what is known of it in between.
@Suite("Sightings")
struct SightingTests {
    let world: World
    let (a, b): (Machine, Machine)

    init() async throws {
        world = try World()
        (a, b) = try await world.pair(["f": .file("base")])
    }

    /// The numbers of the commits up to which the devices say that they have seen the log.
    private var told: [UInt64] {
        world.store.objects.keys.map(\.description).filter { $0.hasPrefix("devices/") }
            .compactMap { UInt64($0.split(separator: "/")[3]) }.sorted()
    }

    @Test func `come at the first meeting, and then after 64 commits`() async throws {
        #expect(told == [1, 1])
        for number in 0..<63 { try await a.save("\(number)", at: "f") }
        try await a.sync()
        #expect(told == [1, 1])
        try await a.save("one more", at: "f")
        #expect(told == [1, 1])
        try await a.sync()
        #expect(told == [1, 65])
    }

    @Test func `come again after a day on which there was something new`() async throws {
        world.clock.advance(by: .seconds(25 * 60 * 60))
        try await a.sync()
        #expect(told == [1, 1])
        try await a.save("new", at: "f")
        try await a.sync()
        #expect(told == [1, 2])
        try await a.save("newer", at: "f")
        try await a.sync()
        #expect(told == [1, 2])
    }

    @Test func `say less than the commits of the device itself`() async throws {
        try await b.save("b's", at: "f")
        try await a.sync()
        try await a.save("a's", at: "f")
        #expect(told == [1, 1])
        let seen = try await a.with { try await $0.devices() }
        #expect(seen.map(\.device.name) == ["a", "b"])
        #expect(seen.map(\.seen) == [3, 2])
        // Of this device more is known here than elsewhere.
        let elsewhere = try await b.with { try await $0.devices() }
        #expect(elsewhere.map(\.seen) == [1, 2])
        let known = try #require(seen.last?.time)
        #expect(known > (try #require(elsewhere.first?.time)))
    }

    @Test func `of another store count for nothing`() async throws {
        for number in 0..<70 { try await a.save("\(number)", at: "f") }
        try await a.sync()
        let other = try World()
        _ = try await other.pair(["h": .file("z")])
        world.store.objects = other.store.objects
        try await a.with { try await $0.setRemote("memory", acceptingOther: true) }
        try await a.sync()
        let seen = try await a.with { try await $0.devices() }
        #expect(seen.filter(\.isThisOne).map(\.seen) == [2])
    }
}
