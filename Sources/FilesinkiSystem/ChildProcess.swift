import CKernel
package import Glibc

/// A program to start beside this one, with streams, signals and a group of its own.
///
/// The threads of a pool hold signals back, and what they start would inherit that: it could not be
/// asked to end, and a shell would never hear that its own child has ended. So a child begins with no
/// signal held back, and dies of a broken pipe as programs do, whatever this process ignores.
package struct ChildProcess: Sendable {
    /// What one of the child's streams is.
    package enum Stream: Sendable {
        /// A descriptor of this process.
        case descriptor(Int32)
        /// A file, opened with the flags and the mode of open(2).
        case file(String, flags: Int32, mode: mode_t)
    }

    /// Who hears with the child what is typed at the terminal, and what is sent to a group.
    package enum Group: Sendable {
        /// This process.
        case shared
        /// What the child starts.
        case own
        /// The same, without any terminal.
        case session
    }

    /// The program's file.
    package var program: String
    /// What it is given, its own name first.
    package var words: [[UInt8]]
    /// `NAME=value` each; nil for that of this process.
    package var environment: [[UInt8]]?
    /// By the child's descriptors. Beside these it has 0, 1 and 2 as they are here and no others: a
    /// socket that it kept open would go on taking connections for a server that is gone.
    package var streams: [Int32: Stream]
    package var group: Group
    /// Whether the child dies of a broken pipe also where this process ignores them.
    package var diesOfBrokenPipe: Bool

    package init(
        _ program: String, _ words: [[UInt8]], environment: [[UInt8]]? = nil,
        streams: [Int32: Stream] = [:], group: Group = .shared, diesOfBrokenPipe: Bool = true
    ) {
        self.program = program
        self.words = words
        self.environment = environment
        self.streams = streams
        self.group = group
        self.diesOfBrokenPipe = diesOfBrokenPipe
    }

    /// Why there is no child.
    package struct NotStarted: Error {
        /// What posix_spawn(3) said.
        package var error: Int32
    }

    /// `POSIX_SPAWN_SETSID` of the C library's spawn.h, which only its GNU dialect shows.
    private static let ownSession: Int16 = 0x80

    /// Starts it. Who does so waits for its end.
    package func start() throws(NotStarted) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        open(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&attributes)
        var child: pid_t = 0
        let error = withCStrings(words) { argv in
            guard let environment else {
                return posix_spawn(&child, program, &actions, &attributes, argv, environ)
            }
            return withCStrings(environment) {
                posix_spawn(&child, program, &actions, &attributes, argv, $0)
            }
        }
        guard error == 0 else { throw NotStarted(error: error) }
        return child
    }

    private func open(_ actions: inout posix_spawn_file_actions_t) {
        for (number, stream) in streams.sorted(by: { $0.key < $1.key }) {
            switch stream {
            case .descriptor(let own): posix_spawn_file_actions_adddup2(&actions, own, number)
            case .file(let path, let flags, let mode):
                posix_spawn_file_actions_addopen(&actions, number, path, flags, mode)
            }
        }
        let last = max(streams.keys.max() ?? 0, STDERR_FILENO)
        _ = fsk_close_from(&actions, last + 1)
    }

    private func prepare(_ attributes: inout posix_spawnattr_t) {
        var flags = Int16(POSIX_SPAWN_SETSIGMASK)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        if diesOfBrokenPipe {
            sigaddset(&signals, SIGPIPE)
            posix_spawnattr_setsigdefault(&attributes, &signals)
            flags |= Int16(POSIX_SPAWN_SETSIGDEF)
        }
        switch group {
        case .shared: break
        case .own:
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= Int16(POSIX_SPAWN_SETPGROUP)
        case .session: flags |= Self.ownSession
        }
        posix_spawnattr_setflags(&attributes, flags)
    }
}

/// Calls `body` with the strings as C has lists of them: each ended by NUL, the list by nil.
private func withCStrings<Result>(
    _ strings: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { bytes in
        bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.flatMap {
                strndup($0.assumingMemoryBound(to: CChar.self), bytes.count)
            }
        }
    }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}

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
            isOpen = pollOnce(isOpen, clock.now.duration(to: end))
        }
    }

    /// Waits for output, for the end of the child or of its time.
    ///
    /// - Returns: Whether more output may come.
    private mutating func pollOnce(_ isOpen: Bool, _ left: Duration) -> Bool {
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
