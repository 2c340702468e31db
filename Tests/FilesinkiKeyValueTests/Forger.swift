import FilesinkiHashing
import FilesinkiItems
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting

@testable import FilesinkiKeyValue
@testable import FilesinkiStore

/// Somebody who may write to the store, and writes what no honest device does.
struct Forger {
    let meeting: Meeting

    /// One row of a forged commit.
    struct Row {
        var path: RelativePath
        /// The content's bytes; nil for a removal.
        var record: [UInt8]?
        var time: Int64
        /// What is said to be at the path; nil for a file with the record.
        var entry: Entry?

        init(_ path: String, _ record: [UInt8]?, time: Int64 = 1, entry: Entry? = nil) {
            self.path = RelativePath(unchecked: Array(path.utf8))
            self.record = record
            self.time = time
            self.entry = entry
        }
    }

    /// The record of an honest value.
    static func record(_ value: TypedValue, _ policy: MergePolicy = .newest) -> [UInt8] {
        ValueRecord.encode(
            Register(value, time: 1, device: Array(repeating: 9, count: 16), policy: policy))
    }

    /// A record with these bytes where the value's encoding belongs.
    static func record(encoded: [UInt8]) -> [UInt8] {
        Array(record(.bool(true)).dropLast()) + encoded
    }

    var format: StoreFormat {
        get async throws {
            guard let found = try await StoreFormat.read(from: meeting.remote) else {
                throw Failure(.notFound, "There is no store.", remedy: "Make one.")
            }
            return found
        }
    }

    var log: CommitLog {
        get async throws {
            try CommitLog(remote: meeting.remote, zone: "kv-default", store: await format)
        }
    }

    /// Every commit of the log.
    var commits: [Commit] {
        get async throws {
            let log = try await log
            var reader = LogReader(log, after: log.genesis)
            var found: [Commit] = []
            while let commit = try await reader.next() { found.append(commit) }
            return found
        }
    }

    /// Puts a commit with these rows at the end of the log.
    @discardableResult
    func publish(_ rows: [Row]) async throws -> Commit? {
        let log = try await log
        let parent = try await commits.last?.token ?? log.genesis
        var contents: [ContentID: InlineContent] = [:]
        var changes: [Change] = []
        for row in rows {
            var entry = Entry(kind: .tombstone, modified: Timestamp(nanoseconds: row.time))
            if let record = row.record {
                let id = ContentHasher.hash(record)
                contents[id] = InlineContent(id: id, bytes: record)
                entry = .file(
                    id, size: Int64(record.count), mode: 0o600,
                    modified: Timestamp(nanoseconds: row.time))
            }
            changes.append(
                Change(path: row.path, entry: row.entry ?? entry, basedOn: 0, reason: ""))
        }
        let device = FilesinkiModel.Device(id: Array(repeating: 9, count: 16), name: "forger")
        let draft = CommitDraft(
            device: device, time: Timestamp(nanoseconds: 1),
            changes: changes.sorted { $0.path < $1.path },
            inline: contents.values.sorted { $0.id < $1.id }, operation: "forge")
        let id = meeting.clock.systemContext.randomBytes(16)
        try await log.forge(draft, after: parent, id: id)
        return try await log.read(parent.sequence + 1)
    }

    /// Takes commits away, as a store does that is pruned; a checkpoint of the last commit stands for
    /// what they held.
    ///
    /// - Parameters:
    ///   - gone: The numbers of the commits that are taken away.
    ///   - omitted: Paths that the checkpoint does not have.
    ///   - last: The commit of the checkpoint.
    func prune(
        _ gone: [UInt64], omitting omitted: Set<String> = [], at last: UInt64
    ) async throws {
        let commits = try await commits.filter { $0.sequence <= last }
        var rows: [RelativePath: CheckpointRow] = [:]
        var inline: [InlineLocation] = []
        for commit in commits {
            for change in commit.changes {
                let entry = VersionedEntry(change.entry, version: commit.sequence)
                rows[change.path] = CheckpointRow(path: change.path, entry: entry)
            }
            inline += commit.inline.map { InlineLocation(id: $0.id, sequence: commit.sequence) }
        }
        guard let token = commits.last?.token else { return }
        let kept = rows.values.filter { !omitted.contains($0.path.description) }
        let shelf = try await CheckpointStore(
            remote: meeting.remote, zone: "kv-default", store: format)
        try await shelf.save(
            Checkpoint(
                token: token, entries: kept.sorted { $0.path < $1.path }, packs: [],
                inline: inline))
        for number in gone {
            let digits = String(number)
            let name = String(repeating: "0", count: 20 - digits.utf8.count) + digits
            try await meeting.remote.delete(try ObjectKey("zones/kv-default/log/\(name)/c"))
        }
    }
}

extension CommitLog {
    /// Puts a draft into the log as it is: without the proof that readers accept it.
    func forge(_ draft: CommitDraft, after parent: ChangeToken, id: [UInt8]) async throws {
        let stored = try coder.encode(draft, after: parent, id: id)
        _ = try await remote.publish(stored, to: try slot(parent.sequence + 1))
    }
}
