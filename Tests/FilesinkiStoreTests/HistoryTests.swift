import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// A store that is not the one it was: noticed, and never read as "everything was deleted".
@Suite("Logs whose history was changed")
struct HistoryTests {
    private func store(commits: Int) async throws -> (StoreFixture, [Commit]) {
        let fixture = try StoreFixture()
        var written: [Commit] = []
        var token = fixture.log.genesis
        for index in 1...commits {
            let outcome = try await fixture.log.append(
                StoreFixture.draft(writing: "\(index)", to: "a"), after: token,
                id: StoreFixture.commitID(UInt8(index)))
            guard case .mine(let commit) = outcome else { throw StoreFixture.Lost() }
            token = commit.token
            written.append(commit)
        }
        return (fixture, written)
    }

    private func checkpoint(_ token: ChangeToken) -> Checkpoint {
        Checkpoint(token: token, entries: [], packs: [], inline: [])
    }

    @Test("an unchanged log is accepted")
    func unchanged() async throws {
        let (fixture, commits) = try await store(commits: 3)
        for commit in commits { try await fixture.log.verify(commit.token) }
    }

    @Test("another commit in an old slot is refused")
    func swapped() async throws {
        let (fixture, commits) = try await store(commits: 3)
        let (other, _) = try await store(commits: 1)
        let forged = try other.coder.encode(
            StoreFixture.draft(writing: "forged", to: "a"), after: commits[0].token,
            id: StoreFixture.commitID(77))
        try await fixture.replace(fixture.slot(2), by: forged)
        // A reader of the old commit detects it by the hash, another one by the next commit's parent.
        #expect(
            await failure { try await fixture.log.verify(commits[1].token) }?.code == .wrongStore)
        let read = try #require(try await fixture.log.next(after: commits[0].token))
        #expect(
            await failure { try await fixture.log.next(after: read.token) }?.code == .wrongStore)
    }

    @Test("a rollback is refused")
    func rolledBack() async throws {
        let (fixture, commits) = try await store(commits: 3)
        try await fixture.remote.delete(fixture.slot(3))
        #expect(
            await failure { try await fixture.log.verify(commits[2].token) }?.code == .wrongStore)
        try await fixture.log.verify(commits[1].token)
    }

    @Test("pruning reports an expired token")
    func pruned() async throws {
        let (fixture, commits) = try await store(commits: 3)
        try await fixture.shelf.save(checkpoint(commits[2].token))
        try await fixture.remote.delete(fixture.slot(1))
        try await fixture.remote.delete(fixture.slot(2))
        for token in [commits[0].token, commits[1].token] {
            #expect(await failure { try await fixture.log.verify(token) }?.code == .tokenExpired)
        }
        let failure = await failure { try await fixture.log.next(after: fixture.log.genesis) }
        #expect(failure?.code == .tokenExpired)
        try await fixture.log.verify(commits[2].token)
    }

    @Test("pruning everything reports an expired token, not an empty store")
    func prunedAll() async throws {
        let (fixture, commits) = try await store(commits: 1)
        try await fixture.shelf.save(checkpoint(commits[0].token))
        try await fixture.remote.delete(fixture.slot(1))
        let failure = await failure { try await fixture.log.next(after: fixture.log.genesis) }
        #expect(failure?.code == .tokenExpired)
    }

    @Test("the loss of its first commit is refused and not taken for an empty log")
    func firstMissing() async throws {
        let (fixture, _) = try await store(commits: 2)
        try await fixture.remote.delete(fixture.slot(1))
        let failure = await failure { try await fixture.log.next(after: fixture.log.genesis) }
        #expect(failure?.code == .wrongStore)
        let found = try await fixture.log.missingBeginning()
        #expect(found != nil && found?.description == failure?.description)
    }

    @Test("a log that a new device can read lacks no beginning")
    func beginning() async throws {
        #expect(try await StoreFixture().log.missingBeginning() == nil)
        let (fixture, commits) = try await store(commits: 2)
        #expect(try await fixture.log.missingBeginning() == nil)
        try await fixture.shelf.save(checkpoint(commits[0].token))
        try await fixture.remote.delete(fixture.slot(1))
        #expect(try await fixture.log.missingBeginning() == nil)
    }

    @Test("the loss of a commit in the middle is refused")
    func middleMissing() async throws {
        let (fixture, commits) = try await store(commits: 3)
        try await fixture.remote.delete(fixture.slot(2))
        let failure = await failure { try await fixture.log.next(after: commits[0].token) }
        #expect(failure?.code == .wrongStore)
    }

    @Test("damage is reported as damage, not as another store")
    func damaged() async throws {
        let (fixture, commits) = try await store(commits: 1)
        var stored = try #require(try await fixture.remote.get(fixture.slot(1), range: nil))
        stored[20] ^= 1
        try await fixture.replace(fixture.slot(1), by: stored)
        #expect(await failure { try await fixture.log.verify(commits[0].token) }?.code == .corrupt)
        let next = await failure { try await fixture.log.next(after: fixture.log.genesis) }
        #expect(next?.code == .corrupt)
    }

    @Test("another store in its place is refused, also before the first commit was seen")
    func otherStore() async throws {
        let (fixture, _) = try await store(commits: 1)
        let other = StoreFormat(
            formatVersion: 1, id: Array(repeating: 9, count: 16), epoch: 0, slots: "")
        let log = try CommitLog(remote: fixture.remote, zone: "files", store: other)
        #expect(await failure { try await log.verify(fixture.log.genesis) }?.code == .wrongStore)
        #expect(await failure { try await log.next(after: log.genesis) }?.code == .wrongStore)
    }

    @Test("a commit of another zone is refused")
    func otherZone() async throws {
        let (fixture, _) = try await store(commits: 1)
        let stored = try #require(try await fixture.remote.get(fixture.slot(1), range: nil))
        let slot = try ObjectKey("zones/settings/log/\(StoreLayout.name(1))/c")
        _ = try await fixture.remote.publish(stored, to: slot)
        let log = try CommitLog(remote: fixture.remote, zone: "settings", store: fixture.format)
        #expect(await failure { try await log.next(after: log.genesis) }?.code == .wrongStore)
    }
}
