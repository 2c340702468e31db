import Dispatch
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// A running rclone that serves one place to this process. It ends when this object is deallocated, and with
/// this process.
final class RcloneServer: Sendable {
    /// The port of loopback.
    let port: Int
    let log: RcloneLog
    private let process: ConnectedProcess

    /// How long it may take to start: it may have to ask its provider for access first.
    private static let timeToStart = Duration.seconds(60)
    /// How long it has to end by itself.
    private static let timeToEnd = Duration.seconds(5)
    /// How many bytes of its log are read at once.
    private static let readLength = 4096

    /// Starts rclone, and waits until it serves.
    ///
    /// - Throws: `Failure`: `usage` without rclone, or for a remote that is not configured; `not-allowed`,
    ///   `away`, `io`; `CancellationError`.
    static func start(
        _ command: RcloneCommand, _ login: RcloneCommand.Login, within limit: Duration = timeToStart
    ) async throws -> RcloneServer {
        let process = try await offload { try command.serve(login) }
        let log = RcloneLog()
        let start = try await withTaskCancellationHandler {
            try await offload { Self.awaitStart(of: process, log, within: limit) }
        } onCancel: {
            process.disconnect()
        }
        if case .port(let port) = start { return RcloneServer(port, process, log) }
        process.disconnect()
        let (code, messages) = try await offload { process.end(within: Self.timeToEnd) }
        try Task.checkCancellation()
        let end = RcloneEnd(code: code, messages: log.end + messages)
        throw start == .late ? end.lateness(command.address, limit) : end.failure(command.address)
    }

    private init(_ port: Int, _ process: ConnectedProcess, _ log: RcloneLog) {
        self.port = port
        self.process = process
        self.log = log
        // Does not keep this object.
        DispatchQueue(label: "filesinki.rclone").async {
            while let bytes = try? process.receive(atMost: Self.readLength), !bytes.isEmpty {
                log.add(bytes)
            }
            log.noteEnd()
            process.disconnect()
            _ = process.end(within: Self.timeToEnd)
        }
    }

    deinit { process.disconnect() }

    /// Whether rclone has ended.
    var isOver: Bool { log.isOver }

    private enum Start: Equatable {
        case port(Int)
        case ended
        case late
    }

    /// Waits for the port that rclone writes to its log when it serves.
    private static func awaitStart(
        of process: ConnectedProcess, _ log: RcloneLog, within limit: Duration
    ) -> Start {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        while process.isReady(within: clock.now.duration(to: end)) {
            guard let bytes = try? process.receive(atMost: readLength), !bytes.isEmpty else {
                return .ended
            }
            log.add(bytes)
            if let port = log.port { return .port(port) }
        }
        return .late
    }
}

/// The last lines of what rclone writes.
final class RcloneLog: Sendable {
    private struct State {
        /// The last bytes, at most ``RcloneLog/maximumLength``.
        var end: [UInt8] = []
        /// How many bytes came in all.
        var count = 0
        var isOver = false
    }

    private let state = Mutex(State())

    private static let maximumLength = 4096

    func add(_ bytes: [UInt8]) {
        state.withLock { state in
            state.end += bytes
            state.count += bytes.count
            if state.end.count > Self.maximumLength {
                state.end.removeFirst(state.end.count - Self.maximumLength)
            }
        }
    }

    func noteEnd() { state.withLock { $0.isOver = true } }

    /// Whether nothing more comes.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// The last bytes.
    var end: [UInt8] { state.withLock { $0.end } }

    /// How many bytes have come.
    var count: Int { state.withLock { $0.count } }

    /// The port in the line that says where the server is: `http://127.0.0.1:PORT/`, in each version of
    /// rclone with other words around it. Nil as long as the line is not whole.
    var port: Int? {
        let text = String(decoding: end, as: UTF8.self)
        guard let start = text.firstRange(of: "://127.0.0.1:")?.upperBound else { return nil }
        let digits = text[start...].prefix { $0.isASCII && $0.isNumber }
        guard digits.endIndex < text.endIndex, let port = Int(digits), (1...65535).contains(port)
        else { return nil }
        return port
    }

    /// The last message that came after the first `count` bytes, without its time; nil if there is none.
    func lastMessage(after count: Int) -> String? {
        let new = state.withLock { state in Array(state.end.suffix(max(0, state.count - count))) }
        return RcloneEnd.lastMessage(new)
    }
}
