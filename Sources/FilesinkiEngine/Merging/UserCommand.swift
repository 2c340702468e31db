import FilesinkiModel
import Glibc

/// A command of the user's, run by `sh -c` with a time limit and an environment of its own.
///
/// Names of files and paths are given in the environment and never become part of the command's
/// text, whatever bytes they have. The command reads nothing, and has a process group of its own, so
/// that everything it started ends with it when its time is over.
struct UserCommand {
    /// What the shell runs.
    var text: String
    /// Added to the environment.
    var variables: [(name: String, value: [UInt8])]
    /// How long it may take.
    var limit: Duration

    /// What came of it.
    enum Outcome: Equatable {
        /// It ended by itself; a signal gives 128 and its number.
        case ended(code: Int32, output: [UInt8])
        case ranOutOfTime
    }

    /// More output than this is not kept.
    static let outputLimit = 64 << 10

    /// What is passed on from the environment of this process: nothing that may hold a secret.
    private static let inherited = ["HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ"]

    func run() throws(Failure) -> Outcome {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw failure("no pipe, error \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        defer { close(ends[0]) }
        let child = spawn(output: ends[1])
        close(ends[1])
        guard let child else { throw failure("the shell could not be started") }
        return CommandWait(child: child, output: ends[0], limit: limit).finish()
    }

    private func failure(_ what: String) -> Failure {
        Failure(
            .io, path: text, "The command could not be run: \(what).",
            remedy: "Check the limits of processes and open files.")
    }

    private func spawn(output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        posix_spawnattr_setpgroup(&attributes, 0)
        var child: pid_t = 0
        let result = withCStrings(["sh", "-c", text].map { Array($0.utf8) }) { argv in
            withCStrings(environment) { envp in
                posix_spawn(&child, "/bin/sh", &actions, &attributes, argv, envp)
            }
        }
        return result == 0 ? child : nil
    }

    private var environment: [[UInt8]] {
        var pairs = ["PATH=/usr/local/bin:/usr/bin:/bin"].map { Array($0.utf8) }
        for name in Self.inherited {
            guard let value = getenv(name) else { continue }
            pairs.append(Array("\(name)=\(String(cString: value))".utf8))
        }
        return pairs + variables.map { Array("\($0.name)=".utf8) + $0.value }
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
