import Dispatch

/// Runs blocking work on a thread of its own, so that the few threads of Swift's tasks stay free.
package func offload<Result: Sendable>(
    _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}
