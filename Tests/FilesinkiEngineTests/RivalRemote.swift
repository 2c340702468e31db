import FilesinkiRemote
import Synchronization

/// A remote where something happens right before a commit is published: so its slot may be taken.
final class RivalRemote: RemoteWrapper {
    let wrapped: any Remote
    private let deed = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(remote: any Remote) { wrapped = remote }

    /// Does something before the next commit is published, once.
    func beforePublishing(_ body: @escaping @Sendable () async throws -> Void) {
        deed.withLock { $0 = body }
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let body = deed.withLock { deed in
            defer { deed = nil }
            return deed
        }
        try await body?()
        return try await wrapped.publish(bytes, to: slot)
    }
}
