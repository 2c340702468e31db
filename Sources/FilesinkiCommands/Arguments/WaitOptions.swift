import ArgumentParser
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// The time limits of a command.
struct WaitOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "How long to wait for another run to finish, e.g. 30s or 5m.", valueName: "time"))
    var lockWait = "10s"

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            Time limit for the whole command, e.g. 30s or 5m. On expiry it exits with 75 and keeps \
            completed work.
            """,
            valueName: "time"))
    var timeout: String?

    /// No limit, and the usual wait for other runs.
    static var none: WaitOptions {
        var options = WaitOptions()
        options.lockWait = "10s"
        options.timeout = nil
        return options
    }

    /// In seconds; nil without a limit.
    func limit() throws(Failure) -> Int64? {
        guard let timeout else { return nil }
        let seconds = try TimeText.length(timeout)
        return seconds == 0 ? nil : seconds
    }

    /// The same with a later limit, for a command that ends by itself at its limit.
    func extended(bySeconds seconds: Int64) -> WaitOptions {
        var options = self
        if let limit = try? limit() { options.timeout = "\(limit &+ seconds)s" }
        return options
    }
}

/// Whether a command waits until its change is published.
struct PublishWaitOption: ParsableArguments {
    @Flag(
        name: .long,
        help: """
            Exit with 75 if the change could not be published; with --timeout, retry until then.
            """)
    var wait = false

    /// Refuses a time behind `--wait`, which takes none, as other options here do: it would be a path.
    func check(_ paths: [String], in console: Console) throws(Failure) {
        guard wait else { return }
        for path in paths where DurationText.seconds(of: path, needsUnit: true) != nil {
            let place = FilePlace.absolute(ArgumentText.bytes(of: path), in: console.currentFolder)
            guard FileCall.status(place) == nil else { continue }
            throw Failure(
                .usage, path: ArgumentText.bytes(of: path), "--wait takes no time.",
                remedy: "Write --wait --timeout \(path).")
        }
    }
}

extension TimeText {
    /// Parses a duration, in seconds.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid duration.
    static func length(_ text: String) throws(Failure) -> Int64 {
        guard let seconds = DurationText.seconds(of: text) else {
            throw Failure(
                .usage, path: ArgumentText.bytes(of: text), "Invalid duration.",
                remedy: "Write it as 30s, 5m or 2h.")
        }
        return seconds
    }
}

/// The time limit of a command, also of one that hangs in a system call.
enum Deadline {
    /// The time to clean up after the limit.
    private static let grace = Duration.milliseconds(250)

    private enum Event: Sendable {
        case ended(Result<ExitCode, any Error>)
        case isOver, graceIsOver
    }

    /// Runs `work` with a time limit.
    ///
    /// Work that does not end within the limit is abandoned: the process is about to exit, and every
    /// state that a killed run leaves is consistent.
    ///
    /// - Parameters:
    ///   - limit: Nil for no limit.
    ///   - timer: Waits.
    ///   - uploaded: The bytes that are uploaded and not published, when the time is over.
    /// - Throws: What the work throws; `Failure` with code `away` when the time is over.
    static func enforce(
        _ limit: Duration?, timer: @escaping @Sendable (Duration) async throws -> Void,
        uploaded: @Sendable () -> Int64 = { 0 },
        _ work: @escaping @Sendable () async throws -> ExitCode
    ) async throws -> ExitCode {
        guard let limit else { return try await work() }
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let reason = RetryReason()
        let worker = RetryReason.$current.withValue(reason) {
            Self.start(work, continuation)
        }
        let clock = Task {
            try await timer(limit)
            continuation.yield(.isOver)
            try await timer(grace)
            continuation.yield(.graceIsOver)
        }
        defer { clock.cancel() }
        guard let code = try await outcome(events, worker) else {
            throw expired(uploaded(), reason.last)
        }
        return code
    }

    private static func start(
        _ work: @escaping @Sendable () async throws -> ExitCode,
        _ continuation: AsyncStream<Event>.Continuation
    ) -> Task<Void, Never> {
        Task {
            do { continuation.yield(.ended(.success(try await work()))) } catch {
                continuation.yield(.ended(.failure(error)))
            }
        }
    }

    /// - Returns: Nil when the time is over.
    private static func outcome(
        _ events: AsyncStream<Event>, _ worker: Task<Void, Never>
    ) async throws -> ExitCode? {
        var isOver = false
        for await event in events {
            switch event {
            case .ended(.success(let code)): return code
            case .ended(.failure(let error)):
                if isOver { return nil }
                throw error
            case .isOver:
                isOver = true
                worker.cancel()
            case .graceIsOver: return nil
            }
        }
        return nil
    }

    /// - Parameter reason: Why the remote was not reached; nil if it was.
    private static func expired(_ uploaded: Int64, _ reason: Failure?) -> Failure {
        let uploads =
            uploaded > 0 ? ", and \(SizeText.text(uploaded)) of uploads that the next run uses" : ""
        return Failure(
            .away,
            "The time limit of --timeout has expired."
                + (reason.map { " The remote was not reached: \($0.withoutRemedy)" } ?? ""),
            remedy: "Completed work is kept\(uploads). Run the command again.")
    }
}

extension Failure {
    /// Where and what, without what to do about it.
    var withoutRemedy: String { Failure(code, path: path, message, remedy: "").description }
}
