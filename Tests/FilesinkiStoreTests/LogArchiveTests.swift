import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiStore

@Suite("Archives of the log")
struct LogArchiveTests {
    let fixture: StoreFixture
    let log: CommitLog

    init() throws {
        fixture = try StoreFixture()
        log = fixture.log
    }

    /// Small archives: 3 slots are kept, and at least 4 commits are archived.
    private static let extent = ArchiveExtent(keptSlots: 3, minimum: 4, length: 1000)

    private func archiver(_ extent: ArchiveExtent = Self.extent, id: UInt8 = 1) -> LogArchiver {
        LogArchiver(log, extent) { [UInt8](repeating: id, count: 16) }
    }

    @discardableResult
    private func append(_ count: Int, after start: ChangeToken? = nil) async throws -> [Commit] {
        try await fixture.append(count, after: start)
    }

    private func tokens(_ reader: LogReader) async throws -> [ChangeToken] {
        var reader = reader
        var found: [ChangeToken] = []
        while let commit = try await reader.next() { found.append(commit.token) }
        #expect(try await reader.next() == nil)
        return found
    }

    private static func header(of token: ChangeToken, _ commits: [Commit]) -> [UInt8] {
        commits.first { $0.token == token }?.storedHeader ?? []
    }

    private func slots() async throws -> [UInt64] {
        try await fixture.remote.list(prefix: "zones/files/log/", after: nil, limit: 1000)
            .compactMap { StoreLayout.sequence(of: $0.key, below: "zones/files/log/") }
    }

    private func archiveKeys() async throws -> [ObjectKey] {
        try await fixture.remote.list(prefix: "zones/files/archives/", after: nil, limit: 1000)
            .map(\.key)
    }

    // MARK: Archiving

    @Test(
        "what is archived leaves its slots; the newest commits and small rests stay",
        arguments: [(0, 0), (6, 0), (7, 4), (8, 5), (30, 27)])
    func extents(_ count: Int, _ archived: Int) async throws {
        try await append(count)
        let extent = ArchiveExtent(keptSlots: 3, minimum: 4, length: 1 << 20)
        #expect(try await archiver(extent).plannedCount() == archived)
        #expect(try await archiver(extent).archive() == archived)
        #expect(try await archiver(extent).archive() == 0)
        #expect(try await slots() == Array(UInt64(archived + 1)..<UInt64(count + 1)))
        #expect(try await archiveKeys().count == (archived > 0 ? 1 : 0))
    }

    @Test func `full archives follow each other, and are never written again`() async throws {
        let first = try await append(40)
        #expect(try await archiver().archive() > 30)
        let keys = try await archiveKeys()
        #expect(keys.count > 2)
        try await append(20, after: first[39].token)
        #expect(try await archiver().archive() > 10)
        #expect(try await Array(archiveKeys().prefix(keys.count)) == keys)
        let archives = try await archiveKeys().asyncMap { try await log.archives.read($0) }
        for (one, next) in zip(archives, archives.dropFirst()) {
            #expect(next.first == one.last + 1)
            #expect(next.parent == one.end.hash)
        }
    }

    @Test func `a commit that is longer than an archive has one of its own`() async throws {
        try await append(9)
        let extent = ArchiveExtent(keptSlots: 1, minimum: 1, length: 1)
        #expect(try await archiver(extent).archive() == 8)
        #expect(try await archiveKeys().count == 8)
        #expect(try await tokens(LogReader(log, after: log.genesis)).count == 9)
    }

    @Test("a run that was stopped is continued", arguments: 0..<14)
    func stopped(_ change: Int) async throws {
        let commits = try await append(12)
        let remote = StoppingRemote(fixture.remote, after: change)
        let stopping = LogArchiver(
            try CommitLog(remote: remote, zone: "files", store: fixture.format), Self.extent
        ) { [UInt8](repeating: 9, count: 16) }
        _ = try? await stopping.archive()
        for token in [log.genesis] + commits.map(\.token) {
            let rest = try await tokens(LogReader(log, after: token))
            #expect(rest == commits.map(\.token).filter { $0.sequence > token.sequence })
            var proven = LogReader(log, after: token)
            try await proven.prove()
            #expect(try await tokens(proven) == rest)
        }
        _ = try await archiver().archive()
        let last = try await log.archives.lastArchived()
        #expect(try await slots() == Array((last + 1)...12))
    }

    // MARK: Reading

