import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// A remote with events at certain requests of one run. Only one run at a time uses it, so that the same
/// history always has the same events at the same requests.
final class EventfulRemote: Remote {
    private struct State {
        var requests = 0
        var isDead = false
        var events: [SimulatedRun.Event]
    }

    private let remote: FaultyRemote
    private let late: LateRequests
    private let meanwhile: @Sendable (SimulationStep) async -> Void
    private let state: Mutex<State>

    init(
        _ remote: FaultyRemote, late: LateRequests, _ events: [SimulatedRun.Event],
        meanwhile: @escaping @Sendable (SimulationStep) async -> Void
    ) {
        self.remote = remote
        self.late = late
        self.meanwhile = meanwhile
        state = Mutex(State(events: events))
    }

    var address: String { remote.address }

    /// The number of requests so far.
    var requests: Int { state.withLock { $0.requests } }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await perform { try await $0.get(key, range: range) }
    }

    /// One request after the other, so that the events are at the same requests.
    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        var replies: [ObjectReply] = []
        for request in requests {
            let bytes = try await get(request.key, range: request.range)
            replies.append(bytes.map(ObjectReply.bytes) ?? .absent)
        }
        return replies
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await perform(isWriting: true) { try await $0.publish(bytes, to: slot) }
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await perform(isWriting: true) { try await $0.put(bytes, to: key) }
    }

    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await perform { try await $0.list(prefix: prefix, after: after, limit: limit) }
    }

    func delete(_ key: ObjectKey) async throws {
        try await perform(isWriting: true) { try await $0.delete(key) }
    }

    func wait(prefix: String, timeout: Duration) async throws {
        try await perform { try await $0.wait(prefix: prefix, timeout: timeout) }
    }

    private func perform<Reply>(
        isWriting: Bool = false,
        _ body: @escaping @Sendable (any Remote) async throws -> Reply
    ) async throws -> Reply {
        let (isDead, events) = state.withLock { state in
            state.requests += 1
            let number = state.requests
            return (state.isDead, state.events.filter { $0.request == number }.map(\.incident))
        }
        if isDead { throw Self.killed }
        await late.pass()
        for event in events {
            switch event {
            case .failsBefore: remote.plan(.init(.before(.away)))
            case .failsAfter: remote.plan(.init(.after(.away)))
            case .isStale: remote.plan(.init(.stale(2), verb: .list))
            case .isRepeated: _ = try? await body(late.remote)
            case .isLate(let count):
                if isWriting { late.add(after: count) { _ = try? await body($0) } }
                remote.plan(.init(.before(.away)))
            case .goesAway: remote.isAway = true
            case .isKilled:
                state.withLock { $0.isDead = true }
                throw Self.killed
            case .isKilledAfter: state.withLock { $0.isDead = true }
            case .meanwhile(let step): await meanwhile(step)
            }
        }
        let reply = try await body(remote)
        if events.contains(.isKilledAfter) { throw Self.killed }
        return reply
    }

    private static var killed: Failure {
        Failure(.interrupted, "The run was killed by the simulation.", remedy: "This is a test.")
    }
}

/// Requests whose callers have given up, and which are still on their way to the remote.
final class LateRequests: Sendable {
    private struct Request {
        var remaining: Int
        let body: @Sendable (any Remote) async -> Void
    }

    let remote: any Remote
    private let requests = Mutex<[Request]>([])

    init(_ remote: any Remote) { self.remote = remote }

    var isEmpty: Bool { requests.withLock { $0.isEmpty } }

    /// - Parameter count: How many requests of anybody come first.
    func add(after count: Int, _ body: @escaping @Sendable (any Remote) async -> Void) {
        requests.withLock { $0.append(Request(remaining: count, body: body)) }
    }

    /// Another request reaches the remote.
    func pass() async {
        let due = requests.withLock { requests in
            for index in requests.indices { requests[index].remaining -= 1 }
            defer { requests.removeAll { $0.remaining <= 0 } }
            return requests.filter { $0.remaining <= 0 }
        }
        for request in due { await request.body(remote) }
    }

    /// All of them reach the remote.
    func flush() async {
        let due = requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
        for request in due { await request.body(remote) }
    }
}
