import Dispatch
import Glibc
import Synchronization

extension Interruptions {
    /// The signals of this process, and the end of whoever reads its standard output.
    package static let ofProcess = Interruptions {
        AsyncStream { continuation in
            // A closed pipe is to be an error of the writer, not the end of the process.
            signal(SIGPIPE, SIG_IGN)
            guard let signals = SignalPipe.open() else { return }
            DispatchQueue.global().async {
                let first = waitForEnd(signals)
                continuation.yield(first)
                continuation.finish()
                if case .signal(let number) = first { endLate(number) }
            }
        }
    }

    /// How long a command has to end by itself. One that writes to a full pipe would never.
    private static let grace: UInt32 = 3

    /// Blocks until a signal comes or standard output is closed at its other end.
    private static func waitForEnd(_ signals: Int32) -> Interruption {
        var watched = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            // Errors are told without being asked for.
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

    /// The reading end; nil when there is no pipe to be had.
    static func open() -> Int32? {
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
        for number in [SIGINT, SIGTERM] where !isIgnored(number) {
            sigaction(number, &action, nil)
        }
        return ends[0]
    }

    /// Whether whoever started the process wants it to go on, as a shell does for what it starts in
    /// the background.
    private static func isIgnored(_ number: Int32) -> Bool {
        var present = sigaction()
        sigaction(number, nil, &present)
        // SIG_IGN, which is no function that could be called, is the number 1.
        return unsafeBitCast(present.__sigaction_handler, to: Int.self) == 1
    }
}
