import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// What ends a command that would go on for ever.
package enum Interruption: Hashable, Sendable {
    /// SIGINT or SIGTERM.
    case signal(Int32)
    /// Nobody reads standard output any more.
    case readerGone

    var exitCode: ExitCode {
        switch self {
        case .signal(SIGINT): .interrupted
        case .signal: .terminated
        case .readerGone: .done
        }
    }
}

/// Where a command hears that it is to end.
package struct Interruptions: Sendable {
    /// Begins to listen. What was not asked for ends the process as it always does.
    package var listen: @Sendable () -> AsyncStream<Interruption>

    package init(listen: @escaping @Sendable () -> AsyncStream<Interruption>) {
        self.listen = listen
    }

    /// Nobody interrupts, as in most tests.
    package static let none = Interruptions { AsyncStream { _ in } }
}

extension Console {
    /// Does some work until it ends, or until the process is told to end; then the work is cancelled,
    /// and waited for.
    func untilInterrupted(
        _ work: @escaping @Sendable () async throws -> ExitCode
    ) async throws -> ExitCode {
        let told = interruptions.listen()
        return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
            let stop = Mutex<Interruption?>(nil)
            group.addTask {
                for await interruption in told {
                    stop.withLock { $0 = interruption }
                    return nil
                }
                return nil
            }
            group.addTask {
                do {
                    return try await work()
                } catch let failure as Failure where failure.code == .readerGone {
                    return ExitCode.done
                }
            }
            let first = try await group.next()
            group.cancelAll()
            if let code = first ?? nil { return code }
            // How the work ends after it was cancelled is of no interest.
            while let _ = try? await group.next() {}
            return stop.withLock { $0 }?.exitCode ?? .interrupted
        }
    }
}
