import FilesinkiRemote

/// A remote that lets others go on, or does what a test wants, before each publication or wait: what
/// happens while a commit is on its way, or between a look and a wait, happens here.
struct SlowRemote: RemoteWrapper {
    let wrapped: any Remote
    private let meanwhile: @Sendable () async throws -> Void
    private let beforeWait: @Sendable () async throws -> Void

    init(
        _ wrapped: any Remote,
        meanwhile: @escaping @Sendable () async throws -> Void = {
            for _ in 0..<20 { await Task.yield() }
        }, beforeWait: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.wrapped = wrapped
        self.meanwhile = meanwhile
        self.beforeWait = beforeWait
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await meanwhile()
        return try await wrapped.publish(bytes, to: slot)
    }

    /// A wait that only begins to listen is none.
    func wait(prefix: String, timeout: Duration) async throws {
        if timeout > .zero { try await beforeWait() }
        try await wrapped.wait(prefix: prefix, timeout: timeout)
    }
}
