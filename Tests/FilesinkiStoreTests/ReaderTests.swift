import FilesinkiCompression
import FilesinkiDirectory
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

/// Docs/Format.md is enough to read a store from: a reader in another language, written from it,
/// reads what this program writes.
@Suite("A reader in another language", .serialized)
struct ReaderTests {
    private static let time = Timestamp(seconds: 1_600_000_000, nanoseconds: 123_456_789)

    /// 600 KiB without a pattern.
    private static let large: [UInt8] = {
        var random = SeededRandom(seed: 7)
        return (0..<(600 << 10)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }()

    /// A store in a folder: two commits, a checkpoint between them when asked for, and a pack.
    private struct Written {
        let folder: TemporaryFolder
        let store: String
        let remote: DirectoryRemote
        var tip: ChangeToken

        /// - Parameters:
        ///   - partLength: The checkpoint is cut into parts of so many plain bytes.
        ///   - isListing: Whether the checkpoint lists the contents in commits.
        init(checkpoint: Bool, partLength: Int? = nil, isListing: Bool = true) async throws {
            folder = try TemporaryFolder()
            store = folder.path("store")
            remote = try DirectoryRemote.create(path: store)
            let random = SeededRandom(seed: 1)
            let format = try await StoreFormat.create(
                at: remote,
                systemContext: SystemContext(
                    now: { ReaderTests.time },
                    randomBytes: { count in
                        var random = random
                        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                    }, sleep: { _ in }))
            let log = try CommitLog(remote: remote, zone: "files", store: format)
            let first = try await ReaderTests.firstDraft(remote)
            guard
                case .mine(let one) = try await log.append(
                    first, after: log.genesis, id: StoreFixture.commitID(1))
            else { throw StoreFixture.Lost() }
            if checkpoint {
                let shelf = try CheckpointStore(
                    remote: remote, zone: "files", store: format, partLength: partLength)
                var checkpoint = ReaderTests.checkpoint(of: one)
                if !isListing { checkpoint.inline = [] }
                try await shelf.save(checkpoint)
            }
            guard
                case .mine(let two) = try await log.append(
                    ReaderTests.secondDraft(), after: one.token, id: StoreFixture.commitID(2))
            else { throw StoreFixture.Lost() }
            tip = two.token
        }
    }

    /// Small contents inside, a medium one and the chunks and recipe of a large one in a pack.
    private static func firstDraft(_ remote: DirectoryRemote) async throws -> CommitDraft {
        let medium = Array(String(repeating: "medium ", count: 9000).utf8)
        var builder = BlockBuilder(compressor: ZstdCompressor(level: 3))
        var recipe = Recipe([])
        for start in stride(from: 0, to: large.count, by: 200 << 10) {
            let chunk = Array(large[start..<min(start + (200 << 10), large.count)])
            let id = ContentHasher.hash(chunk)
            chunk.withUnsafeBytes { builder.add(id, kind: .chunk, bytes: $0) }
            recipe.parts.append(Recipe.Part(id: id, length: chunk.count))
        }
        let largeID = ContentHasher.hash(large)
        try recipe.encoded().withUnsafeBytes { builder.add(largeID, kind: .recipe, bytes: $0) }
        let mediumID = ContentHasher.hash(medium)
        medium.withUnsafeBytes { builder.add(mediumID, kind: .chunk, bytes: $0) }
        let random = SystemContext(
            now: { time }, randomBytes: { Array(repeating: 0xAA, count: $0) }, sleep: { _ in })
        let writer = PackWriter(remote: remote, systemContext: random)
        try await writer.add(try #require(try builder.finish()))
        let small = StoreFixture.content("small\n")
        let gone = StoreFixture.content("gone\n")
        return StoreFixture.draft(
            [
                try StoreFixture.change("d", .directory(mode: 0o750, modified: time)),
                try StoreFixture.change("d/empty", .directory(mode: 0o700, modified: time)),
                try StoreFixture.change(
                    "d/large",
                    .file(largeID, size: Int64(large.count), mode: 0o600, modified: time)),
                try StoreFixture.change(
                    "d/medium",
                    .file(mediumID, size: Int64(medium.count), mode: 0o644, modified: time)),
                try StoreFixture.change("gone", StoreFixture.file(gone)),
                try StoreFixture.change(
                    "link", .symlink(to: Array("d/small".utf8), modified: time)),
                try StoreFixture.change("small", StoreFixture.file(small, mode: 0o755)),
            ],
            inline: [small, gone], packs: try await writer.finish())
    }

    private static func secondDraft() throws -> CommitDraft {
        let edited = StoreFixture.content("edited\n")
        return StoreFixture.draft(
            [
                try StoreFixture.change("gone", .tombstone, basedOn: 1),
                try StoreFixture.change("new\n\u{FF}", StoreFixture.file(edited)),
                try StoreFixture.change("small", StoreFixture.file(edited), basedOn: 1),
            ], inline: [edited])
    }

    private static func checkpoint(of commit: Commit) -> Checkpoint {
        Checkpoint(
            token: commit.token,
            entries: commit.changes.map {
                CheckpointRow(
                    path: $0.path, entry: VersionedEntry($0.entry, version: commit.sequence))
            },
            packs: commit.packs,
            inline: commit.inline.map { InlineLocation(id: $0.id, sequence: commit.sequence) })
    }

    private static let tree: TreeFixture = [
        "d": .directory(
            [
                "empty": .directory(mode: 0o700),
                "large": .bytes(large, mode: 0o600, modified: time),
                "medium": .file(
                    String(repeating: "medium ", count: 9000), modified: time),
            ], mode: 0o750),
        "link": .symlink("d/small"),
        "new\n\u{FF}": .file("edited\n", modified: time),
        "small": .file("edited\n", modified: time),
    ]

    @Test("extracts the stored tree", arguments: [false, true])
    func extract(checkpoint: Bool) async throws {
        let written = try await Written(checkpoint: checkpoint)
        let place = written.folder.path("out")
        let outcome = try Reader.run("extract", written.store, place)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(try TreeFixture.read(place, times: true) == Self.tree)
    }

    @Test("extracts from a checkpoint when the log before it was pruned")
    func pruned() async throws {
        let written = try await Written(checkpoint: true)
        // The small contents of the first commit go with it; what the tree needs is elsewhere.
        try await written.remote.delete(
            ObjectKey("zones/files/log/\(StoreLayout.name(1))/c"))
        let place = written.folder.path("out")
        let outcome = try Reader.run("extract", written.store, place)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(try TreeFixture.read(place, times: true) == Self.tree)
    }

    @Test("finds a content that lies before the checkpoint, which does not list it")
    func unlisted() async throws {
        let written = try await Written(checkpoint: true, isListing: false)
        let log = try CommitLog(
            remote: written.remote, zone: "files",
            store: try #require(try await StoreFormat.read(from: written.remote)))
        let old = StoreFixture.file(StoreFixture.content("small\n"))
        _ = try await log.append(
            StoreFixture.draft([try StoreFixture.change("old", old)]), after: written.tip,
            id: StoreFixture.commitID(3))
        let outcome = try Reader.run("extract", written.store, written.folder.path("out"))
        // What it copies it compares with the hash.
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(try TreeFixture.read(written.folder.path("out")).nodes.count == 5)
    }

    @Test("extracts and verifies commits that were archived", arguments: [false, true])
    func archived(checkpoint: Bool) async throws {
        let written = try await Written(checkpoint: checkpoint)
        let log = try CommitLog(
            remote: written.remote, zone: "files",
            store: try #require(try await StoreFormat.read(from: written.remote)))
        let extent = ArchiveExtent(keptSlots: 1, minimum: 1, length: 1 << 20)
        let archiver = LogArchiver(log, extent) { [UInt8](repeating: 0xBB, count: 16) }
        #expect(try await archiver.archive() == 1)
        let place = written.folder.path("out")
        let outcome = try Reader.run("extract", written.store, place)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(try TreeFixture.read(place, times: true) == Self.tree)
        let verified = try Reader.run("verify", written.store)
        #expect(verified.code == 0, "\(verified.output)")
    }

    @Test("E1.5 extracts from a checkpoint in parts, verifies it, and finds a damaged part")
    func parts() async throws {
        let written = try await Written(checkpoint: true, partLength: 1_100)
        let prefix = "zones/files/parts/"
        let parts = try await written.remote.list(prefix: prefix, after: nil, limit: 100)
        try #require(parts.count > 3)
        let verified = try Reader.run("verify", written.store)
        #expect(verified.code == 0, "\(verified.output)")
        try await written.remote.delete(ObjectKey("zones/files/log/\(StoreLayout.name(1))/c"))
        let place = written.folder.path("out")
        let outcome = try Reader.run("extract", written.store, place)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(try TreeFixture.read(place, times: true) == Self.tree)
        var bytes = try #require(try await written.remote.get(parts[1].key, range: nil))
        bytes[bytes.count / 2] ^= 0x10
        try await written.remote.delete(parts[1].key)
        try await written.remote.put(bytes, to: parts[1].key)
        #expect(try Reader.run("verify", written.store).code == 1)
    }

    @Test("lists the tree, with names made safe")
    func list() async throws {
        let written = try await Written(checkpoint: false)
        let outcome = try Reader.run("ls", written.store)
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.code == 0)
        #expect(lines.count == 7)
        #expect(lines.contains { $0.hasPrefix("f 600") && $0.hasSuffix(" d/large") })
        #expect(lines.contains { $0.hasSuffix(" new\\n\\xff") })
    }

    @Test("verifies a sound store and names its head")
    func verify() async throws {
        let written = try await Written(checkpoint: true)
        let outcome = try Reader.run("verify", written.store)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(outcome.output.contains("2 commits, 7 paths, 1 packs, tip \(written.tip.hash)"))
    }

    @Test("finds a flipped bit in any object")
    func damage() async throws {
        let written = try await Written(checkpoint: true)
        let objects = try await written.remote.list(prefix: "", after: nil, limit: 100)
        #expect(objects.count == 5)
        for object in objects {
            let good = try #require(try await written.remote.get(object.key, range: nil))
            var bad = good
            bad[good.count / 2] ^= 0x10
            try await written.remote.delete(object.key)
            try await written.remote.put(bad, to: object.key)
            let outcome = try Reader.run("verify", written.store)
            #expect(outcome.code == 1, "\(object.key): \(outcome.output)")
            try await written.remote.delete(object.key)
            try await written.remote.put(good, to: object.key)
        }
        #expect(try Reader.run("verify", written.store).code == 0)
    }
}
