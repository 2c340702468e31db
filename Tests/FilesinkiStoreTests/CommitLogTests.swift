import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

@Suite("The log of a zone")
struct CommitLogTests {
    @Test("the log is read commit by commit, each naming the previous one")
    func chain() async throws {
        let fixture = try StoreFixture()
        let written = try await fixture.append(
            StoreFixture.draft(writing: "one", to: "a"),
            StoreFixture.draft(writing: "two", to: "b"))
        var token = fixture.log.genesis
        var read: [Commit] = []
        while let commit = try await fixture.log.next(after: token) {
            #expect(commit.parent == token.hash)
            token = commit.token
            read.append(commit)
        }
        #expect(read.map(\.token) == written.map(\.token))
        #expect(read.map { $0.changes[0].path.description } == ["a", "b"])
        #expect(read.map(\.sequence) == [1, 2])
    }

    @Test("an empty log has nothing to read, and begins with the store's id")
    func empty() async throws {
        let fixture = try StoreFixture()
        #expect(try await fixture.log.next(after: fixture.log.genesis) == nil)
        #expect(try await fixture.log.read(0) == nil)
        #expect(fixture.log.genesis.hash.bytes == StoreFixture.id + Array(repeating: 0, count: 16))
        try await fixture.log.verify(fixture.log.genesis)
    }

    @Test("an invalid zone name is refused", arguments: ["", "A", "a/b", "..", "a b"])
    func zones(name: String) throws {
        let fixture = try StoreFixture()
        let failure = #expect(throws: Failure.self) {
            try CommitLog(remote: fixture.remote, zone: name, store: fixture.format)
        }
        #expect(failure?.code == .usage)
    }

    @Test(
        "a commit is missing only if an earlier one is there and no later one",
        arguments: [
            (0, [], false), (0, [1, 2, 3, 4, 5], false), (1, [1, 2, 3, 4, 5], false),
            (5, [1, 2, 3, 4, 5], false), (5, [1, 2, 3, 4], true), (5, [4], true), (5, [1], true),
            (6, [1, 2, 3, 4, 5], true),
            // Nothing is left, or only later ones: they were pruned, or their loss was accepted.
            (5, [], false), (2, [4, 5], false), (1, [], false), (3, [1, 4, 5], false),
            (3, [1, 2, 4], false),
        ] as [(UInt64, [UInt64], Bool)])
    func missing(sequence: UInt64, present: [UInt64], isMissing: Bool) async throws {
        let fixture = try StoreFixture()
        for number in present { try await fixture.remote.put([1], to: fixture.slot(number)) }
        #expect(try await fixture.log.isMissing(sequence) == isMissing)
    }

    @Test("a request for several slots asks for at most 16 MiB", arguments: [1, 2, 3, 64])
    func requestLength(slots: Int) throws {
        let requests = try StoreFixture().log.slots(after: 7, count: slots)
        #expect(requests.map(\.sequence) == (8...(7 + UInt64(slots))).map { $0 })
        let lengths = requests.compactMap { $0.request.range?.count }
        #expect(lengths == Array(repeating: (16 << 20) / slots, count: slots))
    }

    @Test("a writer that loses gets the commit that won")
    func race() async throws {
        let fixture = try StoreFixture()
        let mine = try StoreFixture.draft(writing: "mine", to: "a")
        let theirs = try StoreFixture.draft(writing: "theirs", to: "a")
        let genesis = fixture.log.genesis
        _ = try await fixture.log.append(theirs, after: genesis, id: StoreFixture.commitID(8))
        let outcome = try await fixture.log.append(
            mine, after: genesis, id: StoreFixture.commitID(9))
        guard case .theirs(let winner) = outcome else {
            Issue.record("The second writer took the slot.")
            return
        }
        #expect(winner.id == StoreFixture.commitID(8))
        #expect(winner.changes == theirs.changes)
        #expect(winner.parent == genesis.hash)
    }

    @Test("of many concurrent writers one wins, and all get the same result")
    func manyWriters() async throws {
        let fixture = try StoreFixture()
        let log = fixture.log
        let outcomes = try await withThrowingTaskGroup(of: (Bool, [UInt8]).self) { group in
            for writer in UInt8(1)...16 {
                group.addTask {
                    let draft = try StoreFixture.draft(writing: "\(writer)", to: "a")
                    let id = StoreFixture.commitID(writer)
                    switch try await log.append(draft, after: log.genesis, id: id) {
                    case .mine(let commit): return (true, commit.id)
                    case .theirs(let commit): return (false, commit.id)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0.0 } == 1)
        #expect(Set(outcomes.map(\.1)).count == 1)
    }

    @Test("a commit that is appended again is recognised as its own")
    func again() async throws {
        let fixture = try StoreFixture()
        let draft = try StoreFixture.draft(writing: "one", to: "a")
        let first = try await fixture.append(draft)
        let outcome = try await fixture.log.append(
            draft, after: fixture.log.genesis, id: StoreFixture.commitID(1))
        guard case .mine(let commit) = outcome else {
            Issue.record("The writer's own commit was taken for another's.")
            return
        }
        #expect(commit.token == first[0].token)
        #expect(try await fixture.log.read(2) == nil)
    }

    @Test("an own commit is found after a lost reply")
    func lostAnswer() async throws {
        let fixture = try StoreFixture()
        let lossy = LossyRemote(base: fixture.remote, arrives: true)
        let log = try CommitLog(remote: lossy, zone: "files", store: fixture.format)
        let draft = try StoreFixture.draft(writing: "one", to: "a")
        let outcome = try await log.append(
            draft, after: log.genesis, id: StoreFixture.commitID(1))
        guard case .mine = outcome else {
            Issue.record("The commit arrived and was not recognised.")
            return
        }
    }

    @Test("another's commit is found after a lost reply")
    func lostRace() async throws {
        let fixture = try StoreFixture()
        try await fixture.append(StoreFixture.draft(writing: "theirs", to: "a"))
        let lossy = LossyRemote(base: fixture.remote, arrives: true)
        let log = try CommitLog(remote: lossy, zone: "files", store: fixture.format)
        let outcome = try await log.append(
            StoreFixture.draft(writing: "mine", to: "a"), after: log.genesis,
            id: StoreFixture.commitID(9))
        guard case .theirs(let commit) = outcome else {
            Issue.record("Another's commit was taken for the writer's own.")
            return
        }
        #expect(commit.id == StoreFixture.commitID(1))
    }

    @Test("the outcome is unknown when the slot is empty after a lost reply")
    func lostRequest() async throws {
        let fixture = try StoreFixture()
        let lossy = LossyRemote(base: fixture.remote, arrives: false)
        let log = try CommitLog(remote: lossy, zone: "files", store: fixture.format)
        let failure = await failure {
            try await log.append(
                StoreFixture.draft(writing: "one", to: "a"), after: log.genesis,
                id: StoreFixture.commitID(1))
        }
        #expect(failure?.code == .away)
    }
}

/// Loses the answer of every publication.
struct LossyRemote: RemoteWrapper {
    let base: MemoryRemote
    /// Whether the request arrives.
    let arrives: Bool
    var wrapped: any Remote { base }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        if arrives { _ = try await base.publish(bytes, to: slot) }
        throw Failure(.away, path: slot.description, "The answer was lost.", remedy: "Try again.")
    }
}
