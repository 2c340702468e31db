import FilesinkiSystem
import Glibc
import Synchronization

/// A script that lives for as long as this process holds the other end of its input: in a session of
/// its own, so that no key pressed at the terminal ends it before it has cleaned up.
final class GuardedProcess: Sendable {
    private struct State {
        var input: Int32
        var output: Int32
        var child: pid_t
    }

    private let state: Mutex<State>

    /// - Throws: ``FixtureFailure`` when it cannot be started.
    init(_ path: String, _ words: [String], _ variables: [String: String] = [:]) throws {
        var input: [Int32] = [-1, -1]
        var output: [Int32] = [-1, -1]
        guard pipe(&input) == 0, pipe(&output) == 0 else {
            throw FixtureFailure("start", path, errno)
        }
        for end in input + output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (child, error) = Self.spawn([path] + words, variables, input[0], output[1])
        close(input[0])
        close(output[1])
        state = Mutex(State(input: input[1], output: output[0], child: child))
        guard error == 0 else { throw FixtureFailure("start", path, error) }
    }

    deinit { _ = end() }

    /// The next line of what it says, without its end; empty when it says no more.
    func line() -> String { read { $0.last == UInt8(ascii: "\n") } }

    /// All that it still says.
    func rest() -> String { read { _ in false } }

    /// Ends its input and waits for it.
    ///
    /// - Returns: Its exit code; -1 when it has been waited for, or was ended by a signal.
    func end() -> Int32 {
        let ended = state.withLock { state in
            defer { state = State(input: -1, output: -1, child: -1) }
            return state
        }
        guard ended.child > 0 else { return -1 }
        close(ended.input)
        close(ended.output)
        var status: Int32 = 0
        while waitpid(ended.child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }

    private func read(until isEnd: ([UInt8]) -> Bool) -> String {
        let output = state.withLock { $0.output }
        var bytes: [UInt8] = []
        while !isEnd(bytes), bytes.count < 65_536 {
            var byte: UInt8 = 0
            let count = Glibc.read(output, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func spawn(
        _ words: [String], _ variables: [String: String], _ input: Int32, _ output: Int32
    ) -> (child: pid_t, error: Int32) {
        // The rest of the environment is as it is here.
        let settings = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        // It cleans up after its output has nobody who reads it.
        let process = ChildProcess(
            "/usr/bin/env", (["env"] + settings + words).map { Array($0.utf8) },
            streams: [STDIN_FILENO: .descriptor(input), STDOUT_FILENO: .descriptor(output)],
            group: .session, diesOfBrokenPipe: false)
        do {
            return (try process.start(), 0)
        } catch {
            return (-1, error.error)
        }
    }
}
