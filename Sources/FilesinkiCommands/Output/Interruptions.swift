import Dispatch
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
    /// Has something said before SIGINT ends the process, as it always does; a second one does not wait for that.
    package var beforeEnd: @Sendable (_ say: @escaping @Sendable () -> Void) -> Void

    package init(
        listen: @escaping @Sendable () -> AsyncStream<Interruption>,
        beforeEnd: @escaping @Sendable (_ say: @escaping @Sendable () -> Void) -> Void = { _ in }
    ) {
        self.listen = listen
        self.beforeEnd = beforeEnd
    }

    /// Nobody interrupts, as in most tests.
    package static let none = Interruptions { AsyncStream { _ in } }
}

extension Console {
    /// Runs some work until it ends, or until the process is asked to end; then the work is cancelled,
    /// and waited for.
    func untilInterrupted(
        _ work: @escaping @Sendable () async throws -> ExitCode
    ) async throws -> ExitCode {
        let signals = interruptions.listen()
        return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
            let stop = Mutex<Interruption?>(nil)
            group.addTask {
                for await interruption in signals {
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

extension Interruptions {
    /// The signals of this process, and the closing of its standard output by the reader.
    package static let ofProcess = Interruptions {
        AsyncStream { continuation in
            // A closed pipe is to be an error of the writer, not the end of the process.
            signal(SIGPIPE, SIG_IGN)
            guard let signals = SignalPipe.open([SIGINT, SIGTERM]) else { return }
            DispatchQueue.global().async {
                let first = waitForEnd(signals)
                continuation.yield(first)
                continuation.finish()
                if case .signal(let number) = first { endLate(number) }
            }
        }
    } beforeEnd: { say in
        guard !SignalPipe.isIgnored(SIGINT), let signals = SignalPipe.open([SIGINT]) else {
            return
        }
        DispatchQueue.global().async {
            var number: UInt8 = 0
            // The process has the writing end itself, so the pipe does not end.
            while read(signals, &number, 1) != 1 {}
            say()
            // The handler is gone since it was called.
            kill(getpid(), Int32(number))
        }
    }

    /// How long a command has to end by itself. One that writes to a full pipe would never.
    private static let grace: UInt32 = 3

    /// Blocks until a signal comes or standard output is closed at its other end.
    private static func waitForEnd(_ signals: Int32) -> Interruption {
        var watched = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            // poll(2) reports errors without being asked.
            pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
        ]
        while true {
            guard poll(&watched, 2, -1) > 0 else { continue }
            var number: UInt8 = 0
            if watched[0].revents != 0, read(signals, &number, 1) == 1 {
                return .signal(Int32(number))
            }
            if watched[1].revents & Int16(POLLERR) != 0 { return .readerGone }
            // A stream that was never open says so again and again.
            if watched[1].revents != 0 { watched[1].fd = -1 }
        }
    }

    private static func endLate(_ number: Int32) {
        sleep(grace)
        // The handler is gone since it was called.
        kill(getpid(), number)
    }
}

/// A pipe into which a handler writes the number of each signal: hardly anything else may be done in
/// one (signal-safety(7)).
private enum SignalPipe {
    private static let writingEnd = Atomic<Int32>(-1)

    /// - Returns: The reading end; nil when no pipe can be created.
    static func open(_ numbers: [Int32]) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        writingEnd.store(ends[1], ordering: .relaxed)
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            var byte = UInt8(truncatingIfNeeded: number)
            let saved = errno
            _ = write(SignalPipe.writingEnd.load(ordering: .relaxed), &byte, 1)
            errno = saved
        }
        // A second signal of the kind does what it always does.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
        for number in numbers where !isIgnored(number) {
            sigaction(number, &action, nil)
        }
        return ends[0]
    }

    /// Whether whoever started the process wants it to go on, as a shell does for what it starts in
    /// the background.
    static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        sigaction(number, nil, &present)
        // SIG_IGN is the number 1, not a function.
        return unsafeBitCast(present.__sigaction_handler, to: Int.self) == 1
    }
}
