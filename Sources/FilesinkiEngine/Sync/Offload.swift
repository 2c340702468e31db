import Dispatch

/// Carries out blocking work on a thread of its own, so that the few threads on which tasks run stay
/// free for those that compute.
func offload<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws
    -> Result
{
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}
