import FilesinkiHTTPClient
import FilesinkiModel
import FilesinkiRemote
import FilesinkiServer
import FilesinkiStore
import FilesinkiTesting
import Testing

/// A checkpoint that is larger than the own server takes as one publication.
@Suite struct LargeCheckpointTests {
    private static let publicationBytes: Int64 = 8 << 10

    private func checkpoint(_ token: ChangeToken) throws -> Checkpoint {
        var random = SeededRandom(seed: 4)
        return Checkpoint(
            token: token,
            entries: try (0..<1_000).map { number in
                let content = try #require(ContentID(random.bytes(32)))
                let entry = Entry.file(
                    content, size: 1, mode: 0o644, modified: Timestamp(nanoseconds: 0))
                return CheckpointRow(
                    path: try RelativePath("f\(10_000 + number)"),
                    entry: VersionedEntry(entry, version: 1))
            }, packs: [], inline: [])
    }

    @Test(
        "E1.5 a checkpoint larger than a publication may be on filesinki serve is stored and read")
    func ownServer() async throws {
        let target = try await FaultTarget.ownServer {
            $0.limits.publicationBytes = Self.publicationBytes
        }
        let remote = try target.connect(target.port, ConnectionSettings())
        let format = try await StoreFormat.create(at: remote, systemContext: .quick)
        let log = try CommitLog(remote: remote, zone: "files", store: format)
        let draft = CommitDraft(
            device: Device(id: [UInt8](repeating: 1, count: 16), name: "a"),
            time: Timestamp(nanoseconds: 0), changes: [], operation: "test")
        let id = [UInt8](repeating: 2, count: 16)
        guard case .mine(let commit) = try await log.append(draft, after: log.genesis, id: id)
        else {
            Issue.record("The slot was taken.")
            return
        }
        let written = try checkpoint(commit.token)
        // As one object it exceeds the limit, which the server says.
        let whole = try CheckpointStore(remote: remote, zone: "files", store: format)
        let failure = await #expect(throws: Failure.self) { try await whole.save(written) }
        #expect(failure?.code == .limit)
        let shelf = try CheckpointStore(
            remote: remote, zone: "files", store: format, partLength: 16 << 10)
        try await shelf.save(written)
        let read = try #require(try await shelf.latest())
        #expect(read.entries == written.entries && read.refused.isEmpty)
        #expect(try await shelf.newest(after: 0) == 1)
    }
}
