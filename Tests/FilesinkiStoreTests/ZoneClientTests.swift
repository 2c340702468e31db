import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// What a zone's client asks a store for, and what it makes of the answers.
@Suite("the client of a zone")
struct ZoneClientTests {
    private let fixture: StoreFixture
    private let clock = ManualClock()
    private let memory = NotedZone()

    init() async throws {
        fixture = try StoreFixture()
        try await put(fixture.format)
        memory.store = KnownStore(fixture.format)
    }

    private func put(_ format: StoreFormat) async throws {
        let text = StoreFormatText.encode(format, createdBy: "test")
        try await fixture.replace(ObjectKey(StoreLayout.format), by: text)
    }

    private func client(
        at remote: (any Remote)? = nil, carriesContents: Bool = false
    ) -> ZoneClient {
        let zone = Zone(
            name: "files", carriesContents: carriesContents, remedyForOther: "Accept it.",
            remedyForMissing: "Go on without them.")
        let remote = remote ?? fixture.remote
        return ZoneClient(zone, memory: memory, systemContext: clock.systemContext) { remote }
    }

    /// A draft of the device with this number.
    private func draft(by device: UInt8, _ text: String) throws -> CommitDraft {
        var draft = try StoreFixture.draft(writing: text, to: "a")
        draft.device = Device(id: StoreFixture.commitID(device), name: "device \(device)")
        return draft
    }

    private func append(_ count: UInt8) async throws -> [Commit] {
        var token = fixture.log.genesis
        var commits: [Commit] = []
        for number in 1...count {
            // The device of the tests has the number 1; every second commit is its own.
            let outcome = try await fixture.log.append(
                draft(by: number % 2, "\(number)"), after: token,
                id: StoreFixture.commitID(number))
            guard case .mine(let commit) = outcome else { throw StoreFixture.Lost() }
            token = commit.token
            commits.append(commit)
        }
        return commits
    }

    private func acknowledge(_ sequence: UInt64) async throws {
        let devices = try DeviceRegistry(
            remote: fixture.remote, zone: "files", store: fixture.format)
        try await devices.acknowledge(
            Acknowledgement(
                device: Device(id: StoreFixture.commitID(9), name: "other"),
                token: ChangeToken(sequence: sequence, hash: .none), time: clock.now))
    }

    private func mismatch(_ result: FetchResult) -> StoreMismatch? {
        if case .mismatch(let found) = result { return found }
        return nil
    }

    @Test func `commits with the device's own id are reported with a fetch`() async throws {
        _ = try await append(5)
        var target = Collected()
        let fetched = try await client().fetch(into: &target).get()
        #expect(target.commits == [1, 2, 3, 4, 5])
        #expect(fetched.claimed.map(\.sequence) == [1, 3, 5])
        #expect(fetched.claimed.map(\.id) == [1, 3, 5].map { StoreFixture.commitID($0) })
    }

