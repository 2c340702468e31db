import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiStore
import FilesinkiSystem
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiRecordZones

extension RecordDevice {
    /// Saves a note whose field `f` is an asset with these bytes.
    @discardableResult
    func save(
        _ name: String, asset bytes: [UInt8], policy: SavePolicy = .merge
    ) async throws -> ContentID {
        clock.advance(by: .seconds(1))
        let (staged, content, size) = try zone.stageAsset { try bytes.withUnsafeBytes($0) }
        #expect(size == Int64(bytes.count))
        var operation = RecordOperation.save(
            try RecordName(name), try RecordType("Note"),
            [try FieldName("f"): .asset(Asset(content, size: UInt64(size)))])
        operation.policy = policy
        let results = try await zone.apply([operation], assets: [staged])
        if let error = results[0].error { throw error }
        return content
    }

    /// The bytes of the asset in the field `f` of a record.
    func asset(_ name: String) async throws -> [UInt8] {
        let record = try #require(try await zone.record(RecordName(name))).record
        return try await bytes(record.asset("f"), of: name)
    }

    func bytes(_ asset: ItemAsset, of name: String) async throws -> [UInt8] {
        let collected = Collected()
        try await zone.readAsset(asset, of: RecordName(name).key) { collected.add($0) }
        return collected.bytes
    }

    /// The bytes that wait on this device, by the names of their files.
    var waiting: [String] {
        get throws {
            let folder = zone.assets.path
            return StateFile.exists(folder) ? try StateFile.names(in: folder).sorted() : []
        }
    }
}

/// Bytes that a call has given.
private final class Collected: Sendable {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    func add(_ piece: UnsafeRawBufferPointer) {
        collected.withLock { $0.append(contentsOf: piece) }
    }
}

extension RecordWorld {
    /// Another device publishes commits that change nothing.
    func appendEmptyCommits(_ count: Int) async throws {
        let format = try #require(try await StoreFormat.read(from: remote))
        let log = try CommitLog(remote: remote, zone: "rec-default", store: format)
        var last = try #require(try await commits.last).token
        for number in 0..<count {
            let draft = CommitDraft(
                device: Device(id: Array(repeating: 9, count: 16), name: "x"),
                time: clock.systemContext.now(), changes: [], operation: "test")
            let id =
                Array(repeating: UInt8(0), count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
            guard case .mine(let commit) = try await log.append(draft, after: last, id: id) else {
                return
            }
            last = commit.token
        }
    }
}
