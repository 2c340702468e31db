import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// What a writer may put into a commit and what a reader accepts are one thing.
///
/// `FILESINKI_DRAFTS` makes a longer run, `FILESINKI_DRAFTS_SEED` another one.
@Suite("Limits of commits")
struct CommitLimitsTests {
    private static let parent = ChangeToken(sequence: 4, hash: ContentHasher.hash([4]))

    private func coder(_ limits: CommitLimits) -> CommitCoder {
        CommitCoder(store: StoreFixture.id, zone: "files", limits: limits)
    }

    private func decode(_ stored: [UInt8]) throws -> Commit {
        try coder(.standard).decode(stored, sequence: 5, key: "k")
    }

    @Test("E1.1 the parts of any draft are within the limits and read back exactly")
    func randomDrafts() throws {
        let seed = UInt64(knob("FILESINKI_DRAFTS_SEED", otherwise: 1))
        var chance = RandomDraft(seed: seed)
        var cut = 0
        for number in 0..<knob("FILESINKI_DRAFTS", otherwise: 50) {
            let (draft, limits) = (chance.draft(), chance.limits())
            let parts = draft.parts(within: limits)
            if parts.count > 1 { cut += 1 }
            var there: Set<ContentID> = []
            for part in parts {
                let stored = try coder(limits).encode(part, after: Self.parent, id: Self.id)
                try expect(part, stored, keeps: limits, number)
                let commit = try decode(stored)
                #expect(commit.refused.isEmpty, "draft \(number)")
                #expect(commit.changes == part.changes, "draft \(number)")
                #expect(commit.superseded == part.superseded, "draft \(number)")
                #expect(commit.inline == part.inline && commit.packs == part.packs)
                // A content comes with the first row that needs it.
                there.formUnion(part.inline.map(\.id))
                let needed = Set((part.changes + part.superseded).map(\.entry.content))
                let known = Set(draft.inline.map(\.id))
                #expect(needed.intersection(known).isSubset(of: there), "draft \(number)")
            }
            #expect(parts.flatMap(\.changes) == draft.changes, "draft \(number)")
            #expect(parts.flatMap(\.superseded) == draft.superseded, "draft \(number)")
            #expect(parts.flatMap(\.packs) == draft.packs, "draft \(number)")
            #expect(parts.flatMap(\.inline).count == draft.inline.count, "draft \(number)")
        }
        #expect(cut > 0)
    }

    private static let id = StoreFixture.commitID(5)

    private func expect(
        _ part: CommitDraft, _ stored: [UInt8], keeps limits: CommitLimits, _ number: Int
    ) throws {
        let plain = try Envelope.open(stored, as: .commit, key: "k")
        #expect(plain.count <= limits.plainBytes, "draft \(number)")
        #expect(part.changes.count <= limits.rows, "draft \(number)")
        #expect(part.superseded.count <= limits.rows, "draft \(number)")
        let paths = (part.changes + part.superseded).reduce(0) {
            $0 + $1.path.bytes.count + ($1.movedFrom?.bytes.count ?? 0)
        }
        #expect(paths <= limits.pathBytes, "draft \(number)")
    }

    @Test("E1.1 a draft is split no earlier than the limit of rows")
    func rows() throws {
        let changes = try (0..<10).map { try StoreFixture.change("\($0)", .tombstone) }
        for (limit, counts) in [
            (10, [10]), (9, [9, 1]), (11, [10]), (1, [Int](repeating: 1, count: 10)),
        ] {
            let limits = CommitLimits(rows: limit)
            let draft = StoreFixture.draft(changes)
            #expect(draft.parts(within: limits).map(\.changes.count) == counts)
            var lost = StoreFixture.draft()
            lost.superseded = changes
            #expect(lost.parts(within: limits).map(\.superseded.count) == counts)
        }
    }

    @Test("E1.1 a draft is cut no earlier than the limit of path bytes says")
    func pathBytes() throws {
        var changes = try ["12345", "1234"].map { try StoreFixture.change($0, .tombstone) }
        changes[1].movedFrom = try RelativePath("1")
        for (limit, counts) in [(11, [2]), (10, [2]), (9, [1, 1]), (5, [1, 1])] {
            let parts = StoreFixture.draft(changes).parts(within: CommitLimits(pathBytes: limit))
            #expect(parts.map(\.changes.count) == counts, "limit \(limit)")
        }
    }

