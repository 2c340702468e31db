import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiStore

@Suite("Reading the log from a token on")
struct LogReaderTests {
    let fixture: StoreFixture
    let remote: ScriptedRemote
    let log: CommitLog

    init() throws {
        fixture = try StoreFixture()
        remote = ScriptedRemote(fixture.remote)
        log = try CommitLog(remote: remote, zone: "files", store: fixture.format)
    }

    @discardableResult
    private func append(_ count: Int) async throws -> [Commit] { try await fixture.append(count) }

    private func readAll(_ reader: LogReader) async throws -> [UInt64] {
        var reader = reader
        var found: [UInt64] = []
        while let commit = try await reader.next() { found.append(commit.sequence) }
        #expect(try await reader.next() == nil)
        return found
    }

    @Test(
        "every commit is returned once, with few requests",
        arguments: [(1, 1), (2, 2), (3, 2), (4, 2), (8, 3), (9, 3), (200, 7)])
    func all(_ count: Int, _ requests: Int) async throws {
        let commits = try await append(count)
        let found = try await readAll(LogReader(log, after: log.genesis))
        let wanted: [UInt64] = Array(1...UInt64(count))
        #expect(found == wanted)
        #expect(remote.reads <= requests)
        let half = commits[count / 2].token
        let rest = try await readAll(LogReader(log, after: half))
        #expect(rest.count == count - count / 2 - 1)
        #expect(rest.last == (rest.isEmpty ? nil : wanted.last))
    }

    @Test func `ends where the caller asks`() async throws {
        try await append(20)
        let reader = LogReader(log, after: log.genesis, upTo: 5)
        #expect(try await readAll(reader) == [1, 2, 3, 4, 5])
        #expect(remote.reads == 2)
    }

    @Test(
        "the proof takes one request and reads no more of the last commit than needed",
        arguments: [true, false])
    func proof(_ remoteKnows: Bool) async throws {
        let last = try #require(try await append(4).last)
        remote.answersSame = remoteKnows
        for head in [last.storedHeader, []] {
            remote.reset()
            var reader = LogReader(log, after: last.token, storedHeader: head)
            try await reader.prove()
            #expect(try await reader.next() == nil)
            #expect(remote.reads == 1)
            if remoteKnows { #expect(remote.bytes == 0) }
            if !head.isEmpty { #expect(remote.bytes <= 48) }
        }
    }

    @Test func `requests double up to 64 slots while all are filled`() async throws {
        let first = try #require(try await append(200).first)
        var reader = LogReader(log, after: first.token)
        try await reader.prove()
        while try await reader.next() != nil {}
        #expect(reader.token.sequence == 200)
        // The first one asks for the commit of the token as well.
        #expect(remote.sizes == [1 + 3, 6, 12, 24, 48, 64, 64])
    }

    @Test(
        "a swapped, damaged or rolled-back log is detected by the head as by the whole",
        arguments: [true, false])
    func otherHistory(_ hasHead: Bool) async throws {
        let commits = try await append(3)
        let head = hasHead ? commits[2].storedHeader : []
        var reader = LogReader(log, after: commits[2].token, storedHeader: head)
        let forged = try fixture.coder.encode(
            StoreFixture.draft(writing: "forged", to: "a"), after: commits[1].token,
            id: StoreFixture.commitID(99))
        try await fixture.replace(fixture.slot(3), by: forged)
        #expect(await failure { try await reader.prove() }?.code == .wrongStore)
        var cut = forged
        cut[20] ^= 1
        try await fixture.replace(fixture.slot(3), by: cut)
        #expect(await failure { try await reader.prove() }?.code == .corrupt)
        try await fixture.remote.delete(fixture.slot(3))
        #expect(await failure { try await reader.prove() }?.code == .wrongStore)
    }

    @Test("a missing commit is never skipped", arguments: [2, 3, 4, 5, 9, 10, 21, 22, 23])
    func hole(_ gone: UInt64) async throws {
        try await append(24)
        try await fixture.remote.delete(fixture.slot(gone))
        let failure = await failure {
            try await readAll(LogReader(log, after: log.genesis))
        }
        #expect(failure?.code == .wrongStore)
    }

    @Test(
        "a slot that was written while others were read counts as filled",
        arguments: [[2], [3], [4], [1], [1, 2], [9], [10]] as [[UInt64]])
    func race(_ late: [UInt64]) async throws {
        try await append(12)
        // At the first look these are not there yet, although later ones are.
        remote.hidden = try Dictionary(uniqueKeysWithValues: late.map { (try fixture.slot($0), 1) })
        let found = try await readAll(LogReader(log, after: log.genesis))
        let wanted: [UInt64] = Array(1...12)
        #expect(found == wanted)
    }

    @Test func `reads a commit that is larger than its share of a request`() async throws {
        var random = SeededRandom(seed: 5)
        let bytes = random.bytes(6 << 20)
        let content = InlineContent(id: ContentHasher.hash(bytes), bytes: bytes)
        let change = try StoreFixture.change("a", StoreFixture.file(content))
        let commits = try await fixture.append(
            StoreFixture.draft([change], inline: [content]),
            StoreFixture.draft(writing: "small", to: "b"))
        var reader = LogReader(log, after: log.genesis)
        #expect(try await reader.next()?.inline == [content])
        #expect(try await reader.next()?.token == commits[1].token)
        #expect(try await reader.next() == nil)
        var found: [UInt64: Int] = [:]
        try await log.read([2, 1, 7]) { sequence, result in
            found[sequence] = try result.get()?.inline.first?.bytes.count ?? -1
        }
        #expect(found == [1: 6 << 20, 2: 5, 7: -1])
    }

    @Test func `commits that are read by number cost one listing for all of them`() async throws {
        try await append(5)
        let counting = CountingRemote(fixture.remote)
        let log = try CommitLog(remote: counting, zone: "files", store: fixture.format)
        var found: [UInt64] = []
        try await log.read([1, 2, 4, 5]) { sequence, result in
            if try result.get() != nil { found.append(sequence) }
        }
        #expect(found == [1, 2, 4, 5])
        #expect(counting.counts.lists == 1)
        #expect(counting.counts.requests == 2)
    }

    @Test func `reports for each commit what is wrong with it`() async throws {
        try await append(3)
        try await fixture.replace(fixture.slot(2), by: [1, 2, 3])
        var codes: [UInt64: Failure.Code] = [:]
        try await log.read([1, 2, 3]) { sequence, result in
            if case .failure(let failure) = result { codes[sequence] = failure.code }
        }
        #expect(codes == [2: .corrupt])
    }

    @Test("replies that do not match the requests are refused")
    func strange() async throws {
        try await append(3)
        remote.isStrange = true
        #expect(
            await failure { try await readAll(LogReader(log, after: log.genesis)) }?.code == .io)
    }
}

/// A remote with a way to ask for several objects, as the own server has one.
final class ScriptedRemote: Remote {
    private struct State {
        var sizes: [Int] = []
        var bytes = 0
        var hidden: [ObjectKey: Int] = [:]
        var answersSame = false
        var isStrange = false
    }

