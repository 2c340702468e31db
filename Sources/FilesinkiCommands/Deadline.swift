import FilesinkiModel

/// Ends a command when its time is over, also one that hangs in a system call.
enum Deadline {
    /// How long a command may take to clean up once its time is over.
    private static let grace = Duration.milliseconds(250)

    private enum Event: Sendable {
        case ended(Result<ExitCode, any Error>)
        case isOver, graceIsOver
    }

    /// Does the work, for as long as `limit` at most.
    ///
    /// What has not ended when the time is over is left behind: the process is about to end, and
    /// every state that a killed run leaves is a good one.
    ///
    /// - Parameters:
    ///   - limit: Nil for no limit.
    ///   - timer: Waits.
    /// - Throws: What the work throws; `Failure` with code `away` when the time is over.
    static func run(
        _ limit: Duration?, timer: @escaping @Sendable (Duration) async throws -> Void,
        _ work: @escaping @Sendable () async throws -> ExitCode
    ) async throws -> ExitCode {
        guard let limit else { return try await work() }
        let (events, teller) = AsyncStream<Event>.makeStream()
        let worker = Task {
            do { teller.yield(.ended(.success(try await work()))) } catch {
                teller.yield(.ended(.failure(error)))
            }
        }
        let clock = Task {
            try await timer(limit)
            teller.yield(.isOver)
            try await timer(grace)
            teller.yield(.graceIsOver)
        }
        defer { clock.cancel() }
        return try await outcome(events, worker)
    }

    private static func outcome(
        _ events: AsyncStream<Event>, _ worker: Task<Void, Never>
    ) async throws -> ExitCode {
        var isOver = false
        for await event in events {
            switch event {
            case .ended(.success(let code)): return code
            case .ended(.failure(let error)): throw isOver ? failure : error
            case .isOver:
                isOver = true
                worker.cancel()
            case .graceIsOver: throw failure
            }
        }
        throw failure
    }

    private static let failure = Failure(
        .away, "The time that --timeout gives is over.",
        remedy: "What was done so far is kept; run it again.")
}
