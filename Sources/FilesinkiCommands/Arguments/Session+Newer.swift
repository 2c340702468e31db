import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote

extension Session {
    /// The longest time between two looks: the remote's notice is only a hint.
    private static let longestWait = Duration.seconds(30)
    /// The time between two looks where nobody tells.
    private static let unnoticedWait = Duration.milliseconds(500)
    /// The shortest: a notice may come for every change of others.
    private static let shortestWait = Duration.milliseconds(20)

    /// Waits until a path has a version newer than `version`.
    ///
    /// Nobody is kept from the replica meanwhile.
    ///
    /// - Parameter done: Gets what the runs meanwhile have done.
    /// - Returns: A session that has it.
    /// - Throws: `Failure` with code `notFound` when the time is over and there is none, `away` when
    ///   that cannot be known.
    func awaitNewer(
        _ path: RelativePath, than version: UInt64, _ waiting: WaitOptions,
        _ done: inout SyncReport
    ) async throws -> Session {
        let end = try waiting.limit().map { console.systemContext.now().advanced(bySeconds: $0) }
        let remote = try await replica.remoteAddress.map { try settings.connect($0) }
        var options = SyncOptions()
        options.paths = [path]
        var session = self
        var isListening = false
        while true {
            let report = try await session.replica.sync(options)
            done.addCopies(of: report)
            let found = try await session.replica.list([path]).first { $0.0 == path }
            if let found, found.1.version > version { return session }
            let left = end.map { console.systemContext.now().duration(to: $0) }
            if let left, left <= .zero { throw report.away ?? Self.noneNewer(path, version) }
            let prefix = await session.replica.watchedPrefix
            if !isListening, let remote, let prefix {
                // A look after this finds what came before; what comes later ends the pause.
                isListening = true
                try? await remote.wait(prefix: prefix, timeout: .zero)
                continue
            }
            await session.replica.close()
            try await pause(min(left ?? Self.longestWait, Self.longestWait), remote, prefix)
            session = try await session.reopened()
        }
    }

    private static func noneNewer(_ path: RelativePath, _ version: UInt64) -> Failure {
        Failure(
            .notFound, path: path.bytes, "No version newer than \(version) came in time.",
            remedy: "Wait longer, or load what is there.")
    }

    /// Waits for a notice, or for as long as `duration`.
    private func pause(
        _ duration: Duration, _ remote: (any Remote)?, _ prefix: String?
    ) async throws {
        let sleep = console.systemContext.sleep
        let hint: @Sendable () async throws -> Void = {
            guard let remote, let prefix else { return try await sleep(Self.unnoticedWait) }
            do { try await remote.wait(prefix: prefix, timeout: duration) } catch {
                // A remote that is away gives no notice.
                try await sleep(min(Self.unnoticedWait * 10, duration))
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await hint() }
            group.addTask { try await sleep(duration) }
            try await group.next()
            group.cancelAll()
        }
        try Task.checkCancellation()
        try await sleep(min(Self.shortestWait, duration))
    }
}

extension Timestamp {
    /// Held to the largest moment there is.
    fileprivate func advanced(bySeconds seconds: Int64) -> Timestamp {
        let (scaled, isHuge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = nanoseconds.addingReportingOverflow(scaled)
        return Timestamp(nanoseconds: isHuge || overflow ? .max : sum)
    }

    fileprivate func duration(to end: Timestamp) -> Duration {
        .nanoseconds(end.nanoseconds.subtractingReportingOverflow(nanoseconds).partialValue)
    }
}
