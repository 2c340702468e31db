import FilesinkiText
import Synchronization

/// Tells a client how far one of its calls is, while the call is carried out.
///
/// A notification comes when the time since the last one allows it, and the newest one at last. While the client
/// does not read, one waits for it, and is replaced by the next.
package final class RPCProgress: Sendable {
    /// The notification.
    package static let method = "rpc.progress"
    /// The least time between two, in nanoseconds.
    package static let interval: Int64 = 100_000_000

    private struct State {
        /// What is not told yet; nil for nothing.
        var latest: [UInt8]?
        /// When something was told last.
        var told: Int64?
    }

    private let state = Mutex(State())
    private let news: AsyncStream<[UInt8]>.Continuation
    private let telling: Task<Void, Never>
    private let now: @Sendable () -> Int64

    fileprivate init(_ id: [UInt8], _ client: RPCClient, _ now: @escaping @Sendable () -> Int64) {
        let (stream, news) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(1))
        self.news = news
        self.now = now
        telling = Task {
            for await progress in stream {
                var parameters: JSONObject = ["id": .written(id)]
                parameters.add("progress", .written(progress))
                do { try await client.notify(Self.method, parameters.bytes) } catch { return }
            }
        }
    }

    /// - Parameter progress: JSON.
    package func tell(_ progress: [UInt8]) {
        let now = now()
        state.withLock { state in
            if let told = state.told, now &- told < Self.interval {
                state.latest = progress
                return
            }
            state = State(latest: nil, told: now)
            news.yield(progress)
        }
    }

    /// Tells the last one, and returns when the client has read everything.
    fileprivate func end() async {
        state.withLock { state in
            if let latest = state.latest { news.yield(latest) }
            state.latest = nil
        }
        news.finish()
        await telling.value
    }
}

extension RPCClient {
    /// Runs `body`, which tells the client the progress of a request. Nothing is told to a client whose request has no
    /// id, or is in a batch, which is answered by one line.
    ///
    /// - Parameter now: A clock in nanoseconds.
    package nonisolated func withProgress<Result: Sendable>(
        of request: RPCRequest, now: @escaping @Sendable () -> Int64,
        _ body: (RPCProgress?) async throws -> Result
    ) async throws -> Result {
        guard let id = request.id, !request.isInBatch else { return try await body(nil) }
        let progress = RPCProgress(id, self, now)
        do {
            let result = try await body(progress)
            await progress.end()
            return result
        } catch {
            await progress.end()
            throw error
        }
    }
}