    @Test("A fetch stores numbers for what it has found, and no others")
    func numbers() {
        let now = Timestamp(seconds: 77, nanoseconds: 5)
        var fetched = Fetched(
            extent: .initial, end: LogPosition(fixture.log.genesis),
            store: KnownStore(fixture.format))
        #expect(fetched.numbers(at: now).isEmpty)
        fetched.checkpoint = 9
        #expect(fetched.numbers(at: now) == [.checkpoint: 9])
        fetched.isEndProven = true
        fetched.acceptedEnd = 3
        #expect(
            fetched.numbers(at: now) == [.checkpoint: 9, .endProof: 77, .acceptedEnd: 3])
    }

    @Test func `an empty log that belongs to another store now is a mismatch`() async throws {
        memory.position = LogPosition(fixture.log.genesis)
        var target = Collected()
        #expect(try await mismatch(client().fetch(into: &target)) == nil)
        var other = fixture.format
        other.id = StoreFixture.commitID(7)
        try await put(other)
        let found = try #require(try await mismatch(client().fetch(into: &target)))
        #expect(found.kind == .foreign)
        #expect(found.failure.code == .wrongStore)
        #expect(found.failure.remedy == "Accept it.")
    }

    @Test func `commits that others publish during the first fetch are not missing`() async throws {
        let commits = try await append(3)
        let last = try await fixture.remote.get(fixture.slot(3), range: nil)
        try await fixture.remote.delete(fixture.slot(3))
        try await acknowledge(3)
        // The third commit arrives after the log was read and before the acknowledgements are.
        let remote = LateRemote(
            base: fixture.remote, key: try fixture.slot(3), bytes: try #require(last))
        var target = Collected()
        let fetched = try await client(at: remote).fetch(into: &target).get()
        #expect(target.commits == [1, 2, 3])
        #expect(fetched.end.token == commits[2].token)
    }

    @Test func `a log that lost its position and has no readable checkpoint is a mismatch`()
        async throws
    {
        let commits = try await append(5)
        memory.position = LogPosition(commits[4])
        try await fixture.remote.delete(fixture.slot(5))
        try await fixture.replace(fixture.checkpointSlot(6), by: [1, 2, 3])
        var target = Collected()
        let found = try #require(try await mismatch(client().fetch(into: &target)))
        #expect(found.kind == .rolledBack)
        #expect(found.failure.code == .wrongStore)
    }

    @Test(
        "The contents of a checkpoint's items are fetched if the zone carries them",
        arguments: [true, false])
    func contents(carriesContents: Bool) async throws {
        let commits = try await append(2)
        let content = StoreFixture.content("1")
        try await fixture.shelf.save(
            Checkpoint(
                token: commits[1].token, entries: [], packs: [],
                inline: [InlineLocation(id: content.id, sequence: 1)]))
        var target = Collected()
        let client = client(carriesContents: carriesContents)
        let fetched = try await client.fetch(into: &target).get()
        #expect(fetched.checkpoint == 2)
        #expect(target.commits.isEmpty)
        #expect(target.contents == (carriesContents ? [content.id: content.bytes] : [:]))
    }

    @Test func `the last proven commit is that of a checkpoint or an acknowledgement`() async throws
    {
        let client = client()
        let store = try #require(try await client.presentStore(at: fixture.remote))
        #expect(try await client.lastProven(store) == 0)
        try await acknowledge(3)
        #expect(try await client.lastProven(store) == 3)
        try await fixture.remote.put([1], to: fixture.checkpointSlot(1))
        #expect(try await client.lastProven(store) == 3)
        try await fixture.remote.put([1], to: fixture.checkpointSlot(4))
        #expect(try await client.lastProven(store) == 4)
    }

    @Test(
        "A log is too short if a checkpoint or an acknowledgement names a later commit",
        arguments: [
            // checkpoint, acknowledged, end, accepted
            (0, 0, 0, 0, nil), (4, 4, 4, 0, nil), (5, 6, 4, 6, nil), (0, 1, 0, 0, .corrupt),
            (0, 5, 4, 0, .corrupt), (4, 5, 4, 0, .corrupt), (5, 0, 4, 0, .wrongStore),
            (0, 6, 4, 0, .wrongStore), (0, 6, 4, 5, .wrongStore),
        ] as [(UInt64, UInt64, UInt64, UInt64, Failure.Code?)])
    func endProof(
        checkpoint: UInt64, acknowledged: UInt64, end: UInt64, accepted: UInt64,
        code: Failure.Code?
    ) {
        let proof = LogEndProof(checkpoint: checkpoint, acknowledged: acknowledged)
        let found = proof.mismatch(
            end: end, accepted: accepted, log: fixture.log, remedy: "Go on without them.")
        #expect(found?.failure.code == code)
        guard let failure = found?.failure else { return }
        #expect(failure.remedy.hasPrefix("Restore the "))
        #expect(failure.remedy.hasSuffix(" from a copy of the store. Go on without them."))
    }

    @Test func `recorded commits that are in the log are returned`() async throws {
        let commits = try await append(3)
        let ids: [(UInt64, UInt8)] = [(2, 2), (3, 9), (7, 7)]
        let noted = ids.map { sequence, id in
            OwnCommit(sequence: sequence, id: StoreFixture.commitID(id), isApplied: false)
        }
        #expect(try await client().published(noted).map(\.token) == [commits[1].token])
        #expect(try await client().published([]).isEmpty)
    }
}

