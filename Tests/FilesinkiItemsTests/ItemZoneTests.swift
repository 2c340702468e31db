import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiItems
@testable import FilesinkiStore

/// What every kind of items gets without code of its own, shown by ``ToyKind``.
@Suite("Zones of items")
struct ItemZoneTests {
    @Test func `a kind needs a coder and a merge, and no code for the log`() async throws {
        let box = try await ToyBox()
        let (a, b) = (try box.device("a"), try box.device("b"))
        try await a.set(["ball": "red", "kite": "blue"])
        try await a.sync()
        try await b.sync()
        #expect(try await b.all == ["ball": "red", "kite": "blue"])
        try await a.set(["ball": "red and white", "kite": nil])
        try await b.set(["ball": "green"])
        try await a.sync()
        let report = try await b.sync()
        #expect(try await b.all == ["ball": "red and white"])
        #expect(report.losers.map(\.held.text) == ["green"])
        #expect(report.losers.map(\.reason) == ["shorter"])
        #expect(report.changed.map(\.description) == ["ball", "kite"])
        try await a.sync()
        #expect(try await a.all == (try await b.all))
        #expect(try await box.commits.last?.superseded.count == 1)
    }

    @Test func `a device that comes late needs the checkpoint and what follows it`() async throws {
        let box = try await ToyBox()
        let a = try box.device("a")
        try await a.set(["old": "red"])
        for number in 0..<260 {
            try await a.set(["n": String(repeating: "x", count: number)])
            try await a.sync()
        }
        let format = try #require(try await StoreFormat.read(from: box.remote))
        let checkpoints = try CheckpointStore(
            remote: box.remote, zone: "toy-default", store: format)
        let log = try CommitLog(remote: box.remote, zone: "toy-default", store: format)
        let newest = try await checkpoints.newest(after: 0)
        #expect(newest > 200)
        // The content of an item stays in the commit that set it.
        for sequence in 2..<newest {
            try await box.remote.delete(log.slot(sequence))
        }
        let b = try box.device("b")
        try await b.sync()
        #expect(try await b.all == (try await a.all))
        #expect(try await b.all["n"]?.count == 259)
    }

    @Test func `only a fetch publishes nothing`() async throws {
        let box = try await ToyBox()
        let (a, b) = (try box.device("a"), try box.device("b"))
        try await a.set(["ball": "red"])
        try await a.sync()
        try await b.set(["kite": "blue"])
        var options = ExchangeOptions()
        options.onlyFetches = true
        _ = try await b.zone.exchange(options)
        #expect(try await b.all == ["ball": "red", "kite": "blue"])
        #expect(try await box.commits.count == 1)
        #expect(try await b.zone.pendingKeys().map(\.description) == ["kite"])
    }

    @Test func `SE-08 a send alone receives nothing, and needs the end of the log`() async throws {
        let box = try await ToyBox()
        let (a, b) = (try box.device("a"), try box.device("b"))
        var options = ExchangeOptions()
        options.onlySends = true
        try await a.set(["ball": "red"])
        #expect(try await a.zone.exchange(options).published.map(\.description) == ["ball"])
        try await b.sync()
        try await b.set(["kite": "blue"])
        try await b.sync()
        try await a.set(["ball": "red and white"])
        let found = await #expect(throws: Failure.self) { try await a.zone.exchange(options) }
        #expect(found?.code == .differs)
        #expect(try await a.all == ["ball": "red and white"])
        #expect(try await box.commits.count == 2)
        try await a.sync()
        try await a.set(["ball": "red and white and blue"])
        _ = try await a.zone.exchange(options)
        #expect(try await box.commits.count == 4)
    }

    @Test func `SE-04 an exchange says what begins and ends`() async throws {
        let box = try await ToyBox()
        let a = try box.device("a")
        let phases = Mutex<[ExchangePhase]>([])
        var options = ExchangeOptions()
        options.onPhase = { phase in phases.withLock { $0.append(phase) } }
        _ = try await a.zone.exchange(options)
        #expect(phases.withLock { $0 } == [.fetching, .fetched])
        phases.withLock { $0 = [] }
        try await a.set(["ball": "red"])
        _ = try await a.zone.exchange(options)
        #expect(phases.withLock { $0 } == [.fetching, .fetched, .sending, .sent])
    }

    @Test func `an unreadable item keeps its content here and is reported once`() async throws {
        let box = try await ToyBox()
        let (a, b) = (try box.device("a"), try box.device("b"))
        try await a.set(["ball": "red"])
        try await a.sync()
        try await b.sync()
        let format = try #require(try await StoreFormat.read(from: box.remote))
        let log = try CommitLog(remote: box.remote, zone: "toy-default", store: format)
        let end = try #require(try await box.commits.last?.token)
        let bytes: [UInt8] = [1, 0xFF]
        let change = Change(
            path: try ItemKey("ball").path,
            entry: .file(
                ContentHasher.hash(bytes), size: 2, mode: 0o600, modified: Timestamp(nanoseconds: 9)
            ),
            basedOn: 1)
        let draft = CommitDraft(
            device: Device(id: Array(repeating: 7, count: 16), name: "c"),
            time: Timestamp(nanoseconds: 9),
            changes: [change], inline: [InlineContent(id: ContentHasher.hash(bytes), bytes: bytes)],
            operation: "forged")
        _ = try await log.append(draft, after: end, id: Array(repeating: 8, count: 16))
        let report = try await b.sync()
        #expect(report.problems.map(\.code) == [.corrupt])
        #expect(report.problems.first?.message == "The text cannot be read.")
        #expect(try await b.all == ["ball": "red"])
        #expect(try await b.sync().problems.isEmpty)
    }
}