    @Test("E1.1 a commit may reach each limit, and exceed none")
    func sizes() throws {
        var moved = try StoreFixture.change("12345", .tombstone)
        moved.movedFrom = try RelativePath("123")
        var size = CommitSize()
        size.add(change: moved, carrying: StoreFixture.content("some bytes"))
        size.add(superseded: try StoreFixture.change("12", .tombstone), carrying: nil)
        #expect([size.changes, size.superseded, size.pathBytes] == [1, 1, 10])
        #expect(size.fits(CommitLimits(rows: 1, pathBytes: 10, plainBytes: size.plainBytes)))
        #expect(!size.fits(CommitLimits(rows: 0)))
        #expect(!size.fits(CommitLimits(pathBytes: 9)))
        #expect(!size.fits(CommitLimits(plainBytes: size.plainBytes - 1)))
    }

    @Test(
        "E1.1 what a reader accepts grows with the record's length, up to 512 MiB of paths",
        arguments: [
            (0, 100_000, 67_108_864), (3_200_031, 100_000, 271_910_848),
            (3_200_032, 100_001, 271_910_912), (1_048_576, 100_000, 134_217_728),
            (7_340_032, 229_376, 536_870_912), (67_108_864, 2_097_152, 536_870_912),
        ] as [(Int, Int, Int)])
    func readable(plain: Int, superseded: Int, pathBytes: Int) {
        let limits = ReadableCommit(plain: plain)
        #expect(limits.superseded == superseded)
        #expect(limits.pathBytes == pathBytes)
    }

    /// What each limit counts, with a draft that is exactly at it.
    private static func atTheLimit() throws -> [(String, CommitDraft, CommitLimits)] {
        let changes = try ["a", "b", "c"].map { try StoreFixture.change($0, .tombstone) }
        var lost = StoreFixture.draft()
        lost.superseded = changes
        var moved = StoreFixture.draft([try StoreFixture.change("12345", .tombstone)])
        moved.changes[0].movedFrom = try RelativePath("1234567")
        moved.superseded = [try StoreFixture.change("123", .tombstone)]
        let content = InlineContent(id: ContentHasher.hash([1]), bytes: [1])
        let inline = StoreFixture.draft(inline: [content])
        let stored = try CommitCoder(store: StoreFixture.id, zone: "files").encode(
            inline, after: parent, id: id)
        let plain = try Envelope.open(stored, as: .commit, key: "k").count
        return [
            ("changes", StoreFixture.draft(changes), CommitLimits(rows: 3)),
            ("superseded", lost, CommitLimits(rows: 3)),
            ("paths", moved, CommitLimits(pathBytes: 15)),
            ("plain", inline, CommitLimits(plainBytes: plain)),
        ]
    }

