import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// The proof of the log's end in a folder: the names of the checkpoints are read when they have changed, and not otherwise.
@Suite("The end of a log in a folder")
struct FolderProofTests {
    private let folder: TemporaryFolder
    private let remote: CountingRemote
    private let format: StoreFormat
    private let log: CommitLog
    private let shelf: CheckpointStore
    private let devices: DeviceRegistry
    private let clock = ManualClock()
    private let memory = NotedZone()

    init() async throws {
        folder = try TemporaryFolder()
        let directory = try DirectoryRemote.create(path: folder.path("store"))
        remote = CountingRemote(directory)
        format = try await StoreFormat.create(at: directory, systemContext: clock.systemContext)
        log = try CommitLog(remote: directory, zone: "files", store: format)
        shelf = try CheckpointStore(remote: directory, zone: "files", store: format)
        devices = try DeviceRegistry(remote: directory, zone: "files", store: format)
        memory.store = KnownStore(format)
    }

    /// A client as of a new process, which has proved nothing yet.
    private func client() -> ZoneClient {
        let zone = Zone(
            name: "files", carriesContents: false, remedyForOther: "Accept it.",
            remedyForMissing: "Go on without them.")
        return ZoneClient(zone, memory: memory, systemContext: clock.systemContext) { remote }
    }

    private func append(_ text: String, after token: ChangeToken) async throws -> Commit {
        let draft = try StoreFixture.draft(writing: text, to: "a")
        let id = StoreFixture.commitID(UInt8(truncatingIfNeeded: token.sequence + 1))
        guard case .mine(let commit) = try await log.append(draft, after: token, id: id) else {
            throw StoreFixture.Lost()
        }
        return commit
    }

    private func saveCheckpoint(of token: ChangeToken) async throws {
        try await shelf.save(Checkpoint(token: token, entries: [], packs: [], inline: []))
    }

    /// Writes the checkpoints of commits up to this number, for proofs that read only their names.
    private func writeCheckpoints(upTo last: Int) throws {
        var slots: TreeFixture = [:]
        for number in 1...last {
            let name = StoreLayout.name(UInt64(number))
            slots[.init(Array(name.utf8))] = .directory(["c": .file("x")])
        }
        try slots.write(to: folder.path("store/zones/files/checkpoints"))
    }

    /// The listings of a new process that proves the end at a commit.
    private func listings(at token: ChangeToken) async throws -> Int {
        remote.reset()
        try await client().proveEnd(at: token)
        return remote.counts.lists
    }

