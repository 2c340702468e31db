import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// Mutated objects of a store are refused, or say only what an object of this program can say.
@Suite("Objects of a hostile store and mutated input")
struct FuzzTests {
    private static let refusals: [Failure.Code] = [.corrupt, .wrongStore, .newerFormat]
    private let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    /// Whether `body` reads its input.
    private func isRead(_ body: () throws(Failure) -> Void) -> Bool {
        do throws(Failure) {
            try body()
            return true
        } catch {
            #expect(Self.refusals.contains(error.code), "\(error)")
            return false
        }
    }

    /// Before commit 5.
    private static let parent = ChangeToken(sequence: 4, hash: ContentHasher.hash([1]))

    /// Commits by chance, before compression.
    private func commits(_ count: UInt64) throws -> [[UInt8]] {
        try (0..<count).map { seed in
            var drafts = RandomDraft(seed: seed)
            let stored = try fixture.coder.encode(
                drafts.draft(), after: Self.parent, id: StoreFixture.commitID(1))
            return try Envelope.open(stored, as: .commit, key: "k")
        }
        .filter { $0.count < 8_000 }
    }

    /// Commits with one value each that only the reader keeps out, and that a mutation seldom makes.
    private func hostileCommits() throws -> [[UInt8]] {
        let paths = PathColumn.encode(["a", "../x", "c"].map { Array($0.utf8) })
        let forgeries: [(inout StoredCommit) -> Void] = [
            { $0.changes.paths = paths }, { $0.changes.modes[1] = 0o4755 },
            { ($0.movedRows, $0.movedFrom) = ([1], PathColumn.encode([Array("/x".utf8)])) },
        ]
        return try (forgeries + HostileCommitTests.rowForgeries.map(\.1)).map {
            try HostileCommitTests.forged(fixture, after: Self.parent, $0)
        }
    }

    @Test func `a commit that is read has valid rows, and is written as the same commit`() throws {
        let counts = try Fuzz(try commits(30) + hostileCommits()).run { bytes in
            let stored = try Envelope.seal(bytes, as: .commit)
            return isRead { () throws(Failure) in
                let commit = try fixture.coder.decode(stored, sequence: 5, key: "k")
                expectValid(commit.changes)
                expectValid(commit.superseded)
                guard commit.refused.isEmpty else { return }
                _ = try fixture.coder.encodeVerified(
                    draft(of: commit), after: ChangeToken(sequence: 4, hash: commit.parent),
                    id: commit.id, key: "k")
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }

    private func draft(of commit: Commit) -> CommitDraft {
        var draft = CommitDraft(
            device: commit.device, time: commit.time, changes: commit.changes,
            superseded: commit.superseded, operation: commit.operation)
        draft.basedOnTokens = commit.basedOnTokens
        (draft.packs, draft.inline, draft.pruning) = (commit.packs, commit.inline, commit.pruning)
        return draft
    }

    private func expectValid(_ changes: [Change]) {
        for change in changes {
            expectValid(change.path, change.entry)
            #expect(change.basedOn < 5 && change.mergedWith ?? 0 < 5)
            if let origin = change.movedFrom { expectValid(origin, change.entry) }
        }
    }

    private func expectValid(_ path: RelativePath, _ entry: Entry) {
        #expect((try? RelativePath(path.bytes)) == path)
        let target = entry.target
        let isLink = entry.kind == .symlink
        #expect(isLink ? (1...4095).contains(target.count) && !target.contains(0) : target.isEmpty)
        #expect(entry.mode <= 0o777 && entry.size >= 0)
    }

    @Test func `an archive that is read is what its record says, and is written so`() throws {
        var sound = StoredArchive()
        sound.store = field(StoreFixture.id)
        (sound.zone, sound.first) = ("files", 5)
        sound.parent = field(Self.parent.hash.bytes)
        sound.hashes = field(Array(1...96))
        sound.commits = [[1, 2, 3], [4], []].map { field($0) }
        var later = sound
        later.first = 6
        let counts = try Fuzz([serialized(sound), serialized(later)]).run { bytes in
            let stored = try Envelope.seal(bytes, as: .archive)
            return isRead { () throws(Failure) in
                let read = try LogArchive(
                    stored, last: 7, store: StoreFixture.id, zone: "files", key: "k")
                let again = try Envelope.open(
                    read.encoded(store: StoreFixture.id, zone: "files"), as: .archive, key: "k")
                let (record, written): (StoredArchive, StoredArchive) = try (
                    parsed(bytes, key: "k"), parsed(again, key: "k")
                )
                #expect(read.first == record.first && read.last == 7)
                #expect(read.commits == record.commits.map(array))
                #expect(written == record)
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }

    /// A checkpoint, and such with one value each that only the reader keeps out.
    private func checkpoints(_ coder: CheckpointCoder) throws -> [[UInt8]] {
        let plain = try Envelope.open(
            coder.encode(CheckpointTests.checkpoint(5)), as: .checkpoint, key: "k")
        let paths = [["b", "a", "b/c"], ["a", "b", "b"], ["a", "../x", "b/c"]].map { paths in
            PathColumn.encode(paths.map { Array($0.utf8) })
        }
        let forgeries: [(inout StoredCheckpoint) -> Void] = [
            { _ in }, { $0.entries.paths = paths[0] }, { $0.entries.paths = paths[1] },
            { $0.entries.paths = paths[2] }, { $0.entries.versions[1] = 0 },
            { $0.entries.versions[1] = 6 }, { $0.entries.versions[1] = .max },
            { $0.entries.modes[0] = 0o4755 }, { $0.entries.sizes[0] = .max },
            {
                // A symlink to NUL.
                $0.entries.kinds = field([0x11, 0x23, 0x04])
                $0.entries.targets = [field([0x61, 0])]
            },
        ]
        return try forgeries.map { forge in
            var message: StoredCheckpoint = try parsed(plain, key: "k")
            forge(&message)
            return try serialized(message)
        }
    }

    @Test func `a checkpoint that is read has valid rows in order`() throws {
        let coder = CheckpointCoder(store: StoreFixture.id, zone: "files")
        let counts = try Fuzz(checkpoints(coder)).run { bytes in
            let stored = try Envelope.seal(bytes, as: .checkpoint)
            return isRead { () throws(Failure) in
                var decoder = try coder.open(stored, sequence: 5, key: "k")
                var paths: [RelativePath] = []
                while let rows = decoder.next(atMost: 2) {
                    for row in rows.entries {
                        expectValid(row.path, row.entry.entry)
                        #expect((1...5).contains(row.entry.version))
                        paths.append(row.path)
                    }
                }
                #expect(paths == Set(paths).sorted())
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }

    @Test func `a mutated envelope is refused`() throws {
        let plain = [UInt8](repeating: 7, count: 3_000) + StoreFixture.id
        let sealed = try Envelope.seal(plain, as: .commit)
        let counts = Fuzz([sealed]).run { bytes in
            isRead { () throws(Failure) in
                #expect(try Envelope.open(bytes, as: .commit, key: "k") == plain)
            }
        }
        #expect(counts.isMixed, "\(counts)")
    }
}
