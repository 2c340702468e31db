import FilesinkiModel
import NIOCore
import ServiceLifecycle
import Synchronization

/// Tells open pages that the replica changed: a line for each change, and an empty line as a heartbeat.
///
/// While no page is open nothing is looked at.
final class ChangeFeed: Service {
    typealias Lines = AsyncStream<ByteBuffer>

    private struct State {
        var nextID = 0
        var listeners: [Int: Lines.Continuation] = [:]
        var isOver = false
    }

    /// What changes when the replica does, such as the stamps of its files.
    private let stamp: @Sendable () -> [UInt8]
    private let interval: Duration
    private let systemContext: SystemContext
    private let state = Mutex(State())

    /// The most open pages.
    private static let maximumListeners = 32
    /// Heartbeats, in intervals.
    private static let heartbeat = 10

    init(
        _ stamp: @escaping @Sendable () -> [UInt8], interval: Duration,
        _ systemContext: SystemContext
    ) {
        self.stamp = stamp
        self.interval = interval
        self.systemContext = systemContext
    }

    /// Adds a listener.
    ///
    /// - Returns: Its lines, and a function that ends them. They end by themselves when the server does.
    /// - Throws: ``RequestError`` with 503 when there are too many.
    func listen() throws(RequestError) -> (lines: Lines, end: @Sendable () -> Void) {
        let (lines, continuation) = Lines.makeStream(bufferingPolicy: .bufferingNewest(4))
        let id: Int? = state.withLock { state in
            guard !state.isOver, state.listeners.count < Self.maximumListeners else { return nil }
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            return state.nextID
        }
        guard let id else { throw .busy("Too many pages are open.") }
        return (
            lines, { _ = self.state.withLock { $0.listeners.removeValue(forKey: id) }?.finish() }
        )
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var known: [UInt8] = []
            var beats = 0
            while !Task.isCancelled {
                try? await self.systemContext.sleep(self.interval)
                guard self.state.withLock({ !$0.listeners.isEmpty }) else { continue }
                let found = self.stamp()
                beats += 1
                if found != known {
                    // A page that was just opened is told once too often.
                    self.send("changed\n")
                } else if beats % Self.heartbeat == 0 {
                    self.send("\n")
                }
                known = found
            }
        }
        let listeners = state.withLock { state in
            state.isOver = true
            defer { state.listeners = [:] }
            return state.listeners.values.map(\.self)
        }
        for listener in listeners { listener.finish() }
    }

    private func send(_ line: String) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(ByteBuffer(string: line)) }
    }
}
