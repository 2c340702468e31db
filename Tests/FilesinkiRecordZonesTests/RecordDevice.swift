import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting

@testable import FilesinkiRecordZones

/// Devices that share a zone of records in one store.
struct RecordWorld {
    let remote = MemoryRemote()
    let clock = ManualClock()

    init() async throws {
        _ = try await StoreFormat.create(at: remote, systemContext: clock.systemContext)
    }

    func device(
        _ name: String, limits: CommitLimits = .standard, in scope: DatabaseScope = .private
    ) throws -> RecordDevice {
        try RecordDevice(name, remote: remote, clock: clock, limits: limits, in: scope)
    }

    /// The commits of the log.
    var commits: [Commit] { get async throws { try await commits(of: "rec-default") } }

    func commits(of zone: String) async throws -> [Commit] {
        guard let format = try await StoreFormat.read(from: remote) else { return [] }
        let log = try CommitLog(remote: remote, zone: zone, store: format)
        var reader = LogReader(log, after: log.genesis)
        var found: [Commit] = []
        while let commit = try await reader.next() { found.append(commit) }
        return found
    }
}

/// A device with a zone of records.
struct RecordDevice {
    let folder: TemporaryFolder
    let clock: ManualClock
    let zone: RecordZone

    init(
        _ name: String, remote: any Remote, clock: ManualClock,
        limits: CommitLimits = .standard, in scope: DatabaseScope = .private,
        folder: TemporaryFolder? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder(inMemory: true)
        self.clock = clock
        let id = Array((name + String(repeating: ".", count: 16)).utf8.prefix(16))
        var place = RecordPlace(
            state: self.folder.path, scope: scope, device: Device(id: id, name: name),
            address: "memory",
            systemContext: clock.systemContext, connect: { _ in remote },
            renewDevice: { Device(id: $0.map { $0 ^ 1 }, name: name) })
        place.commitLimits = limits
        zone = try ItemZone.open(place)
    }

    /// The same device in another database.
    func other(_ scope: DatabaseScope, _ world: RecordWorld) throws -> RecordDevice {
        try RecordDevice(
            zone.place.device.name, remote: world.remote, clock: clock, in: scope, folder: folder)
    }

    /// Saves fields of a note, each written as an argument, a second after the last change.
    @discardableResult
    func save(
        _ name: String, _ fields: String..., policy: SavePolicy = .merge, type: String = "Note",
        tag: String? = nil
    ) async throws -> RecordResult {
        var operation = try await self.operation(name, fields, type: type)
        operation.policy = policy
        operation.tag = tag
        return try await apply(operation)
    }

    @discardableResult
    func delete(_ name: String, policy: SavePolicy = .merge) async throws -> RecordResult {
        var operation = RecordOperation.delete(try RecordName(name))
        operation.policy = policy
        return try await apply(operation)
    }

    func operation(
        _ name: String, _ fields: [String], type: String? = "Note"
    ) async throws -> RecordOperation {
        let schema = try await zone.schema()
        let type = try type.map { try RecordType($0) }
        var values: [FieldName: FieldValue?] = [:]
        for text in fields {
            let argument = try FieldArgument(parsing: text, now: 0) { name in
                type.flatMap { schema[$0, name]?.type }
            }
            switch argument.input {
            case .value(let value): values[argument.name] = .some(value)
            case .remove: values.updateValue(nil, forKey: argument.name)
            case .files: break
            }
        }
        return .save(try RecordName(name), type, values)
    }

    private func apply(_ operation: RecordOperation) async throws -> RecordResult {
        clock.advance(by: .seconds(1))
        let results = try await zone.apply([operation])
        if let error = results[0].error { throw error }
        return results[0]
    }

    @discardableResult
    func sync() async throws -> ItemReport<RecordState> {
        clock.advance(by: .seconds(1))
        return try await zone.exchange()
    }

    /// Receives, and sends nothing.
    func fetch() async throws {
        clock.advance(by: .seconds(1))
        var options = ExchangeOptions()
        options.onlyFetches = true
        _ = try await zone.exchange(options)
    }

    /// The fields of a record, as arguments write them; nil when it is not there.
    func fields(_ name: String) async throws -> [String: FieldValue]? {
        guard let record = try await zone.record(RecordName(name))?.record else { return nil }
        return Dictionary(
            uniqueKeysWithValues: record.fields.map { ($0.key.text, $0.value.value) })
    }

    func tag(_ name: String) async throws -> String? {
        try await zone.record(RecordName(name))?.tag.description
    }
}
