import Glibc

/// Waits for a command until its time is over, and keeps what it prints.
struct CommandWait {
    let child: pid_t
    /// The end of a pipe that is read without waiting.
    let output: Int32
    let limit: Duration
    private var bytes: [UInt8] = []

    init(child: pid_t, output: Int32, limit: Duration) {
        self.child = child
        self.output = output
        self.limit = limit
    }

    /// How long one look lasts while the command prints nothing, in milliseconds.
    private static let pause: Int32 = 20

    consuming func finish() -> UserCommand.Outcome {
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
            isOpen = look(isOpen)
        }
    }

    /// Waits a moment for output.
    ///
    /// - Returns: Whether more may come.
    private mutating func look(_ isOpen: Bool) -> Bool {
        guard isOpen else {
            poll(nil, 0, 1)
            return false
        }
        var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Self.pause) > 0 ? read() : true
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
