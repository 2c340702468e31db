import FilesinkiModel

/// Passes on what reads, and refuses what would change the store.
package struct ReadOnlyRemote: RemoteWrapper {
    package let wrapped: any Remote

    package init(_ wrapped: any Remote) { self.wrapped = wrapped }

    /// - Throws: ``FilesinkiModel/Failure`` with code `not-allowed`, always.
    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        throw refusal(slot)
    }

    /// - Throws: ``FilesinkiModel/Failure`` with code `not-allowed`, always.
    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws { throw refusal(key) }

    /// - Throws: ``FilesinkiModel/Failure`` with code `not-allowed`, always.
    package func delete(_ key: ObjectKey) async throws { throw refusal(key) }

    private func refusal(_ key: ObjectKey) -> Failure {
        Failure(
            .notAllowed, path: key.description, "The remote is open for reading only.",
            remedy: "Run the command again without asking for a read-only remote.")
    }
}