/// Changes that are published in one commit or not at all.
@Suite("Batches of items")
struct ItemBatchTests {
    private func sizes(_ box: ToyBox) async throws -> [Int] {
        try await box.commits.map(\.changes.count)
    }

    @Test func `a batch is in one commit, where single changes are divided`() async throws {
        let box = try await ToyBox()
        let a = try box.device("a", limits: CommitLimits(rows: 3))
        try await a.set(["a": "1", "b": "1"])
        try await a.set(["c": "1", "d": "1"], batch: 1)
        try await a.set(["e": "1", "f": "1", "g": "1"], batch: 2)
        try await a.sync()
        // Two single ones; the next batch has no room beside them, nor the last beside that.
        #expect(try await sizes(box) == [2, 2, 3])
    }

    @Test func `a batch that exceeds a commit stays here, and is reported by its items`()
        async throws
    {
        let box = try await ToyBox()
        let a = try box.device("a", limits: CommitLimits(rows: 2))
        try await a.set(["a": "1", "b": "1", "c": "1"], batch: 1)
        try await a.set(["z": "1"])
        let report = try await a.sync()
        #expect(report.problems.map(\.code) == [.limit, .limit, .limit])
        #expect(report.published.map(\.description) == ["z"])
        #expect(try await a.zone.pendingKeys().count == 3)
    }

    @Test func `a batch stays whole when another device publishes first`() async throws {
        let box = try await ToyBox()
        let (a, b) = (try box.device("a"), try box.device("b"))
        try await b.set(["a": "long text"])
        try await b.sync()
        try await a.set(["a": "short", "b": "1", "c": "1"], batch: 1)
        try await a.sync()
        #expect(try await a.all == ["a": "long text", "b": "1", "c": "1"])
        #expect(try await box.commits.last?.changes.count == 2)
    }

    @Test func `one refused change takes back its whole batch, and the history keeps it`()
        async throws
    {
        let box = try await ToyBox()
        let (a, b) = (try box.device("a"), try box.device("b"))
        try await a.set(["a": "base", "b": "base"])
        try await a.sync()
        try await b.sync()
        try await b.set(["a": "theirs"])
        try await b.sync()
        try await a.set(["a": "ours", "b": "ours", "c": "ours"], batch: 1, note: "strict")
        try await a.set(["d": "alone"])
        let report = try await a.sync()
        #expect(try await a.all == ["a": "theirs", "b": "base", "d": "alone"])
        #expect(
            Set(report.losers.map { "\($0.key) \($0.reason)" }) == [
                "a strict", "b batch", "c batch",
            ])
        #expect(report.published.map(\.description) == ["d"])
        try await b.sync()
        #expect(try await b.all == ["a": "theirs", "b": "base", "d": "alone"])
        #expect(
            try await box.commits.flatMap {
                $0.superseded.map { ItemKey(path: $0.path)?.description }
            }
            .compactMap { $0 }.sorted() == ["a", "b", "c"])
    }

    @Test func `a change that is published has neither batch nor note`() async throws {
        let box = try await ToyBox()
        let a = try box.device("a")
        try await a.set(["a": "1"], batch: 4, note: "strict")
        #expect(try await a.zone.item("a")?.batch == 4)
        try await a.sync()
        let item = try #require(try await a.zone.item("a"))
        #expect(item.batch == 0 && item.note.isEmpty && !item.isPending)
    }
}

/// The keys of an event in its bytes.
@Suite("Lists of keys")
struct KeyListTests {
    @Test func `they make the round trip`() throws {
        let keys = [ItemKey(unchecked: []), try ItemKey("a"), ItemKey(unchecked: [0, 255, 10])]
        #expect(KeyList.decode(KeyList.encode(keys)) == keys)
        #expect(KeyList.decode(KeyList.encode([])) == [])
    }

    @Test func `damaged bytes are refused`() throws {
        let bytes = KeyList.encode([try ItemKey("abc"), try ItemKey("d")])
        for length in 0..<bytes.count {
            #expect(KeyList.decode(Array(bytes.prefix(length))) == nil)
        }
        #expect(KeyList.decode(bytes + [0]) == nil)
        #expect(KeyList.decode([9, 255, 255, 255, 255]) == nil)
        #expect(KeyList.decode([9, 1, 0, 0, 0, 7, 255, 255, 255, 127]) == nil)
    }
}
