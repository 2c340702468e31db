package import FilesinkiItems
package import FilesinkiModel
package import FilesinkiSQLite

/// The name of a value.
package typealias ValueKey = ItemKey
/// Where a key-value store of a replica is, and how it reaches its remote.
package typealias KeyValuePlace = ItemPlace<ValueKind>
/// One open key-value store of a replica.
package typealias KeyValues = ItemZone<ValueKind>
/// A value of this device that a merge replaced.
package typealias SupersededValue = Superseded<Register>
/// The result of an exchange of values.
package typealias ExchangeReport = ItemReport<Register>
/// The state of a key-value store on this device.
package typealias StoreStatus = ItemZoneStatus
/// The values that changed on this device at one time.
package typealias ValueEvent = ItemEvent
/// Reports the changes of a key-value store.
package typealias ValueObserver = ItemObserver<ValueKind>
/// A key-value store's file.
typealias KeyValueDatabase = ItemDatabase<ValueKind>

/// Keys and values as a kind of items.
package enum ValueKind: ItemKind {
    package typealias State = Register
    package typealias Question = CommandQuestion
    package typealias Answer = CommandAnswer

    package static var names: ItemNames {
        ItemNames(
            folder: "kv", zonePrefix: "kv-", command: "kv", zone: "key-value store", key: "key",
            content: "value", option: "store", canExport: true)
    }

    package static var file: ItemFileFormat {
        ItemFileFormat(
            // "fskv".
            application: 0x6673_6B76, version: 2,
            purpose: FilePurpose(
                name: "key-value file",
                damageRemedy:
                    "Move it away and run filesinki kv sync; what was published comes back."))
    }

    package static func migrate(_ file: OwnConnection, from version: Int64) throws(Failure) {
        try ValueMigration.migrate(file, from: version)
    }

    package static func merge(
        _ merge: ItemMerge<Register>, _ context: inout MergeContext<ValueKind>
    ) throws -> ItemOutcome<Register> {
        switch try outcome(merge, &context) {
        case .ours: return .ours
        case .theirs: return .theirs(reason: merge.ours.policy.name)
        case .both(let value, let policy):
            let held = Register(
                value, time: context.tick(), device: context.device, policy: policy)
            return .both(held, reason: nil)
        }
    }

    private static func outcome(
        _ item: ItemMerge<Register>, _ context: inout MergeContext<ValueKind>
    ) throws -> MergeOutcome {
        let merge = ValueMerge(
            base: item.base, ours: item.ours, theirs: item.theirs,
            horizon: HybridClock.horizon(context.now))
        if let merged = try commandOutcome(item.key, merge, &context) { return merged }
        guard item.isUnknown, !item.ours.hasSameContent(as: item.theirs) else {
            return merge.outcome
        }
        // A key that the store lacks is published, not removed.
        if item.theirs.value == nil { return .ours }
        let rules = [item.ours.policy, item.theirs.policy]
        guard rules.allSatisfy({ $0 == .newest }) else { return merge.outcome }
        switch item.initial {
        case .server: return .theirs
        case .local: return .ours
        case .newest: return merge.outcome
        }
    }

    /// The result of the key's merge command; nil without a command, or when it declined.
    private static func commandOutcome(
        _ key: ValueKey, _ merge: ValueMerge, _ context: inout MergeContext<ValueKind>
    ) throws -> MergeOutcome? {
        guard merge.isContested, let ours = merge.ours.value, let theirs = merge.theirs.value,
            let command = try context.database.mergeCommand(key)
        else { return nil }
        let question = CommandQuestion(
            key: key, command: command, base: merge.base.value, ours: ours, theirs: theirs)
        guard let answer = context.answers[question] else { throw question }
        if let problem = answer.problem { context.problems.append(problem) }
        guard let value = answer.value else { return nil }
        if value == theirs { return .theirs }
        return value == ours ? .ours : .both(value, merge.theirs.policy)
    }

    package static func answer(
        _ question: CommandQuestion, in folder: String
    ) async throws -> CommandAnswer {
        try await CommandMerge(question: question).answer(in: folder)
    }

    package static func isOverLimits(_ database: ItemDatabase<ValueKind>) throws -> Bool {
        try database.usage().isOver(database.limits())
    }
}

extension Register: ItemState {
    package static func removed(at time: Int64) -> Register {
        Register(nil, time: time, device: [])
    }

    package init?(encoded bytes: [UInt8], time: Int64) {
        guard let decoded = ValueRecord.decode(bytes, time: time) else { return nil }
        self = decoded
    }

    package static func isNewer(_ bytes: [UInt8]) -> Bool { ValueRecord.isNewer(bytes) }

    package var encoded: [UInt8]? { value == nil ? nil : ValueRecord.encode(self) }

    package var size: Int { value?.size ?? 0 }

    package var isRemoved: Bool { value == nil }

    /// Whether both have the same value and policy, regardless of device and time.
    package func hasSameContent(as other: Register) -> Bool {
        value == other.value && policy == other.policy
    }

    /// A change of the policy alone is not reported.
    package func isReported(after former: Register) -> Bool { value != former.value }
}
