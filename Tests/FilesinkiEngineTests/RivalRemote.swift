import FilesinkiRemote
import Synchronization

/// A remote where something happens right before a commit is published: so its slot may be taken.
final class RivalRemote: RemoteWrapper {
    private struct RecordedAction {
        /// So many commits are published before.
        var skip: Int
        var body: @Sendable () async throws -> Void
    }

    let wrapped: any Remote
    private let deed = Mutex<RecordedAction?>(nil)

    init(remote: any Remote) { wrapped = remote }

    /// Does something before a commit is published, once.
    ///
    /// - Parameter skip: So many commits are published before; 0 for the next one.
    func beforePublishing(
        skipping skip: Int = 0, _ body: @escaping @Sendable () async throws -> Void
    ) {
        deed.withLock { $0 = RecordedAction(skip: skip, body: body) }
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let body = deed.withLock { deed -> (@Sendable () async throws -> Void)? in
            guard let found = deed else { return nil }
            deed = found.skip == 0 ? nil : RecordedAction(skip: found.skip - 1, body: found.body)
            return found.skip == 0 ? found.body : nil
        }
        try await body?()
        return try await wrapped.publish(bytes, to: slot)
    }
}
