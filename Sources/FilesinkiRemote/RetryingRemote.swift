package import FilesinkiModel

/// Tries again what failed because the remote was away or busy, as ``Retries`` does.
///
/// A publication is never simply repeated: its answer may have been lost on the way, so the slot is
/// read first, and only an empty one is published to again. A ``wait(prefix:timeout:)`` is passed on
/// once: a hint is not worth trying again.
package struct RetryingRemote: RemoteWrapper {
    package let wrapped: any Remote
    private let retries: Retries

    /// - Parameter tries: How often a request is made at most; 1 or more.
    package init(_ wrapped: any Remote, systemContext: SystemContext, tries: Int = 5) {
        self.wrapped = wrapped
        retries = Retries(systemContext, tries: tries)
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await retries.run { _ in try await wrapped.get(key, range: range) }
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await retries.run { _ in try await wrapped.read(requests) }
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await retries.run { isRepeated in
            if isRepeated, let there = try await wrapped.get(slot, range: nil) {
                return there == bytes ? .mine : .theirs(there)
            }
            return try await wrapped.publish(bytes, to: slot)
        }
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await retries.run { _ in try await wrapped.put(bytes, to: key) }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await retries.run { _ in
            try await wrapped.list(prefix: prefix, after: after, limit: limit)
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        try await retries.run { _ in try await wrapped.delete(key) }
    }
}
