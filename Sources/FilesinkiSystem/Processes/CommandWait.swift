import CKernel
import Glibc

/// Waits for a command until its time is over, and keeps what it prints.
struct CommandWait {
    let child: pid_t
    /// The end of a pipe that is read without waiting.
    let output: Int32
    let limit: Duration
    private var bytes: [UInt8] = []
    /// Becomes readable when the child ends; -1 where the kernel has no such thing.
    private let process: Int32

    init(child: pid_t, output: Int32, limit: Duration) {
        self.child = child
        self.output = output
        self.limit = limit
        process = fsk_process_file(child)
    }

    /// Without a file of the process: how long one look lasts while the command prints nothing, in milliseconds.
    private static let pause: Int32 = 20

    consuming func finish() -> UserCommand.Outcome {
        defer { if process >= 0 { close(process) } }
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        var isOpen = true
        while true {
            var status: Int32 = 0
            if waitpid(child, &status, WNOHANG) == child {
                if isOpen { _ = read() }
                // Whatever it left running ends here, too.
                kill(-child, SIGKILL)
                return .ended(code: Self.code(status), output: bytes)
            }
            guard clock.now < end else {
                kill(-child, SIGKILL)
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                return .ranOutOfTime
            }
            isOpen = look(isOpen, clock.now.duration(to: end))
        }
    }

    /// Waits for output, for the end of the child or of its time.
    ///
    /// - Returns: Whether more output may come.
    private mutating func look(_ isOpen: Bool, _ left: Duration) -> Bool {
        var files = [
            pollfd(fd: isOpen ? output : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: process, events: Int16(POLLIN), revents: 0),
        ]
        var pause = isOpen ? Self.pause : 1
        if process >= 0 {
            // In pieces of an hour at most; in small ones at the end.
            let seconds = min(max(left.components.seconds, 0), 3600)
            pause = seconds > 0 ? Int32(seconds) * 1000 : Self.pause
        }
        _ = poll(&files, 2, pause)
        return files[0].revents != 0 ? read() : isOpen
    }

    /// Takes what is there.
    ///
    /// - Returns: Whether more may come.
    private mutating func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(output, &buffer, buffer.count)
            guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
            let room = UserCommand.outputLimit - bytes.count
            bytes.append(contentsOf: buffer[..<min(count, max(room, 0))])
        }
    }

    private static func code(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