    @Test("every reader finds the same commits as before", arguments: [0, 1, 2])
    func readers(_ leftSlots: UInt64) async throws {
        let commits = try await append(40)
        let all = commits.map(\.token)
        var kept: [ObjectKey: [UInt8]] = [:]
        for sequence in 1...UInt64(40) {
            kept[try fixture.slot(sequence)] = try await fixture.remote.get(
                fixture.slot(sequence), range: nil)
        }
        _ = try await archiver().archive()
        if leftSlots > 0 {
            // All slots, or those from the middle on, are not removed yet.
            let first = try fixture.slot(leftSlots == 1 ? 1 : 18)
            for (key, bytes) in kept where key >= first {
                _ = try await fixture.remote.publish(bytes, to: key)
            }
        }
        for token in [log.genesis] + all {
            let rest = Array(all.dropFirst(Int(token.sequence)))
            #expect(try await tokens(LogReader(log, after: token)) == rest)
            for header in [[], Self.header(of: token, commits)] {
                var reader = LogReader(log, after: token, storedHeader: header)
                try await reader.prove()
                #expect(try await tokens(reader) == rest)
            }
            #expect(try await log.hasCommit(after: token.sequence) == !rest.isEmpty)
            #expect(try await !log.isMissing(token.sequence))
            #expect(try await log.read(token.sequence)?.token == (token.sequence > 0 ? token : nil))
        }
        for numbers in [Array(1...41), [40, 1, 39, 2, 38, 50], [41, 42], []] as [[UInt64]] {
            var found: [UInt64: ChangeToken?] = [:]
            try await log.read(numbers) { found[$0] = try $1.get()?.token }
            for number in numbers {
                #expect((found[number] ?? nil) == (number <= 40 ? all[Int(number) - 1] : nil))
            }
        }
        #expect(try await log.isWhole())
    }

    @Test func `what a commit holds is the same in an archive`() async throws {
        let commits = try await append(12)
        _ = try await archiver().archive()
        var reader = LogReader(log, after: log.genesis)
        for commit in commits.prefix(4) {
            let read = try #require(try await reader.next())
            #expect(read.token == commit.token)
            #expect(read.id == commit.id)
            #expect(read.parent == commit.parent)
            #expect(read.changes == commit.changes)
            #expect(read.inline == commit.inline)
            #expect(read.device == commit.device)
            #expect(read.time == commit.time)
            #expect(read.basedOnTokens == commit.basedOnTokens)
            #expect(read.operation == commit.operation)
        }
    }

    @Test func `a reader that began before goes on in the archive`() async throws {
        let commits = try await append(40)
        for position in [0, 1, 2, 3, 5, 20, 36] {
            let fixture = try StoreFixture()
            let copy = try await LogArchiveTests(fixture, copyOf: self.fixture.remote)
            var reader = LogReader(copy.log, after: copy.log.genesis)
            for index in 0..<position {
                #expect(try await reader.next()?.token == commits[index].token)
            }
            _ = try await copy.archiver().archive()
            #expect(try await tokens(reader) == commits.dropFirst(position).map(\.token))
        }
    }

    private init(_ fixture: StoreFixture, copyOf remote: MemoryRemote) async throws {
        self.fixture = fixture
        log = fixture.log
        for object in try await remote.list(prefix: "", after: nil, limit: 1000) {
            try await fixture.remote.put(
                try await remote.get(object.key, range: nil) ?? [], to: object.key)
        }
    }

    // MARK: A device that did not notice

    /// Publishes as a device does that has read up to `token`, and has not noticed the archive.
    private func publishLate(_ token: ChangeToken, id: UInt8) async throws -> AppendOutcome {
        try await log.append(
            StoreFixture.draft(writing: "late", to: "b"), after: token,
            id: StoreFixture.commitID(id))
    }

    @Test func `a device that fills the slot of an archived commit has lost`() async throws {
        let commits = try await append(12)
        _ = try await archiver().archive()
        let before = try await slots()
        guard case .theirs(let winner) = try await publishLate(commits[2].token, id: 200) else {
            Issue.record("The commit counts as published.")
            return
        }
        #expect(winner.token == commits[3].token)
        #expect(try await slots() == before)
        // With the id of the commit that was published then, it is known again.
        guard case .mine(let own) = try await publishLate(commits[2].token, id: 4) else {
            Issue.record("The commit is not known again.")
            return
        }
        #expect(own.token == commits[3].token)
        #expect(try await tokens(LogReader(log, after: log.genesis)) == commits.map(\.token))
    }

    @Test("what a stopped device left in such a slot is ignored", arguments: 1...8)
    func leftSlot(_ sequence: UInt64) async throws {
        let commits = try await append(12)
        let parent = sequence == 1 ? log.genesis : commits[Int(sequence) - 2].token
        let left = try fixture.coder.encode(
            StoreFixture.draft(writing: "late", to: "b"), after: parent,
            id: StoreFixture.commitID(200))
        _ = try await archiver().archive()
        _ = try await fixture.remote.publish(left, to: fixture.slot(sequence))
        let all = commits.map(\.token)
        for token in [log.genesis] + all {
            let rest = Array(all.dropFirst(Int(token.sequence)))
            #expect(try await tokens(LogReader(log, after: token)) == rest)
            var reader = LogReader(log, after: token)
            try await reader.prove()
            #expect(try await tokens(reader) == rest)
            #expect(try await log.read(token.sequence)?.token == (token.sequence > 0 ? token : nil))
        }
        _ = try await archiver().archive()
        let last = try await log.archives.lastArchived()
        #expect(try await slots() == Array((last + 1)...12))
    }

