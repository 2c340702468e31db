import FilesinkiModel
import FilesinkiRPC
import FilesinkiText
import Synchronization

/// The start of a watch: when what happens from then on is reported, or why it is not.
private final class WatchStart: Sendable {
    private let isOver = Mutex(false)
    private let outcomes: AsyncStream<Result<Void, RPCError>>
    private let continuation: AsyncStream<Result<Void, RPCError>>.Continuation

    init() { (outcomes, continuation) = AsyncStream.makeStream() }

    /// Ends the start. Only the first outcome counts.
    ///
    /// - Returns: Whether it is the first.
    @discardableResult
    func end(_ outcome: Result<Void, RPCError>) -> Bool {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { continuation.yield(outcome) }
        return isFirst
    }

    /// Waits for the outcome.
    ///
    /// - Throws: ``RPCError`` if the watch did not start, `CancellationError`.
    func wait() async throws {
        for await outcome in outcomes { return try outcome.get() }
        throw CancellationError()
    }
}

extension CommandService {
    /// Starts a command that goes on, and returns when what happens from now on will be reported.
    ///
    /// - Parameter event: The name of the notifications.
    /// - Returns: The result of the call.
    func startWatch(
        _ work: @escaping RPCMethod.Work, _ event: String, for client: RPCClient
    ) async throws -> [UInt8] {
        let start = WatchStart()
        let number = try await client.startWatch { number in
            let sink = LineSink { line in
                var parameters: JSONObject = ["watch": .integer(Int64(clamping: number))]
                parameters.add("event", .written(line))
                try await client.notify(event, parameters.bytes)
            }
            let failure = await outcome(of: work, sink, start)
            // A watch that did not start is the answer to its call.
            guard !start.end(.failure(failure)), !Task.isCancelled else { return }
            var parameters: JSONObject = ["watch": .integer(Int64(clamping: number))]
            parameters.add("error", .object(failure.json))
            try? await client.notify("rpc.watchEnded", parameters.bytes)
        }
        do { try await start.wait() } catch {
            _ = await client.cancelWatch(number)
            throw error
        }
        var result: JSONObject = ["type": "watch"]
        result.add("watch", number)
        return result.bytes
    }

    /// Starts a command that goes on, and returns when what happens from now on will be reported.
    ///
    /// - Parameter event: Receives what the command prints, and at last, if it ends by itself, why.
    func startWatch(
        _ request: RPCRequest, _ event: @escaping @Sendable ([UInt8]) -> Void
    ) async throws -> Task<Void, Never> {
        let work = try watch(request)
        let start = WatchStart()
        let task = Task {
            let failure = await outcome(of: work, LineSink { event($0) }, start)
            guard !start.end(.failure(failure)), !Task.isCancelled else { return }
            var ended: JSONObject = ["type": "ended"]
            ended.add("error", .object(failure.json))
            event(ended.bytes)
        }
        do { try await start.wait() } catch {
            task.cancel()
            throw error
        }
        return task
    }

    /// Runs a watch to its end, and returns why it ended.
    private func outcome(
        of work: RPCMethod.Work, _ sink: LineSink, _ start: WatchStart
    ) async -> RPCError {
        let context = CallContext(onReady: { start.end(.success(())) })
        do {
            let console = callConsole(context, output: sink)
            let code = try await work(console)
            try await console.output.drain()
            return RPCError(.exited(code), exit: code)
        } catch {
            return RPCError(thrown: error)
        }
    }
}
