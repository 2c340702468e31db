/// A remote that passes on to another what it is asked for, save for what it does itself.
package protocol RemoteWrapper: Remote {
    /// The other one.
    var wrapped: any Remote { get }
}

extension RemoteWrapper {
    package var address: String { wrapped.address }

    package var alternative: String { wrapped.alternative }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await wrapped.get(key, range: range)
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await wrapped.read(requests)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await wrapped.publish(bytes, to: slot)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await wrapped.put(bytes, to: key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await wrapped.list(prefix: prefix, after: after, limit: limit)
    }

    package func delete(_ key: ObjectKey) async throws { try await wrapped.delete(key) }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await wrapped.wait(prefix: prefix, timeout: timeout)
    }
}

extension Remote {
    /// The remote, or the one inside its wrappers, as something that only some remotes are; nil when
    /// none of them is it.
    package func unwrapped<Ability>(as ability: Ability.Type) -> Ability? {
        if let found = self as? Ability { return found }
        return (self as? any RemoteWrapper)?.wrapped.unwrapped(as: ability)
    }
}
