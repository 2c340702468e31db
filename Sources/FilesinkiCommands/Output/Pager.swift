import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Shows long output page by page, on a terminal only.
struct Pager {
    private let process: pid_t
    private let pipe: Int32

    /// Gives `body` a function that writes: to the user's pager on a terminal, else to standard
    /// output.
    static func show(
        in console: Console, _ body: (([UInt8]) throws -> Void) throws -> Void
    ) throws {
        guard console.terminals.output, let pager = Pager(console.environment) else {
            return try body { try console.output.write($0) }
        }
        // Leaving the pager early is not a failure.
        let before = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, before) }
        let output = Output(DescriptorSink(pager.pipe, name: "the pager"))
        let outcome = Result {
            try body { try output.write($0) }
            try output.flush()
        }
        pager.finish()
        if case .failure(let error) = outcome, !((error as? Failure)?.code == .io) { throw error }
    }

    /// As ``show(in:_:)``, for a body that waits for what it writes.
    static func stream(
        in console: Console, _ body: (([UInt8]) throws -> Void) async throws -> Void
    ) async throws {
        guard console.terminals.output, let pager = Pager(console.environment) else {
            return try await body { try console.output.write($0) }
        }
        let before = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, before) }
        let output = Output(DescriptorSink(pager.pipe, name: "the pager"))
        var hasLeft = false
        defer { pager.finish() }
        do {
            try await body { bytes in
                do { try output.write(bytes) } catch {
                    hasLeft = true
                    throw error
                }
            }
        } catch {
            if !hasLeft { throw error }
        }
        try? output.flush()
    }

    /// Starts `$PAGER`, or `less -FRX`; nil if neither exists, or the user wants none.
    private init?(_ environment: [String: String]) {
        let command = environment["PAGER"] ?? "less -FRX"
        guard !command.isEmpty, command != "cat" else { return nil }
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        // Without less, the pages are not worth an error.
        let line = "command -v \(Self.program(command)) >/dev/null || exec cat; \(command)"
        guard let started = Self.start(line, input: ends[0]) else {
            close(ends[1])
            return nil
        }
        process = started
        pipe = ends[1]
    }

    /// Starts a line of shell; nil when it cannot be.
    private static func start(_ line: String, input: Int32) -> pid_t? {
        let words: [String] = ["/bin/sh", "-c", line]
        // In the group of the terminal: a pager has to hear of Ctrl-C and a new size.
        let shell = ChildProcess(
            "/bin/sh", words.map { Array($0.utf8) },
            streams: [STDIN_FILENO: .descriptor(input)])
        return try? shell.start()
    }

    /// The first word of a command.
    private static func program(_ command: String) -> String {
        let word = command.prefix { $0 != " " }
        return word.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
            ? String(word) : "sh"
    }

    /// Waits until the user has seen enough.
    private func finish() {
        close(pipe)
        _ = ChildProcess.wait(for: process)
    }
}

/// Colours for a terminal, or nothing.
struct TerminalStyle {
    let isEnabled: Bool

    func bold(_ text: String) -> String { wrapped(text, "1") }
    func dim(_ text: String) -> String { wrapped(text, "2") }
    func red(_ text: String) -> String { wrapped(text, "31") }
    func green(_ text: String) -> String { wrapped(text, "32") }
    func blue(_ text: String) -> String { wrapped(text, "34") }
    func yellow(_ text: String) -> String { wrapped(text, "33") }

    private func wrapped(_ text: String, _ code: String) -> String {
        isEnabled ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
