import FilesinkiModel

/// Passes on what reads, and refuses what would change the store.
package struct ReadOnlyRemote: RemoteWrapper {
    package let wrapped: any Remote

    package init(_ wrapped: any Remote) { self.wrapped = wrapped }

    package var address: String { wrapped.address }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await wrapped.get(key, range: range)
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        try await wrapped.read(requests)
    }

    /// - Throws: ``FilesinkiModel/Failure`` with code `not-allowed`, always.
    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        throw refusal(slot)
    }

    /// - Throws: ``FilesinkiModel/Failure`` with code `not-allowed`, always.
    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws { throw refusal(key) }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await wrapped.list(prefix: prefix, after: after, limit: limit)
    }

    /// - Throws: ``FilesinkiModel/Failure`` with code `not-allowed`, always.
    package func delete(_ key: ObjectKey) async throws { throw refusal(key) }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await wrapped.wait(prefix: prefix, timeout: timeout)
    }

    private func refusal(_ key: ObjectKey) -> Failure {
        Failure(
            .notAllowed, path: key.description, "The remote is open for reading only.",
            remedy: "Run the command again without asking for a read-only remote.")
    }
}
