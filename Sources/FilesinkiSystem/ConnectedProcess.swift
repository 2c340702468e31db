import CKernel
package import FilesinkiModel
import Glibc
import Synchronization

/// A child process whose standard input and output are one end of a socket; this process has the other.
///
/// Unlike a pipe, the socket raises no signal when the child has ended, and ``disconnect()`` ends calls
/// that other threads are blocked in. The child's messages on standard error are kept in memory.
package final class ConnectedProcess: Sendable {
    private let socket: FileHandle
    private let messages: FileHandle
    private let child: pid_t
    /// What is killed: the child, with all that it started where it has a group of its own.
    private let target: pid_t

    /// How many of the child's last messages are returned, in bytes.
    private static let maximumMessages: Int64 = 4096

    /// Starts a child. Its ``ChildProcess/streams`` are set here.
    ///
    /// - Throws: `Failure` with code `io` when it cannot be started.
    package init(_ process: ChildProcess) throws(Failure) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0, let own = FileHandle(ends[0]),
            let other = FileHandle(ends[1]), let messages = FileHandle(fsk_memory_file("messages"))
        else { throw SystemError.last.failure("start the program", process.program) }
        var process = process
        process.streams = [
            STDIN_FILENO: .descriptor(other.raw), STDOUT_FILENO: .descriptor(other.raw),
            STDERR_FILENO: .descriptor(messages.raw),
        ]
        do { child = try process.start() } catch {
            throw SystemError(error.error).failure("start the program", process.program)
        }
        other.close()
        target = if case .shared = process.group { child } else { -child }
        socket = own
        self.messages = messages
    }

    /// Sends all bytes. Blocks while the child does not read.
    package func send(_ bytes: [UInt8]) throws(SystemError) { try socket.send(bytes) }

    /// Receives exactly so many bytes. Blocks until they are there.
    ///
    /// - Returns: The bytes; fewer only when the child has closed its end, or after ``disconnect()``.
    package func receive(_ count: Int) throws(SystemError) -> [UInt8] {
        try socket.read(upTo: count)
    }

    /// Receives what is there, from 1 to `limit` bytes. Blocks until there is something.
    ///
    /// - Returns: The bytes; none when the child has closed its end, or after ``disconnect()``.
    package func receive(atMost limit: Int) throws(SystemError) -> [UInt8] {
        var failed: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            do throws(SystemError) {
                count = try socket.read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch { failed = error }
        }
        if let failed { throw failed }
        return bytes
    }

    /// Waits until there is something to receive, or the child has closed its end.
    ///
    /// - Returns: Whether the next ``receive(atMost:)`` does not block; false when the time is over.
    package func isReady(within limit: Duration) -> Bool {
        var file = [pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)]
        let milliseconds = min(max(limit / .milliseconds(1), 0), 3_600_000)
        return unlessInterrupted { poll(&file, 1, Int32(milliseconds)) } != 0
    }

    /// Ends the connection in both directions. May be called at any time, on any thread.
    package func disconnect() { shutdown(socket.raw, Int32(SHUT_RDWR)) }

    /// Waits for the child after ``disconnect()``. To be called once.
    ///
    /// - Parameter limit: How long the child has to end by itself; then it is killed.
    /// - Returns: Its exit code, 128 plus the number for a signal; and its last messages.
    package func end(within limit: Duration) -> (code: Int32, messages: [UInt8]) {
        var status: Int32 = 0
        let file = fsk_process_file(child)
        if let file = FileHandle(file) {
            var ended = [pollfd(fd: file.raw, events: Int16(POLLIN), revents: 0)]
            let milliseconds = min(max(limit / .milliseconds(1), 0), 3_600_000)
            let count = unlessInterrupted { poll(&ended, 1, Int32(milliseconds)) }
            if count == 0 { kill(target, SIGKILL) }
        } else if waitpid(child, &status, WNOHANG) != child {
            kill(target, SIGKILL)
        } else {
            return (ChildProcess.code(status), lastMessages())
        }
        _ = unlessInterrupted { waitpid(child, &status, 0) }
        return (ChildProcess.code(status), lastMessages())
    }

    private func lastMessages() -> [UInt8] {
        guard let size = try? messages.record().st_size else { return [] }
        let start = max(0, Int64(size) - Self.maximumMessages)
        return (try? messages.read(from: start, count: Int(Self.maximumMessages))) ?? []
    }
}
