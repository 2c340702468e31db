/// A remote that forwards every request to another one, except those that it implements itself.
package protocol RemoteWrapper: Remote {
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
    /// This remote, or the first one inside its wrappers, that conforms to a capability; nil if none does.
    package func unwrapped<Capability>(as capability: Capability.Type) -> Capability? {
        if let found = self as? Capability { return found }
        return (self as? any RemoteWrapper)?.wrapped.unwrapped(as: capability)
    }
}
