import FilesinkiDirectory
import FilesinkiProtocol
import Synchronization

/// The uploads that are under way: how many, and who writes to which.
final class UploadRegistry: Sendable {
    private struct State {
        var count = 0
        var owners = OwnerCounts()
        var named: [UploadID: StagedUpload] = [:]
    }

    private let state = Mutex(State())

    /// Does something that counts as an upload.
    ///
    /// - Parameter owner: Whose share it counts for: a token's id, or an address.
    /// - Throws: ``RequestError``: 429 when the owner's share is used up, 503 when all of them are.
    func hold<Result>(
        _ limits: ServerLimits, owner: String, _ body: () async throws -> Result
    ) async throws -> Result {
        let refusal: RequestError? = state.withLock { state in
            guard state.owners.admit(owner, limit: limits.uploadsOfOne) else { return .tooMuch }
            guard state.count < limits.uploads else {
                state.owners.leave(owner)
                return .busy("Too many uploads are under way.")
            }
            state.count += 1
            return nil
        }
        if let refusal { throw refusal }
        defer { leave(owner) }
        return try await body()
    }

    private func leave(_ owner: String) {
        state.withLock { state in
            state.count -= 1
            state.owners.leave(owner)
        }
    }

    /// Takes an upload over from a request whose connection may be long dead.
    ///
    /// - Parameter stage: Begins or continues it.
    /// - Throws: ``RequestError`` with 503 when its end is being written.
    func claim(
        _ id: UploadID, _ stage: () async throws -> StagedUpload
    ) async throws -> StagedUpload {
        try end(id)
        let staged = try await stage()
        state.withLock { $0.named[id] = staged }
        return staged
    }

    /// Lets nobody write to the upload any more.
    func end(_ id: UploadID) throws(RequestError) {
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