    private let base: MemoryRemote
    private let state = Mutex(State())

    init(_ base: MemoryRemote) { self.base = base }

    var address: String { "scripted" }
    var reads: Int { sizes.count }
    /// The number of objects in each request.
    var sizes: [Int] { state.withLock { $0.sizes } }
    var bytes: Int { state.withLock { $0.bytes } }
    /// How often a key is not there yet.
    var hidden: [ObjectKey: Int] {
        get { state.withLock { $0.hidden } }
        set { state.withLock { $0.hidden = newValue } }
    }
    /// Whether it compares an object with what the caller knows.
    var answersSame: Bool {
        get { state.withLock { $0.answersSame } }
        set { state.withLock { $0.answersSame = newValue } }
    }
    /// Whether a reply is missing.
    var isStrange: Bool {
        get { state.withLock { $0.isStrange } }
        set { state.withLock { $0.isStrange = newValue } }
    }

    func reset() {
        state.withLock { state in
            state.sizes = []
            state.bytes = 0
        }
    }

    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        state.withLock { $0.sizes.append(requests.count) }
        var replies: [ObjectReply] = []
        for request in requests { replies.append(try await reply(request)) }
        return isStrange ? Array(replies.dropLast()) : replies
    }

    private func reply(_ request: ObjectRequest) async throws -> ObjectReply {
        let isHidden = state.withLock { state in
            guard let left = state.hidden[request.key], left > 0 else { return false }
            state.hidden[request.key] = left - 1
            return true
        }
        guard !isHidden, let whole = try await base.get(request.key, range: nil) else {
            return .absent
        }
        if answersSame, let known = request.known, ContentHasher.hash(whole).bytes == known {
            return .same
        }
        let bytes = try await base.get(request.key, range: request.range) ?? []
        state.withLock { $0.bytes += bytes.count }
        return .bytes(bytes)
    }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await base.get(key, range: range)
    }
    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await base.publish(bytes, to: slot)
    }
    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await base.put(bytes, to: key)
    }
    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await base.list(prefix: prefix, after: after, limit: limit)
    }
    func delete(_ key: ObjectKey) async throws { try await base.delete(key) }
    func wait(prefix: String, timeout: Duration) async throws {}
}
