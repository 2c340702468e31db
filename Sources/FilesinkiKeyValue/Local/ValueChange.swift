package import FilesinkiItems
package import FilesinkiModel
import FilesinkiSQLite

/// A change of one key.
package struct ValueChange: Sendable {
    package var key: ValueKey
    /// Nil removes the key.
    package var value: TypedValue?
    /// Nil keeps the key's policy.
    package var policy: MergePolicy?
    /// The command that merges the key on this device from now on; empty for none, nil to keep it. It is
    /// never published, as a store must not be able to run commands on devices.
    package var command: String?

    package init(
        _ key: ValueKey, _ value: TypedValue?, policy: MergePolicy? = nil, command: String? = nil
    ) {
        self.key = key
        self.value = value
        self.policy = policy
        self.command = command
    }

    /// The change with the value added to a former one: to a number, or to an array the elements that it lacks. The policy
    /// becomes `sum` or `union` unless one is given.
    ///
    /// - Throws: `Failure` with code `usage` for values that cannot be added.
    package func added(to former: TypedValue?) throws(Failure) -> ValueChange {
        var result = self
        switch (value, former) {
        case (.integer, nil), (.double, nil), (.array, nil): break
        case (.integer(let step)?, .integer(let number)?):
            let (sum, overflow) = number.addingReportingOverflow(step)
            guard !overflow else { throw refused("The sum does not fit into 64 bits.") }
            result.value = .integer(sum)
        case (.double(let step)?, .double(let number)?): result.value = .double(number + step)
        case (.array(let new)?, .array(let elements)?):
            let known = Set(elements)
            result.value = .array(elements + new.filter { !known.contains($0) })
        default: throw refused("The value cannot be added to the present one.")
        }
        if case .array? = value {
            result.policy = policy ?? .union
        } else {
            result.policy = policy ?? .sum
        }
        return result
    }

    private func refused(_ message: String) -> Failure {
        Failure(
            .usage, path: key.bytes, message,
            remedy: "Add a number to a number of the same type, or an array to an array.")
    }
}

extension KeyValues {
    /// Applies several changes on this device, in one transaction: all are on disk when this returns, or
    /// none.
    ///
    /// A key with the policy `max` never decreases, and one with `min` never increases, except by its
    /// removal.
    ///
    /// - Returns: The keys whose value changed.
    /// - Throws: `Failure` with code `limit` when a limit would be exceeded, which is also recorded as an
    ///   event; `usage` when a key is too long, or a key cannot hold the value.
    @discardableResult
    package func apply(_ changes: [ValueChange]) throws -> [ValueKey] {
        try update { _ in changes }
    }

    /// As ``apply(_:)``, with changes that depend on the present values: reads and writes are one
    /// transaction.
    ///
    /// - Parameter body: Receives a function that reads a key's value.
    @discardableResult
    package func update(
        _ body: sending ((ValueKey) throws -> TypedValue?) throws -> [ValueChange]
    ) throws -> [ValueKey] {
        try ChangeTransaction(database: database, device: self.device.id, now: now).update(body)
    }
}

/// Applies changes of this device in one transaction.
struct ChangeTransaction {
    let database: KeyValueDatabase
    let device: [UInt8]
    let now: Timestamp

    func update(
        _ body: ((ValueKey) throws -> TypedValue?) throws -> [ValueChange]
    ) throws -> [ValueKey] {
        var changes: [ValueChange] = []
        do {
            return try database.write {
                changes = try body { try database.item($0)?.ours.value }
                return try change(changes)
            }
        } catch let failure as Failure where failure.code == .limit {
            let keys = changes.map(\.key)
            try database.write { try database.recordEvent(.quota, keys, at: now) }
            throw failure
        }
    }

    private func change(_ changes: [ValueChange]) throws -> [ValueKey] {
        let limits = try database.limits()
        let former = try database.usage()
        var clock = HybridClock(last: try database.number("clock") ?? 0)
        let time = clock.tick(now)
        var changed: [ValueKey] = []
        for change in changes {
            if try self.change(change, at: time, limits) { changed.append(change.key) }
        }
        guard !changed.isEmpty else { return [] }
        try limits.check(database.usage(), after: former)
        try database.set("clock", number: clock.last)
        try database.recordEvent(.local, changed, at: now)
        return changed
    }

    /// - Returns: Whether the value changed.
    private func change(_ change: ValueChange, at time: Int64, _ limits: Limits) throws -> Bool {
        if let command = change.command { try database.set(mergeCommand: command, of: change.key) }
        var item = try database.item(change.key) ?? .new(change.key)
        let policy = change.policy ?? item.ours.policy
        var value = change.value
        // The policies max and min also hold between two programs on one device.
        if policy == item.ours.policy, let former = item.ours.value, let new = value {
            value = ValueOrder.chosen(by: policy, former, new) ?? new
        }
        let held = Register(value, time: time, device: device, policy: policy)
        guard !held.hasSameContent(as: item.ours) else { return false }
        if let value {
            try limits.check(change.key)
            try check(value, of: change.key)
            try limits.check(value.size, replacing: item.ours.value?.size ?? 0, of: change.key)
        }
        item.ours = held
        try database.put(item)
        return true
    }

    /// Refuses a value that cannot be stored and read again.
    private func check(_ value: TypedValue, of key: ValueKey) throws(Failure) {
        if case .null = value {
            throw Failure(
                .usage, path: key.bytes, "A key cannot hold null.",
                remedy: "Remove the key with kv unset.")
        }
        guard ValueCoder.decode(ValueCoder.encode(value)) != nil else {
            throw Failure(
                .usage, path: key.bytes,
                "The value cannot be stored: it holds NaN, or is nested too deeply.",
                remedy: "Use numbers, and at most \(ValueCoder.maximumDepth) levels.")
        }
    }
}
