import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// A remote whose process ends right before or after a commit is published.
final class DyingRemote: RemoteWrapper {
    private struct Death {
        var commit: Int
        var isAfter: Bool
    }

    let wrapped: any Remote
    private let death = Mutex<Death?>(nil)

    init(remote: any Remote) { wrapped = remote }

    /// The process ends before the commit with this number from now on, 1 for the next one.
    func willDie(beforePublishing number: Int) {
        death.withLock { $0 = Death(commit: number, isAfter: false) }
    }

    func willDie(afterPublishing number: Int) {
        death.withLock { $0 = Death(commit: number, isAfter: true) }
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let isNow = death.withLock { death -> Death? in
            death?.commit -= 1
            guard let found = death, found.commit == 0 else { return nil }
            death = nil
            return found
        }
        let killed = Failure(.interrupted, "The run was killed.", remedy: "This is a test.")
        if isNow?.isAfter == false { throw killed }
        let outcome = try await wrapped.publish(bytes, to: slot)
        if isNow != nil { throw killed }
        return outcome
    }
}
