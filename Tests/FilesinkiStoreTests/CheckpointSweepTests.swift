import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiStore

@Suite("Checkpoints that archives make superfluous")
struct CheckpointSweepTests {
    let fixture: StoreFixture

    init() throws { fixture = try StoreFixture() }

    @Test(
        "one stays for each archive, and those of commits in slots",
        arguments: [
            ([], [10], []), ([5], [10], []), ([5, 8, 10], [10], [5, 8]),
            ([5, 8, 12, 15], [10], [5]), ([2, 4, 12, 14, 22, 24], [10, 20], [2, 12]),
            ([10, 11], [10], []), ([2, 4, 24], [10, 20], [2]), ([2, 4], [], []),
        ] as [([UInt64], [UInt64], [UInt64])])
    func superfluous(_ checkpoints: [UInt64], _ archived: [UInt64], _ removed: [UInt64]) {
        #expect(CheckpointSweep.superfluous(of: checkpoints, archived) == removed)
    }

    private func checkpoint(_ commit: Commit, rows: Int) throws -> Checkpoint {
        let entries = try (0..<rows).map { number in
            CheckpointRow(
                path: try RelativePath("folder/\(100_000 + number)"),
                entry: VersionedEntry(.tombstone, version: 1), formerContents: [])
        }
        return Checkpoint(token: commit.token, entries: entries, packs: [], inline: [])
    }

    private var parts: Int {
        fixture.remote.objects.keys.count { $0.description.hasPrefix("zones/files/parts/") }
    }

    @Test("an old checkpoint goes with its parts; the newest can be read")
    func sweep() async throws {
        let shelf = try CheckpointStore(
            remote: fixture.remote, zone: "files", store: fixture.format, partLength: 8 << 10)
        let sweep = try CheckpointSweep(
            remote: fixture.remote, zone: "files", store: fixture.format)
        let commits = try await fixture.append(20)
        for index in [3, 7, 19] { try await shelf.save(checkpoint(commits[index], rows: 300)) }
        let before = parts
        #expect(try await sweep.sweep() == 0)
        let extent = ArchiveExtent(keptSlots: 3, minimum: 4, length: 1 << 20)
        let archiver = LogArchiver(fixture.log, extent) { [UInt8](repeating: 1, count: 16) }
        #expect(try await archiver.archive() == 17)
        #expect(try await sweep.plannedCount() == 1)
        #expect(try await sweep.sweep() == 1)
        #expect(try await sweep.sweep() == 0)
        #expect(try await shelf.sequences() == [20, 8])
        #expect(try await !shelf.contains(4))
        #expect(try await shelf.contains(8))
        #expect(parts > 0 && parts * 3 == before * 2)
        #expect(try await shelf.read(8)?.entries.count == 300)
        #expect(try await shelf.latest()?.token == commits[19].token)
    }

    @Test("one that is damaged goes, too", arguments: [0, 60])
    func damaged(_ length: Int) async throws {
        let commits = try await fixture.append(12)
        for commit in commits.prefix(2) {
            try await fixture.shelf.save(checkpoint(commit, rows: 1))
        }
        try await fixture.replace(
            fixture.checkpointSlot(1), by: [UInt8](repeating: 5, count: length))
        let extent = ArchiveExtent(keptSlots: 3, minimum: 4, length: 1 << 20)
        let archiver = LogArchiver(fixture.log, extent) { [UInt8](repeating: 1, count: 16) }
        _ = try await archiver.archive()
        let sweep = try CheckpointSweep(
            remote: fixture.remote, zone: "files", store: fixture.format)
        #expect(try await sweep.sweep() == 1)
        #expect(try await fixture.shelf.sequences() == [2])
    }
}
