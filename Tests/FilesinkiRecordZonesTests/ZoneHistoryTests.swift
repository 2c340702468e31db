import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiTesting
import Testing

@testable import FilesinkiRecordZones

/// Random histories of three devices with every policy, in a zone that is deleted, purged, reset and created.
@Suite("Histories of zones")
struct ZoneHistoryTests {
    private static let histories = knob("FILESINKI_ZONE_HISTORIES", otherwise: 16)
    /// The seed of the first one.
    private static let first = knob("FILESINKI_ZONE_FIRST", otherwise: 0)
    /// So many histories run at once: each has files open.
    private static let lanes = 30

    /// After each step:
    ///
    /// * An operation did what it says, or was refused for its tag or for what is there; of an atomic batch all or
    ///   none.
    /// * A value that a device acknowledged and that it has no more gave way to another one. If it was sent, the log
    ///   says to which: its author had it and replaced it, or had changed the field, and the policy that counted when it
    ///   received the value lets that win. The log of each generation that the device has left by a reset counts.
    ///   Else it is in the history of the device, or in the file that is kept of a deleted zone, and an event says so.
    /// * A deleted record comes back only by a save.
    /// * A stamp changes in a log only with its value.
    /// * A change tag never stands for two states of a record, on no device and in no generation.
    ///
    /// And in the end all devices have the same, and nothing waits.
    @Test(
        "CK-04 CK-06 CK-22 random histories of three devices keep the laws of zones",
        arguments: 0..<min(lanes, histories))
    func laws(_ lane: Int) async throws {
        for seed in stride(from: lane, to: Self.histories, by: Self.lanes) {
            var history = try await ZoneHistory(seed: Self.first + seed)
            do { try await history.run() } catch { history.stop(error) }
            let problems = history.problems
            #expect(
                problems.isEmpty,
                """
                FILESINKI_ZONE_FIRST=\(Self.first + seed):
                \(history.steps.joined(separator: "\n"))
                \(problems.joined(separator: "\n"))
                """)
        }
    }
}

/// One random history.
private struct ZoneHistory {
    private(set) var steps: [String] = []
    private var random: SeededRandom
    private let world: RecordWorld
    private let remotes: [FaultyRemote]
    private let devices: [RecordDevice]
    private var ledger = ZoneLedger(devices: 3)
    private var failure: (any Error)?
    /// Makes every value another one.
    private var count: Int64 = 0

    init(seed: Int) async throws {
        random = SeededRandom(seed: UInt64(seed))
        let world = try await RecordWorld()
        let remotes = (0..<3).map { FaultyRemote(world.remote, seed: UInt64(seed * 3 + $0)) }
        self.world = world
        self.remotes = remotes
        devices = try zip(["a", "b", "c"], remotes).map { name, remote in
            try RecordDevice(name, remote: remote, clock: world.clock)
        }
    }

    private func name(_ index: Int) -> String { devices[index].zone.place.device.name }

    var problems: [String] { ledger.problems + [failure].compactMap { $0.map { "\($0)" } } }

    mutating func stop(_ error: any Error) { failure = error }

    mutating func run() async throws {
        for _ in 0..<50 where problems.isEmpty {
            try await step(Int.random(in: 0..<3, using: &random))
        }
        for round in 0..<9 where problems.isEmpty { try await sync(round % 3, "sync") }
        if problems.isEmpty { try await ledger.checkEnd(devices) }
    }

    private mutating func step(_ index: Int) async throws {
        switch Int.random(in: 0..<32, using: &random) {
        case 0..<12: try await apply(on: index, count: 1)
        case 12..<15: try await apply(on: index, count: 3)
        case 15..<24: try await sync(index, "sync")
        case 24..<26: try await sync(index, "fetch", onlyFetches: true)
        case 26..<28:
            remotes[index].rates = .init(before: 0.1, after: 0.3)
            try await sync(index, "sync with faults")
            remotes[index].rates = .init()
        case 28: try await change("delete", on: index) { try await $0.end(.deleted, isOnline: $1) }
        case 29: try await change("purge", on: index) { try await $0.end(.purged, isOnline: $1) }
        case 30: try await change("reset", on: index) { try await $0.end(.reset, isOnline: $1) }
        default: try await change("create", on: index) { try await $0.create(isOnline: $1) }
        }
    }