extension ZoneClientTests {
    @Test("the note of a move is read with the end of the log; a zone of items does not ask for it")
    func move() async throws {
        let commits = try await append(2)
        let move = StoreMove(store: fixture.format.id, address: "other", device: "laptop")
        _ = try await move.leave(at: fixture.remote)
        for position in [commits[1].token, fixture.log.genesis] {
            memory.position = LogPosition(position)
            let counting = CountingRemote(fixture.remote)
            var target = Collected()
            #expect(try await client(at: counting).fetch(into: &target).get().move == move)
            #expect(counting.counts.gets == 0)
            if position.sequence > 0 { #expect(counting.counts.requests == 1) }
            let items = client(at: counting, carriesContents: true)
            #expect(try await items.fetch(into: &target).get().move == nil)
        }
        memory.position = nil
        var target = Collected()
        #expect(try await client().fetch(into: &target).get().move == move)
    }

    @Test(
        "The end of a log at a network remote is proved once in an hour",
        arguments: [(0, 2), (3599, 0), (3600, 2), (-1, 2)])
    func proofInterval(seconds: Int64, listings: Int) async throws {
        let commits = try await append(2)
        let counting = CountingRemote(fixture.remote)
        if seconds != 0 {
            memory.numbers[.endProof] = UInt64(clock.now.seconds - seconds)
        }
        let client = client(at: counting)
        for _ in 1...2 { try await client.proveEnd(at: commits[1].token) }
        #expect(counting.counts.lists == listings)
        let proved = clock.now.seconds - (listings == 0 ? seconds : 0)
        #expect(memory.numbers[.endProof] == UInt64(proved))
    }

    @Test("A log that lost its last commit is not published to; one that goes on is")
    func lostEnd() async throws {
        let commits = try await append(3)
        try await acknowledge(3)
        try await client().proveEnd(at: commits[1].token)
        try await fixture.remote.delete(fixture.slot(3))
        let draft = try draft(by: 1, "new")
        let result = try await client().publish(draft, after: commits[1].token)
        guard case .mismatch(let found) = result else {
            Issue.record("The commit was published in place of the lost one.")
            return
        }
        #expect(found.kind == .truncated)
        #expect(memory.noted.isEmpty)
    }

    /// When a device acknowledges: the commit that it acknowledged last, the one at which it failed,
    /// the present one, and the seconds since the last acknowledgement.
    private static let acknowledgements: [(UInt64, UInt64, UInt64, Int64, Bool)] = [
        // The first at once, the next after 64 commits or a day.
        (0, 0, 1, 0, true), (1, 0, 2, 0, false), (1, 0, 64, 0, false), (1, 0, 65, 0, true),
        (1, 0, 2, 86_399, false), (1, 0, 2, 86_400, true), (5, 0, 5, 86_400, false),
        // After a failure 16 commits later.
        (0, 10, 10, 0, false), (0, 10, 25, 0, false), (0, 10, 26, 0, true), (0, 10, 9, 0, true),
    ]

    @Test("A device acknowledges when it is due", arguments: acknowledgements.indices)
    func acknowledgement(index: Int) async throws {
        let (last, failed, sequence, seconds, isDue) = Self.acknowledgements[index]
        memory.numbers = [
            .acknowledgement: last, .failedAcknowledgement: failed,
            .acknowledgementTime: UInt64(clock.now.seconds - seconds),
        ]
        let token = ChangeToken(sequence: sequence, hash: ContentHasher.hash([1]))
        #expect(try await client().conclude(at: token).isEmpty)
        let keys = fixture.remote.objects.keys.filter { $0.description.hasPrefix("devices/") }
        #expect(keys.count == (isDue ? 1 : 0))
        #expect(memory.numbers[.acknowledgement] == (isDue ? sequence : last))
        #expect(memory.numbers[.failedAcknowledgement] == (isDue ? 0 : failed))
    }

    @Test func `a checkpoint that is due is stored and noted, once for all devices`() async throws {
        let token = ChangeToken(sequence: 256, hash: ContentHasher.hash([1]))
        memory.checkpoint = Checkpoint(token: token, entries: [], packs: [], inline: [])
        memory.numbers = [.failedCheckpoint: 200]
        #expect(try await client().conclude(at: token).isEmpty)
        #expect(try await fixture.shelf.sequences() == [256])
        #expect(memory.numbers[.checkpoint] == 256)
        #expect(memory.numbers[.failedCheckpoint] == 0)
        // Another device finds it there.
        memory.numbers = [:]
        let later = ChangeToken(sequence: 300, hash: ContentHasher.hash([2]))
        #expect(try await client().conclude(at: later).isEmpty)
        #expect(try await fixture.shelf.sequences() == [256])
        #expect(memory.numbers[.checkpoint] == 256)
    }
}

/// The memory of a zone whose parts a test sets.
final class NotedZone: ZoneMemory {
    let device = Device(id: StoreFixture.commitID(1), name: "device 1")
    var store: KnownStore?
    var position: LogPosition?
    var numbers: [ZoneCounter: UInt64] = [:]
    var noted: [OwnCommit] = []
    var checkpoint: Checkpoint?

    func remember(_ store: KnownStore) { self.store = store }
    func number(_ counter: ZoneCounter) -> UInt64 { numbers[counter] ?? 0 }
    func set(_ numbers: [ZoneCounter: UInt64]) { self.numbers.merge(numbers) { $1 } }
    func recordOwn(_ commit: OwnCommit) { noted.append(commit) }
    func recordedOwn(_ commits: [OwnCommit]) -> [OwnCommit] { commits.filter(noted.contains) }
    func checkpoint(at token: ChangeToken) -> CheckpointSource? {
        checkpoint.map { CheckpointSource($0.rows) }
    }
}

/// What a fetch hands over.
private struct Collected: FetchTarget {
    var commits: [UInt64] = []
    var contents: [ContentID: [UInt8]] = [:]

    mutating func restart(from checkpoint: ChangeToken?) { self = Collected() }
    mutating func add(_ rows: CheckpointRows) {}
    mutating func endCheckpoint(contents: [ContentID: [UInt8]]) { self.contents = contents }
    mutating func add(_ commit: Commit) { commits.append(commit.sequence) }
}

/// A remote at which an object appears when the devices are listed.
private struct LateRemote: RemoteWrapper {
    let base: MemoryRemote
    let key: ObjectKey
    let bytes: [UInt8]
    var wrapped: any Remote { base }

    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        if prefix == DeviceRegistry.prefix { try await base.put(bytes, to: key) }
        return try await base.list(prefix: prefix, after: after, limit: limit)
    }
}
