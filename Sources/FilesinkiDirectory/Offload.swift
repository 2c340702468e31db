import Dispatch

/// Runs a blocking call on a thread of its own, so that the few threads of Swift's tasks stay free.
func offload<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}
