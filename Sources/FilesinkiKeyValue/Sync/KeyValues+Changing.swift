internal import FilesinkiModel
internal import FilesinkiSQLite

/// What is to be at a key.
package struct ValueChange: Sendable {
    package var key: ValueKey
    /// Nil removes the key.
    package var value: TypedValue?
    /// Nil keeps the key's policy.
    package var policy: MergePolicy?
    /// The command that merges the key on this device from now on; empty for none, nil to keep it. It is
    /// never published: a store must not be able to run a command here.
    package var command: String?

    package init(
        _ key: ValueKey, _ value: TypedValue?, policy: MergePolicy? = nil, command: String? = nil
    ) {
        self.key = key
        self.value = value
        self.policy = policy
        self.command = command
    }
}

extension KeyValues {
    /// Makes several changes at once, here: all are on disk when this returns, or none is.
    ///
    /// A key that is under `max` already does not become less, and one under `min` not greater, but by
    /// its removal.
    ///
    /// - Returns: The keys that hold something else now.
    /// - Throws: `Failure` with code `limit` when a limit would be broken, which is also noted as an
    ///   event; `usage` when a key is too long, or a value is none that a key can hold.
    @discardableResult
    package func apply(_ changes: [ValueChange]) throws -> [ValueKey] {
        try update { _ in changes }
    }

    /// As ``apply(_:)``, with changes that depend on what is here at that very moment: no other
    /// process changes anything between the reading and the writing.
    ///
    /// - Parameter body: Receives what reads a key's value.
    @discardableResult
    package func update(
        _ body: sending ((ValueKey) throws -> TypedValue?) throws -> [ValueChange]
    ) throws -> [ValueKey] {
        try LocalChange(database: database, device: memory.device.id, now: now).update(body)
    }
}

/// One change by this device, in one transaction.
struct LocalChange {
    let database: KeyValueDatabase
    let device: [UInt8]
    let now: Timestamp

    func update(
        _ body: ((ValueKey) throws -> TypedValue?) throws -> [ValueChange]
    ) throws -> [ValueKey] {
        var changes: [ValueChange] = []
        do {
            return try database.write {
                changes = try body { try database.item($0)?.here.value }
                return try change(changes)
            }
        } catch let failure as Failure where failure.code == .limit {
            let keys = changes.map(\.key)
            try database.write { try database.note(.quota, keys, at: now) }
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
        try database.note(.local, changed, at: now)
        return changed
    }

    /// Whether the key holds something else now.
    private func change(_ change: ValueChange, at time: Int64, _ limits: Limits) throws -> Bool {
        if let command = change.command { try database.set(mergeCommand: command, of: change.key) }
        var item = try database.item(change.key) ?? .new(change.key)
        let policy = change.policy ?? item.here.policy
        var value = change.value
        // Of two programs on one device, too, the greater or the smaller stays.
        if policy == item.here.policy, let former = item.here.value, let new = value {
            value = ValueOrder.chosen(by: policy, former, new) ?? new
        }
        let held = Register(value, time: time, device: device, policy: policy)
        guard !held.says(item.here) else { return false }
        if let value {
            try limits.check(change.key)
            try check(value, of: change.key)
            try limits.check(value.size, replacing: item.here.value?.size ?? 0, of: change.key)
        }
        item.here = held
        try database.put(item)
        return true
    }

    /// What cannot be stored and read again is refused.
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
