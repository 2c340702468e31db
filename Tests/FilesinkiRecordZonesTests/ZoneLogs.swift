import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore

@testable import FilesinkiRecordZones

/// What the logs of a zone's generations have, and have had: what any reader of the store can see.
struct ZoneLogs {
    /// A record in a commit.
    struct Change {
        let generation: UInt64
        let sequence: UInt64
        let name: String
        /// Whether the log has had the record before, or its deletion.
        let isKnown: Bool
        /// What the log had before; nil, here and below, for a deleted record.
        let former: Record?
        let record: Record?

        /// The commit in words.
        var place: String { "\(generation).\(sequence)" }
    }

    private struct Log {
        var reader: LogReader
        /// The records as the log has them, deleted ones too.
        var records: [String: Record?] = [:]
    }

    /// The last deletion of a record in a log.
    private struct Deletion {
        var sequence: UInt64
        /// The fields that such a record had in the log before.
        var fields: Set<String>
    }

    private var logs: [UInt64: Log] = [:]
    private var deletions: [UInt64: [String: Deletion]] = [:]
    /// The values that each generation's log has had.
    private var published: Set<String> = []

    /// The last generation that was read.
    var last: UInt64 { logs.keys.max() ?? 1 }

    /// The last commit of a generation that was read.
    func sequence(in generation: UInt64) -> UInt64 { logs[generation]?.reader.token.sequence ?? 0 }

    /// The record as a generation's log has it; nil if the log never had it, and nil inside for a deleted one.
    func record(_ name: String, in generation: UInt64) -> Record?? {
        logs[generation]?.records[name]
    }

    /// Whether a generation's log has ever had a value.
    func hasHad(_ value: FieldValue, _ name: String, _ field: String, in generation: UInt64) -> Bool
    {
        published.contains(Self.key(value, name, field, in: generation))
    }

    /// The one name of a published value.
    private static func key(
        _ value: FieldValue, _ name: String, _ field: String, in generation: UInt64
    ) -> String { "\(generation) \(name).\(field) \(value)" }

    /// The records that a generation's log has deleted behind a commit, each with the fields that it had before.
    func deletions(in generation: UInt64, after sequence: UInt64) -> [String: Set<String>] {
        (deletions[generation] ?? [:]).filter { $0.value.sequence > sequence }.mapValues(\.fields)
    }

    /// Reads what was published in a generation since the last time.
    mutating func read(
        _ generation: UInt64, in world: RecordWorld
    ) async throws -> [Change] {
        guard let format = try await StoreFormat.read(from: world.remote) else { return [] }
        let zone = generation == 1 ? "rec-default" : "rec\(generation)-default"
        let commits = try CommitLog(remote: world.remote, zone: zone, store: format)
        var log = logs[generation] ?? Log(reader: LogReader(commits, after: commits.genesis))
        log.reader = LogReader(commits, after: log.reader.token)
        var changes: [Change] = []
        while let commit = try await log.reader.next() {
            for change in commit.changes {
                guard let name = ItemKey(path: change.path)?.recordName?.text else { continue }
                let bytes = commit.inlineContent(change.entry.content)
                var record: Record?
                if let bytes, case .record(let found) = RecordItem(bytes) { record = found }
                let former = log.records.updateValue(record, forKey: name)
                changes.append(
                    Change(
                        generation: generation, sequence: commit.sequence, name: name,
                        isKnown: former != nil, former: former ?? nil, record: record))
            }
        }
        logs[generation] = log
        for change in changes { note(change) }
        return changes
    }

    /// Notes what a commit published, or deleted.
    private mutating func note(_ change: Change) {
        let (generation, name) = (change.generation, change.name)
        if change.record == nil {
            let fields = deletions[generation]?[name]?.fields ?? []
            let others = change.former?.values.keys.map(\.self) ?? []
            deletions[generation, default: [:]][name] = Deletion(
                sequence: change.sequence, fields: fields.union(others))
        }
        for (field, value) in change.record?.values ?? [:] {
            published.insert(Self.key(value, name, field, in: generation))
        }
    }
}
