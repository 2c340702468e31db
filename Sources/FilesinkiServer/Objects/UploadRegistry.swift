import FilesinkiDirectory
import FilesinkiProtocol
import Synchronization

/// The uploads that are under way: how many, and who writes to which.
final class UploadRegistry: Sendable {
    private struct State {
        var count = 0
        var named: [UploadID: StagedUpload] = [:]
    }

    private let state = Mutex(State())

    /// Does something that counts as an upload.
    ///
    /// - Throws: ``Refusal`` with 503 when there are `most` already.
    func hold<Result>(_ most: Int, _ body: () async throws -> Result) async throws -> Result {
        let isFree = state.withLock { state in
            guard state.count < most else { return false }
            state.count += 1
            return true
        }
        guard isFree else { throw Refusal.busy("Too many uploads are under way.") }
        defer { state.withLock { $0.count -= 1 } }
        return try await body()
    }

    /// Takes an upload over from a request whose connection may be long dead.
    ///
    /// - Parameter stage: Begins or continues it.
    /// - Throws: ``Refusal`` with 503 when its end is being written.
    func claim(
        _ id: UploadID, _ stage: () async throws -> StagedUpload
    ) async throws -> StagedUpload {
        try end(id)
        let staged = try await stage()
        state.withLock { $0.named[id] = staged }
        return staged
    }

    /// Lets nobody write to the upload any more.
    func end(_ id: UploadID) throws(Refusal) {
        guard let before = state.withLock({ $0.named[id] }) else { return }
        guard before.end() else { throw .busy("The upload is being completed.") }
        state.withLock { state in
            if state.named[id] === before { state.named[id] = nil }
        }
    }

    /// The request of an upload is over.
    func leave(_ id: UploadID?, _ staged: StagedUpload) {
        guard let id else { return }
        state.withLock { state in
            if state.named[id] === staged { state.named[id] = nil }
        }
    }
}