    @Test func `two archivers at once leave the same log`() async throws {
        let commits = try await append(60)
        async let one = archiver(id: 1).archive()
        async let two = archiver(id: 2).archive()
        _ = try await (one, two)
        #expect(try await tokens(LogReader(log, after: log.genesis)) == commits.map(\.token))
        let last = try await log.archives.lastArchived()
        #expect(try await slots() == Array((last + 1)...60))
    }

    // MARK: Damage

    @Test("a log that lost its end behind an archive is noticed")
    func lostEnd() async throws {
        try await append(12)
        _ = try await archiver().archive()
        for sequence in try await slots() {
            try await fixture.remote.delete(fixture.slot(sequence))
        }
        #expect(try await log.isMissing(12))
        #expect(try await !log.isMissing(3))
    }

    @Test("a damaged archive is a failure, never other commits")
    func damage() async throws {
        try await append(12)
        _ = try await archiver().archive()
        let key = try #require(try await archiveKeys().first)
        let stored = try #require(try await fixture.remote.get(key, range: nil))
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            var bytes = stored
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1
            try await fixture.replace(key, by: bytes)
            let code = await failure { try await tokens(LogReader(log, after: log.genesis)) }?.code
            #expect(code == .corrupt || code == .newerFormat)
        }
        try await fixture.remote.delete(key)
        let code = await failure { try await tokens(LogReader(log, after: log.genesis)) }?.code
        #expect(code != nil)
    }

    @Test func `a check finds an archive that is not of the log`() async throws {
        let commits = try await append(12)
        let known = Dictionary(
            uniqueKeysWithValues: commits.map { ($0.sequence, $0.token.hash) })
        _ = try await archiver().archive()
        for key in try await archiveKeys() { try await log.verify(archive: key, known) }
        let sound = try await log.archives.read(try #require(try await archiveKeys().first))
        let end = Int(sound.last - sound.first)
        // Another hash in the middle breaks the chain, and one at the end differs from the log's.
        for (wrong, checked) in [(1, [:]), (end, known)] {
            var other = LogArchive(after: log.genesis)
            for index in 0...end {
                let hash = index == wrong ? ContentID.none : sound.hashes[index]
                other.append(CommitRecord(archived: sound.commits[index], hash: hash))
            }
            let id = [UInt8](repeating: UInt8(wrong), count: 16)
            try await log.archives.put(other, id: id)
            let key = try StoreLayout.archive("zones/files/archives/", last: other.last, id: id)
            let code = await failure { try await log.verify(archive: key, checked) }?.code
            #expect(code == .corrupt)
        }
    }

    @Test("an archive that does not fit its place is refused")
    func inconsistent() throws {
        let key = "zones/files/archives/\(StoreLayout.name(2))/00"
        func open(_ archive: StoredArchive, last: UInt64 = 2) -> Failure.Code? {
            do throws(Failure) {
                _ = try LogArchive(
                    Envelope.seal(serialized(archive), as: .archive), last: last,
                    store: StoreFixture.id, zone: "files", key: key)
                return nil
            } catch { return error.code }
        }
        var sound = StoredArchive()
        sound.store = field(StoreFixture.id)
        sound.zone = "files"
        sound.first = 1
        sound.parent = field([UInt8](repeating: 1, count: 32))
        sound.hashes = field([UInt8](repeating: 2, count: 64))
        sound.commits = [field([1]), field([2])]
        #expect(open(sound) == nil)
        #expect(open(sound, last: 3) == .corrupt)
        var wrong: [(inout StoredArchive) -> Void] = []
        wrong.append { $0.first = 0 }
        wrong.append { $0.first = 2 }
        wrong.append { $0.first = .max }
        wrong.append { $0.parent = field([1]) }
        wrong.append { $0.hashes = field([UInt8](repeating: 2, count: 63)) }
        wrong.append { $0.hashes = field([UInt8](repeating: 2, count: 32)) }
        wrong.append { $0.commits = [] }
        for change in wrong {
            var archive = sound
            change(&archive)
            #expect(open(archive) == .corrupt)
        }
        for change in [{ $0.zone = "other" }, { $0.store = field([1]) }]
            as [(inout StoredArchive) -> Void]
        {
            var archive = sound
            change(&archive)
            #expect(open(archive) == .wrongStore)
        }
    }
}

/// Cannot be reached after so many changes.
private final class StoppingRemote: RemoteWrapper {
    let wrapped: any Remote
    private let left: Mutex<Int>

    init(_ wrapped: any Remote, after changes: Int) {
        self.wrapped = wrapped
        left = Mutex(changes)
    }

    private func count() throws {
        let isLeft = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isLeft else { throw Failure(.away, "The test stops here.", remedy: "") }
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try count()
        try await wrapped.put(bytes, to: key)
    }

    func delete(_ key: ObjectKey) async throws {
        try count()
        try await wrapped.delete(key)
    }
}

extension Array {
    fileprivate func asyncMap<Result>(
        _ transform: (Element) async throws -> Result
    ) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