    @Test(
        "a publication lists the checkpoints after a change of them only, however many",
        arguments: [2, 300])
    func listings(count: Int) async throws {
        _ = try await append("1", after: log.genesis)
        try writeCheckpoints(upTo: count)
        let end = ChangeToken(sequence: UInt64(count), hash: ContentHasher.hash([1]))
        // Of acknowledgements and of checkpoints.
        #expect(try await listings(at: end) == 2)
        for _ in 1...3 { #expect(try await listings(at: end) == 1) }
        // The whole publication: the archives, too.
        remote.reset()
        _ = try await client().publish(StoreFixture.draft(writing: "x", to: "a"), after: end)
        #expect(remote.counts.lists == 2)
        #expect(remote.counts.publications == 1)
        // The description of the store.
        #expect(remote.counts.gets == 1)
        #expect(remote.counts.requests == 4)

        try await shelf.remove(1)
        #expect(try await listings(at: end) == 2)
        #expect(try await listings(at: end) == 1)
        try await saveCheckpoint(of: ChangeToken(sequence: 1, hash: ContentHasher.hash([1])))
        #expect(try await listings(at: end) == 2)
        #expect(try await listings(at: end) == 1)
    }

    @Test(
        "an hour after they were listed, checkpoints are listed in any case",
        arguments: [(3599, 1), (3600, 2), (-1, 2)])
    func hour(seconds: Int, listings count: Int) async throws {
        _ = try await append("1", after: log.genesis)
        try writeCheckpoints(upTo: 3)
        let end = ChangeToken(sequence: 3, hash: ContentHasher.hash([1]))
        #expect(try await listings(at: end) == 2)
        memory.numbers[.endProof] = UInt64(clock.now.seconds - Int64(seconds))
        #expect(try await listings(at: end) == count)
    }

    @Test("a store without checkpoints notes nothing")
    func none() async throws {
        let first = try await append("1", after: log.genesis)
        for _ in 1...2 { #expect(try await listings(at: first.token) == 2) }
        #expect(memory.numbers.isEmpty)
    }

    @Test(
        "a store that was restored between two publications is noticed by its checkpoint, at any time"
    )
    func restored() async throws {
        let first = try await append("1", after: log.genesis)
        try await saveCheckpoint(of: first.token)
        #expect(try await listings(at: first.token) == 2)
        // Another device, which has not acknowledged yet; then the log of a backup from before.
        let second = try await append("2", after: first.token)
        let third = try await append("3", after: second.token)
        try await saveCheckpoint(of: third.token)
        for commit in [second, third] {
            try await remote.delete(StoreLayout.slot(StoreLayout.log(of: "files"), commit.sequence))
        }
        for _ in 1...2 {
            let result = try await client().publish(
                StoreFixture.draft(writing: "x", to: "a"), after: first.token)
            guard case .mismatch(let found) = result else {
                Issue.record("A commit was published in place of a lost one.")
                return
            }
            #expect(found.failure.code == .wrongStore)
            #expect(
                found.failure.message
                    == "The log ends at 1, but there is a checkpoint of commit 3: the store was "
                    + "restored from a backup, or lost commits.")
        }
        #expect(memory.noted.isEmpty)
    }

    @Test("acknowledgements are read by every process")
    func acknowledged() async throws {
        let first = try await append("1", after: log.genesis)
        try await saveCheckpoint(of: first.token)
        #expect(try await listings(at: first.token) == 2)
        #expect(try await listings(at: first.token) == 1)
        try await devices.acknowledge(
            Acknowledgement(
                device: Device(id: StoreFixture.commitID(9), name: "other"),
                token: ChangeToken(sequence: 3, hash: .none), time: clock.now))
        let mismatch = await #expect(throws: StoreMismatch.self) {
            try await client().proveEnd(at: first.token)
        }
        #expect(mismatch?.failure.code == .wrongStore)
    }

    @Test(
        "a prune by another device between two publications is noticed: no archived number is filled again"
    )
    func pruned() async throws {
        var tokens = [log.genesis]
        for number in 1...12 {
            tokens.append(try await append("\(number)", after: tokens[number - 1]).token)
            try await saveCheckpoint(of: tokens[number])
        }
        #expect(try await listings(at: tokens[12]) == 2)
        // The device sleeps; its position is archived, with the slots behind it.
        for number in 13...20 {
            tokens.append(try await append("\(number)", after: tokens[number - 1]).token)
        }
        let extent = ArchiveExtent(keptSlots: 3, minimum: 4, length: 1 << 20)
        let archiver = LogArchiver(log, extent) { StoreFixture.commitID(1) }
        #expect(try await archiver.archive() == 17)
        let sweep = try CheckpointSweep(remote: remote, zone: "files", store: format)
        #expect(try await sweep.sweep() == 11)
        let draft = try StoreFixture.draft(writing: "x", to: "a")
        guard case .lost = try await client().publish(draft, after: tokens[12]) else {
            Issue.record("An archived number was filled again.")
            return
        }
        guard case .mine(let commit) = try await client().publish(draft, after: tokens[20]) else {
            Issue.record("A device that has read the log must publish behind it.")
            return
        }
        #expect(commit.sequence == 21)
        #expect(try await listings(at: commit.token) == 1)
    }
}
