import FilesinkiRemote

/// A remote that lets others go on, or does what a test wants, before each publication: what happens
/// while a commit is on its way happens here.
struct SlowRemote: RemoteWrapper {
    let wrapped: any Remote
    private let meanwhile: @Sendable () async throws -> Void

    init(
        _ wrapped: any Remote,
        meanwhile: @escaping @Sendable () async throws -> Void = {
            for _ in 0..<20 { await Task.yield() }
        }
    ) {
        self.wrapped = wrapped
        self.meanwhile = meanwhile
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await meanwhile()
        return try await wrapped.publish(bytes, to: slot)
    }
}