    // MARK: Steps

    private mutating func sync(
        _ index: Int, _ word: String, onlyFetches: Bool = false
    ) async throws {
        world.clock.advance(by: .seconds(1))
        var options = ExchangeOptions()
        options.onlyFetches = onlyFetches
        var text = "\(name(index)) \(word)"
        do { _ = try await devices[index].zone.exchange(options) } catch let failure as Failure {
            text += ", \(failure.code)"
            // Without faults, only a zone that is gone cannot be synced.
            if remotes[index].rates == .init(), failure.code != .notFound { self.failure = failure }
        }
        steps.append(text)
        try await ledger.didExchange(devices[index], on: index, in: world)
    }

    private mutating func change(
        _ word: String, on index: Int, _ body: (RecordDevice, Bool) async throws -> ZoneEntry?
    ) async throws {
        let isOnline = Bool.random(using: &random)
        // The commands receive first, if they can.
        if isOnline { try await sync(index, "fetch", onlyFetches: true) }
        _ = try await body(devices[index], isOnline)
        steps.append("\(name(index)) \(word) \(isOnline ? "online" : "offline")")
        try await ledger.didExchange(devices[index], on: index, in: world)
    }

    private mutating func apply(on index: Int, count: Int) async throws {
        let names = ["n0", "n1", "n2", "n3"].shuffled(using: &random).prefix(count)
        let operations = try names.map { try operation($0, on: index) }
        let isAtomic = Bool.random(using: &random)
        world.clock.advance(by: .seconds(1))
        let texts = operations.map(\.text).joined(separator: "; ")
        steps.append("\(name(index)) \(isAtomic ? "atomic " : "")\(texts)")
        if ledger.views[index].isGone {
            await #expect(throws: Failure.self) { try await devices[index].zone.apply(operations) }
            return
        }
        let results = try await devices[index].zone.apply(operations, isAtomic: isAtomic)
        for result in results where result.error != nil {
            steps[steps.count - 1] += ", \(result.name) refused"
        }
        ledger.didApply(
            operations, results, isAtomic: isAtomic, on: index,
            now: try await devices[index].zone.view())
    }

    private mutating func operation(_ name: String, on index: Int) throws -> RecordOperation {
        var operation = RecordOperation.delete(try RecordName(name))
        if Int.random(in: 0..<5, using: &random) > 0 {
            operation = .save(try RecordName(name), try RecordType("Note"), try fields(of: name))
            operation.replacesAll = Int.random(in: 0..<5, using: &random) == 0
            operation.existence =
                [.any, .any, .any, .mustExist, .mustNotExist].randomElement(using: &random) ?? .any
        }
        operation.policy = SavePolicy.allCases.randomElement(using: &random) ?? .merge
        switch Int.random(in: 0..<4, using: &random) {
        case 0: operation.tag = ledger.views[index].tags[name]?.description
        case 1:
            operation.tag = ledger.tags[name]?.keys.sorted().randomElement(using: &random)
        default: break
        }
        return operation
    }

    /// Some fields with new values, now and then with one that was there before, or none.
    private mutating func fields(of name: String) throws -> [FieldName: FieldValue?] {
        var fields: [FieldName: FieldValue?] = [:]
        for field in ["x", "y", "z"] where Bool.random(using: &random) {
            count += 1
            let former = ledger.tags[name]?.sorted { $0.key < $1.key }.compactMap {
                $0.value?[field]
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: fields.updateValue(nil, forKey: try FieldName(field))
            case 1:
                fields[try FieldName(field)] =
                    former?.randomElement(using: &random) ?? .integer(count)
            default: fields[try FieldName(field)] = .integer(count)
            }
        }
        return fields
    }
}

extension RecordOperation {
    /// The operation in a few words.
    fileprivate var text: String {
        var words = [kind == .save ? (replacesAll ? "replace" : "save") : "delete", name.text]
        words += fields.sorted { $0.key < $1.key }.map { field, value in
            if case .integer(let number)? = value {
                "\(field.text)=\(number)"
            } else {
                "\(field.text)=null"
            }
        }
        words.append(policy.rawValue)
        if existence != .any { words.append("\(existence)") }
        if let tag { words.append("if \(tag)") }
        return words.joined(separator: " ")
    }
}
