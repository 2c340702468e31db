import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting

@testable import FilesinkiStore

/// A store in memory with fixed ids, and short words for what the tests put into it.
struct StoreFixture {
    let remote = MemoryRemote()
    let format: StoreFormat
    let log: CommitLog
    let shelf: CheckpointStore

    static let id = Array(UInt8(0)..<16)
    static let device = Device(id: Array(repeating: 0xD1, count: 16), name: "laptop")

    init() throws {
        format = StoreFormat(formatVersion: 1, id: Self.id, epoch: 0, slots: "rename-folder")
        log = try CommitLog(remote: remote, zone: "files", store: format)
        shelf = try CheckpointStore(remote: remote, zone: "files", store: format)
    }

    var coder: CommitCoder { CommitCoder(store: format.id, zone: "files") }

    /// The slot of a commit.
    func slot(_ sequence: UInt64) throws -> ObjectKey {
        try ObjectKey("zones/files/log/\(StoreLayout.name(sequence))/c")
    }

    /// The slot of a checkpoint.
    func checkpointSlot(_ sequence: UInt64) throws -> ObjectKey {
        try ObjectKey("zones/files/checkpoints/\(StoreLayout.name(sequence))/c")
    }

    /// Puts other bytes into a slot, as a store does that is damaged or hostile.
    func replace(_ key: ObjectKey, by bytes: [UInt8]) async throws {
        try await remote.delete(key)
        _ = try await remote.publish(bytes, to: key)
    }

    /// Appends drafts one after the other, with ids 1, 2, …, and gives back the commits.
    @discardableResult
    func append(_ drafts: CommitDraft...) async throws -> [Commit] {
        var commits: [Commit] = []
        var token = log.genesis
        for (index, draft) in drafts.enumerated() {
            let outcome = try await log.append(
                draft, after: token, id: Self.commitID(UInt8(index + 1)))
            guard case .mine(let commit) = outcome else { throw Lost() }
            token = commit.token
            commits.append(commit)
        }
        return commits
    }

    /// Appends so many commits that write the same path, with the ends of their numbers as ids.
    func append(_ count: Int, after start: ChangeToken? = nil) async throws -> [Commit] {
        var commits: [Commit] = []
        var token = start ?? log.genesis
        for _ in 0..<count {
            let number = token.sequence + 1
            let outcome = try await log.append(
                Self.draft(writing: "\(number)", to: "a"), after: token,
                id: Self.commitID(UInt8(truncatingIfNeeded: number)))
            guard case .mine(let commit) = outcome else { throw Lost() }
            token = commit.token
            commits.append(commit)
        }
        return commits
    }

    struct Lost: Error {}

    /// A commit's id that is easy to see.
    static func commitID(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 16) }

    /// A draft with these changes.
    static func draft(
        _ changes: [Change] = [], inline: [InlineContent] = [], packs: [PackReference] = []
    ) -> CommitDraft {
        CommitDraft(
            device: device, time: Timestamp(seconds: 1_700_000_000, nanoseconds: 5),
            changes: changes, inline: inline, packs: packs, basedOnTokens: [], operation: "sync")
    }

    /// A draft that writes `text` to `path`, with the content inside.
    static func draft(writing text: String, to path: String) throws -> CommitDraft {
        let content = content(text)
        return draft([try change(path, file(content))], inline: [content])
    }

    static func content(_ text: String) -> InlineContent {
        let bytes = Array(text.utf8)
        return InlineContent(id: ContentHasher.hash(bytes), bytes: bytes)
    }

    static func file(_ content: InlineContent, mode: UInt16 = 0o644) -> Entry {
        .file(
            content.id, size: Int64(content.bytes.count), mode: mode,
            modified: Timestamp(seconds: 1_600_000_000, nanoseconds: 123_456_789))
    }

    static func change(_ path: String, _ entry: Entry, basedOn: UInt64 = 0) throws -> Change {
        Change(path: try RelativePath(path), entry: entry, basedOn: basedOn)
    }
}

/// The failure that `body` throws; nil when it throws none.
func failure<Value>(_ body: () async throws -> Value) async -> Failure? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? Failure
    }
}

extension CheckpointCoder {
    /// Encodes a whole checkpoint as one record.
    func encode(_ checkpoint: Checkpoint) throws(Failure) -> [UInt8] {
        try encode(checkpoint.rows, of: checkpoint.token, as: .checkpoint)
    }

    /// Decodes a whole checkpoint that is one record.
    func decode(
        _ stored: [UInt8], sequence: UInt64, key: String
    ) throws(Failure) -> CheckpointRows {
        var decoder = try open(stored, sequence: sequence, key: key)
        return decoder.next(atMost: .max) ?? CheckpointRows()
    }
}

extension MemoryRemote {
    /// Removes the last part of a checkpoint that is stored in parts.
    func removeLastPart(of sequence: UInt64, zone: String, _ store: StoreFormat) async throws {
        let name = StoreLayout.name(sequence)
        let slot = try ObjectKey("zones/\(zone)/checkpoints/\(name)/c")
        let index = try CheckpointCoder(store: store.id, zone: zone)
            .decodeIndex(objects[slot] ?? [], sequence: sequence, key: "k")
        let part = hexadecimal(index.parts[index.parts.count - 1].hash.bytes)
        try await delete(ObjectKey("zones/\(zone)/parts/\(part.prefix(2))/\(part)"))
    }
}
