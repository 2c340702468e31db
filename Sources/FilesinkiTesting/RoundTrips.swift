import Dispatch
package import FilesinkiRemote
import Synchronization

/// Counts the round trips of an operation, as over a link where nothing but the delay takes time: requests that
/// are under way together take one.
///
/// The tasks of the operation run on one thread. When none of them can go on without a reply, all replies come at
/// once, and that is one round trip. The count is the same on every machine, at every load.
package final class RoundTrips: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// The requests that are under way.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var count = 0
        var isOver = false
    }

    private let state = Mutex(State())
    /// Counts the changes of the state.
    private let changes = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs an operation, and returns its round trips: how often it waited for a reply, or for several at once.
    ///
    /// - Parameter body: Calls ``pass()`` for each request. It must wait for nothing else.
    package static func count(
        _ body: @escaping @Sendable (RoundTrips) async throws -> Void
    ) async throws -> Int {
        let trips = RoundTrips()
        let operation = Task(executorPreference: trips) {
            defer { trips.end() }
            try await body(trips)
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "filesinki.round-trips").async {
                trips.work()
                continuation.resume()
            }
        }
        try await operation.value
        return trips.state.withLock { $0.count }
    }

    /// Returns when the reply to a request has come.
    package func pass() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting.append(continuation) }
            changes.signal()
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        changes.signal()
    }

    private func end() {
        state.withLock { $0.isOver = true }
        changes.signal()
    }

    /// What the thread does next.
    private enum Step: Sendable {
        case run(UnownedJob)
        case reply([CheckedContinuation<Void, Never>])
        case wait
        case end
    }

    private func work() {
        while true {
            switch state.withLock({ Self.next(&$0) }) {
            case .run(let job): job.runSynchronously(on: asUnownedTaskExecutor())
            case .reply(let requests): for request in requests { request.resume() }
            case .wait: changes.wait()
            case .end: return
            }
        }
    }

    private static func next(_ state: inout State) -> Step {
        if !state.jobs.isEmpty { return .run(state.jobs.removeFirst()) }
        if state.isOver { return .end }
        guard !state.waiting.isEmpty else { return .wait }
        state.count += 1
        defer { state.waiting = [] }
        return .reply(state.waiting)
    }
}

/// A remote at the far end of a link whose round trips are counted.
package struct DistantRemote: RemoteWrapper {
    package let wrapped: any Remote
    private let trips: RoundTrips

    package init(_ wrapped: any Remote, _ trips: RoundTrips) {
        self.wrapped = wrapped
        self.trips = trips
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        await trips.pass()
        return try await wrapped.get(key, range: range)
    }

    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        await trips.pass()
        return try await wrapped.read(requests)
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        await trips.pass()
        return try await wrapped.publish(bytes, to: slot)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        await trips.pass()
        try await wrapped.put(bytes, to: key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        await trips.pass()
        return try await wrapped.list(prefix: prefix, after: after, limit: limit)
    }

    package func delete(_ key: ObjectKey) async throws {
        await trips.pass()
        try await wrapped.delete(key)
    }
}