    @Test("E1.1 the encoder accepts each limit, the reader reads it, and one more is refused")
    func exactly() throws {
        for (name, draft, limits) in try Self.atTheLimit() {
            let stored = try coder(limits).encode(draft, after: Self.parent, id: Self.id)
            let commit = try decode(stored)
            #expect(commit.changes == draft.changes && commit.refused.isEmpty, "\(name)")
            #expect(commit.superseded == draft.superseded, "\(name)")
            var less = limits
            less.rows -= 1
            less.pathBytes -= 1
            less.plainBytes -= 1
            let failure = #expect(throws: Failure.self, "\(name)") {
                try coder(less).encode(draft, after: Self.parent, id: Self.id)
            }
            #expect(failure?.code == .limit, "\(name)")
        }
    }

    @Test("E1.1 a reader accepts all that the standard limits allow")
    func standard() {
        let (writer, empty) = (CommitLimits.standard, ReadableCommit(plain: 0))
        #expect(writer.rows <= ReadableCommit.changes)
        #expect(writer.rows <= empty.superseded)
        #expect(writer.pathBytes <= empty.pathBytes)
        #expect(writer.plainBytes <= CommitLog.maximumLength)
        // A request for a commit asks for little more than the longest plain record.
        #expect(CommitLog.maximumStoredLength > 64 << 20)
        #expect(CommitLog.maximumStoredLength < 65 << 20)
        // What compression cannot make smaller is still one publication of the project's own server.
        #expect(writer.plainBytes + writer.plainBytes >> 7 + 4096 < 64 << 20)
    }

    @Test("E1.1 100,001 superseded rows, as the first version wrote them, are readable")
    func manySuperseded() throws {
        let row = StoreFixture.file(StoreFixture.content("x"))
        let count = 100_001
        var draft = StoreFixture.draft()
        draft.superseded = (0..<count).map { number in
            Change(
                path: RelativePath(unchecked: Array("f\(number)".utf8)), entry: row, basedOn: 0,
                reason: "newest")
        }
        var limits = CommitLimits.standard
        limits.rows = count
        let stored = try coder(limits).encode(draft, after: Self.parent, id: Self.id)
        #expect(try decode(stored).superseded == draft.superseded)
    }

    @Test("E1.1 a commit whose paths and origins together exceed 64 MiB is readable")
    func manyOrigins() throws {
        let folder = String(repeating: String(repeating: "n", count: 250) + "/", count: 15)
        let changes =
            (0..<6_000).map { number in
                var change = Change(
                    path: RelativePath(unchecked: Array("\(folder)\(100_000 + number)".utf8)),
                    entry: .tombstone, basedOn: 0)
                change.movedFrom = RelativePath(
                    unchecked: Array("\(folder)\(200_000 + number)".utf8))
                return change
            }
            + (0..<6_000).map { number in
                Change(
                    path: RelativePath(unchecked: Array("\(folder)\(200_000 + number)".utf8)),
                    entry: .tombstone, basedOn: 0)
            }
        var limits = CommitLimits.standard
        limits.pathBytes = 72 << 20
        let draft = StoreFixture.draft(changes)
        #expect(draft.parts(within: .standard).count == 2)
        let stored = try coder(limits).encode(draft, after: Self.parent, id: Self.id)
        #expect(try decode(stored).changes == changes)
    }

    @Test("E1.1 several superseded contents of one path are all kept")
    func severalOfOnePath() throws {
        var draft = StoreFixture.draft()
        draft.superseded = try ["one", "two"].map {
            try StoreFixture.change("a", StoreFixture.file(StoreFixture.content($0)))
        }
        let stored = try coder(.standard).encode(draft, after: Self.parent, id: Self.id)
        #expect(try decode(stored).superseded == draft.superseded)
    }

    /// Drafts that no reader would take as they are meant.
    static let unreadable: [(String, @Sendable (inout CommitDraft) throws -> Void)] = [
        ("a content under another name", { $0.inline[0].bytes = [9] }),
        ("a path twice", { $0.changes.append($0.changes[0]) }),
        ("a base in the future", { $0.changes[0].basedOn = 1 }),
        ("a merge with what is not yet", { $0.changes[0].mergedWith = 7 }),
        ("a path outside", { $0.changes[0].path = RelativePath(unchecked: Array("../x".utf8)) }),
        ("an origin outside", { $0.changes[0].movedFrom = RelativePath(unchecked: [0]) }),
        ("a size below zero", { $0.changes[0].entry.size = -1 }),
        ("a symlink to nothing", { $0.changes[0].entry = .symlink(to: [], modified: $0.time) }),
        (
            "a superseded path outside",
            { draft in
                var change = draft.changes[0]
                change.path = RelativePath(unchecked: [])
                draft.superseded = [change]
            }
        ),
        ("a short device id", { $0.device.id = [1] }),
    ]

    @Test(
        "E1.1 a commit that does not read back exactly is not published",
        arguments: unreadable.indices)
    func notReadable(index: Int) async throws {
        let (name, spoil) = Self.unreadable[index]
        let fixture = try StoreFixture()
        var draft = try StoreFixture.draft(writing: "one", to: "a")
        try spoil(&draft)
        let failure = await failure { try await fixture.append(draft) }
        #expect(failure?.code == .limit, "\(name)")
        #expect(fixture.remote.objects.isEmpty, "\(name)")
    }

    @Test("E1.1 names of any length are published, truncated at a whole character")
    func names() async throws {
        let fixture = try StoreFixture()
        var draft = try StoreFixture.draft(writing: "one", to: "a")
        draft.device.name = String(repeating: "文", count: 100)
        draft.operation = String(repeating: "é", count: 300)
        try await fixture.append(draft)
        let commit = try #require(try await fixture.log.read(1))
        #expect(commit.device.name == String(repeating: "文", count: 85))
        #expect(commit.operation == String(repeating: "é", count: 127))
    }
}
