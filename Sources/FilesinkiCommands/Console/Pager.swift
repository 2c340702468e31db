import FilesinkiModel
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
        // Who leaves the pager has seen enough: that is no failure.
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

    /// Starts `$PAGER`, or `less -FRX`; nil when there is none, or the user wants none.
    private init?(_ environment: [String: String]) {
        let command = environment["PAGER"] ?? "less -FRX"
        guard !command.isEmpty, command != "cat" else { return nil }
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        var started = pid_t()
        // Without less, the pages are not worth an error.
        let line = "command -v \(Self.program(command)) >/dev/null || exec cat; \(command)"
        let words: [String] = ["/bin/sh", "-c", line]
        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        guard posix_spawn(&started, "/bin/sh", &actions, nil, arguments, environ) == 0 else {
            close(ends[1])
            return nil
        }
        process = started
        pipe = ends[1]
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
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }
}
