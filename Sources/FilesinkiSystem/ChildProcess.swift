import CKernel
package import Glibc

/// A child process with its own streams, signals and process group.
///
/// The child starts with an empty signal mask and the default action for broken pipes. Otherwise it
/// would inherit the mask of a pool thread: it could not be terminated, and a shell would not
/// notice the end of its own child.
package struct ChildProcess: Sendable {
    /// The source or target of one of the child's streams.
    package enum Stream: Sendable {
        /// A descriptor of this process.
        case descriptor(Int32)
        /// A file, opened with the flags and the mode of open(2).
        case file(String, flags: Int32, mode: mode_t)
    }

    /// The process group of the child, which receives signals from the terminal.
    package enum Group: Sendable {
        /// The group of this process.
        case shared
        /// A new group.
        case own
        /// A new session, without a terminal.
        case session
    }

    /// The path of the program.
    package var program: String
    /// The arguments, starting with its name.
    package var words: [[UInt8]]
    /// The environment as `NAME=value`; nil for that of this process.
    package var environment: [[UInt8]]?
    /// The streams by the child's descriptor. Besides these the child inherits only 0, 1 and 2, so
    /// that it keeps no socket of a server open.
    package var streams: [Int32: Stream]
    package var group: Group
    /// Whether a broken pipe ends the child even if this process ignores it.
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

    /// The environment of this process, as `NAME=value`.
    package static var inheritedEnvironment: [[UInt8]] {
        var pairs: [[UInt8]] = []
        var next = environ
        while let entry = next.pointee {
            pairs.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
            next += 1
        }
        return pairs
    }

    /// The child could not be started.
    package struct NotStarted: Error {
        /// The result of posix_spawn(3).
        package var error: Int32
    }

    /// `POSIX_SPAWN_SETSID` of spawn.h, which is only declared with GNU extensions.
    private static let ownSession: Int16 = 0x80

    /// Starts the child. The caller must wait for it.
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

    /// Runs the child to its end, and collects its standard output.
    ///
    /// - Parameter limit: The maximum size of the output in bytes.
    /// - Returns: The exit code, and the output; nil for one that is larger.
    package func collectOutput(
        limit: Int
    ) throws(SystemError) -> (code: Int32, output: [UInt8]?) {
        let pipe = try Pipe()
        var process = self
        process.streams[STDOUT_FILENO] = .descriptor(pipe.writing.raw)
        let child: pid_t
        do { child = try process.start() } catch { throw SystemError(error.error) }
        pipe.writing.close()
        var output: [UInt8]?
        var failed: SystemError?
        do throws(SystemError) { output = try pipe.reading.readAll(limit: limit) } catch {
            failed = error
        }
        // A child that still writes ends by the broken pipe.
        pipe.reading.close()
        let code = Self.wait(for: child)
        if let failed { throw failed }
        return (code, output)
    }

    /// Waits for the end of a child that was started.
    ///
    /// - Returns: Its exit code; 128 plus the number for a signal.
    package static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        _ = unlessInterrupted { waitpid(child, &status, 0) }
        return code(status)
    }

    /// The exit code in a status of waitpid(2); 128 plus the number for a signal.
    static func code(_ status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
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

/// Calls `body` with the strings as a nil-terminated C array.
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

/// Waits for a command until its time limit, and collects its output.
struct CommandWait {
    let child: pid_t
    /// The non-blocking reading end of a pipe.
    let output: Int32
    let limit: Duration
    private var bytes: [UInt8] = []
    /// A pidfd, readable when the child ends; -1 if not supported.
    private let process: Int32

    init(child: pid_t, output: Int32, limit: Duration) {
        self.child = child
        self.output = output
        self.limit = limit
        process = fsk_process_file(child)
    }

    /// The polling interval without a pidfd, in milliseconds.
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
                // Also ends processes that it left running.
                kill(-child, SIGKILL)
                return .ended(code: ChildProcess.code(status), output: bytes)
            }
            guard clock.now < end else {
                kill(-child, SIGKILL)
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
                return .ranOutOfTime
            }
            isOpen = pollOnce(isOpen, clock.now.duration(to: end))
        }
    }

    /// Waits for output, for the end of the child or for the time limit.
    ///
    /// - Returns: Whether more output may come.
    private mutating func pollOnce(_ isOpen: Bool, _ left: Duration) -> Bool {
        var files = [
            pollfd(fd: isOpen ? output : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: process, events: Int16(POLLIN), revents: 0),
        ]
        var pause = isOpen ? Self.pause : 1
        if process >= 0 {
            // At most an hour at a time; in short intervals at the end.
            let seconds = min(max(left.components.seconds, 0), 3600)
            pause = seconds > 0 ? Int32(seconds) * 1000 : Self.pause
        }
        _ = poll(&files, 2, pause)
        return files[0].revents != 0 ? read() : isOpen
    }

    /// Reads the available output.
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
}
