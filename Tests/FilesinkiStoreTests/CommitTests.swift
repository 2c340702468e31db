import FilesinkiHashing
import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

@Suite("Commits")
struct CommitTests {
    private static let time = Timestamp(nanoseconds: -1_500_000_001)

    /// One of everything that a commit can say.
    private static func everything() throws -> [Change] {
        let content = StoreFixture.content("one")
        var moved = try StoreFixture.change("d/new", StoreFixture.file(content), basedOn: 0)
        moved.movedFrom = try RelativePath("d/old")
        var merged = try StoreFixture.change("e", .directory(mode: 0o755, modified: time))
        merged.reason = "newest"
        merged.mergedWith = 0
        return [
            moved,
            try StoreFixture.change("d/old", .tombstone, basedOn: 0),
            merged,
            Change(
                path: try RelativePath([0xFF, 0x0A, 0x80]),
                entry: .symlink(to: [0xFE, 0x2F], modified: time), basedOn: 0),
            try StoreFixture.change(
                "far",
                .file(
                    .none, size: .max, mode: 0o777,
                    modified: Timestamp(nanoseconds: .max))),
            try StoreFixture.change(
                "long ago", .directory(mode: 0, modified: Timestamp(nanoseconds: .min))),
        ]
    }

    @Test("a commit makes the round trip")
    func roundTrip() async throws {
        let fixture = try StoreFixture()
        let pack = PackReference(
            id: Array(repeating: 7, count: 16), size: 12345, indexHash: ContentHasher.hash([1]))
        var draft = StoreFixture.draft(
            try Self.everything(), inline: [StoreFixture.content("one")], packs: [pack])
        draft.basedOnTokens = [1, 2, 300]
        let written = try #require(try await fixture.append(draft).first)
        let read = try #require(try await fixture.log.read(1))
        #expect(read.changes == draft.changes)
        #expect(read.refused.isEmpty)
        #expect(read.device == draft.device)
        #expect(read.time == draft.time)
        #expect(read.operation == "sync")
        #expect(read.packs == [pack])
        #expect(read.basedOnTokens == [1, 2, 300])
        #expect(read.id == StoreFixture.commitID(1))
        #expect(read.parent == fixture.log.genesis.hash)
        #expect(read.token == written.token)
        let stored = try await fixture.remote.get(fixture.slot(1), range: nil)
        #expect(read.token.hash == ContentHasher.hash(try #require(stored)))
    }

    @Test("it carries small contents, found by their identity")
    func inlineContents() async throws {
        let fixture = try StoreFixture()
        let (one, empty) = (StoreFixture.content("one"), StoreFixture.content(""))
        try await fixture.append(StoreFixture.draft(inline: [one, empty]))
        let read = try #require(try await fixture.log.read(1))
        #expect(read.inlineContent(one.id) == Array("one".utf8))
        #expect(read.inlineContent(empty.id) == [])
        #expect(read.inlineContent(.none) == nil)
    }

    @Test("any single flipped bit gives the same commit or a failure")
    func flippedBits() async throws {
        let fixture = try StoreFixture()
        let content = StoreFixture.content("one")
        let draft = StoreFixture.draft(try Self.everything(), inline: [content])
        let stored = try fixture.coder.encode(
            draft, after: fixture.log.genesis, id: StoreFixture.commitID(1))
        for bit in 0..<(stored.count * 8) {
            var damaged = stored
            damaged[bit / 8] ^= 1 << (bit % 8)
            let read = try? fixture.coder.decode(damaged, sequence: 1, key: "k")
            #expect(read == nil || read?.changes == draft.changes, "bit \(bit)")
            #expect(read == nil || read?.inline == draft.inline, "bit \(bit)")
        }
    }

    @Test("any single flipped bit inside never crashes the reader")
    func flippedBitsInside() async throws {
        let fixture = try StoreFixture()
        let draft = StoreFixture.draft(
            try Self.everything(), inline: [StoreFixture.content("one")])
        let stored = try fixture.coder.encode(
            draft, after: fixture.log.genesis, id: StoreFixture.commitID(1))
        let plain = try Envelope.open(stored, as: .commit, key: "k")
        var read = 0
        for bit in 0..<(plain.count * 8) {
            var damaged = plain
            damaged[bit / 8] ^= 1 << (bit % 8)
            let sealed = try Envelope.seal(damaged, as: .commit)
            if let commit = try? fixture.coder.decode(sealed, sequence: 1, key: "k") {
                read += 1
                // A commit that is accepted can be applied.
                for change in commit.changes {
                    #expect(throws: Never.self) { try RelativePath(change.path.bytes) }
                    #expect(change.entry.size >= 0 && change.entry.mode <= 0o777)
                }
            }
        }
        #expect(read > 0)
    }

    /// Contents' identities cannot be compressed; times, sizes and names without a pattern are the
    /// worst case for the rest.
    @Test("a commit of many changes is little larger than the contents' identities")
    func size() async throws {
        let fixture = try StoreFixture()
        let changes = try ManyChanges.make(10_000)
        let stored = try fixture.coder.encode(
            StoreFixture.draft(changes), after: fixture.log.genesis,
            id: StoreFixture.commitID(1))
        let commit = try fixture.coder.decode(stored, sequence: 1, key: "k")
        #expect(commit.changes == changes)
        #expect(stored.count < changes.count * (ContentID.byteCount + 14))
    }

    @Test("a commit of more changes than the limit is not written")
    func tooMany() async throws {
        let fixture = try StoreFixture()
        let change = try StoreFixture.change("a", .tombstone)
        let changes = Array(repeating: change, count: CommitLimits.standard.rows + 1)
        let failure = await failure { try await fixture.append(StoreFixture.draft(changes)) }
        #expect(failure?.code == .limit)
    }
}

/// A tree that looks like a source tree: nested folders, sizes, times, contents without a pattern.
enum ManyChanges {
    static func make(_ count: Int) throws -> [Change] {
        var state: UInt64 = 1
        func random() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        let words = ["drivers", "net", "include", "arch", "kernel", "core", "sound", "fs", "lib"]
        var folder = "drivers"
        return try (0..<count).map { index in
            if index.isMultiple(of: 16) {
                folder = String(format(index), radix: 10) + "/" + words[Int(random() % 9)]
            }
            let content = ContentID((0..<4).flatMap { _ in bytes(random()) }) ?? .none
            let time = Timestamp(
                seconds: 1_700_000_000 + Int64(random() % 100_000),
                nanoseconds: Int64(random() % 1_000_000_000))
            let name = "\(folder)/\(words[Int(random() % 9)])-\(index).c"
            return Change(
                path: try RelativePath(name),
                entry: .file(content, size: Int64(random() % 50_000), mode: 0o644, modified: time),
                basedOn: 0)
        }
    }

    private static func format(_ index: Int) -> Int { 10_000 + index / 16 }

    private static func bytes(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
}
