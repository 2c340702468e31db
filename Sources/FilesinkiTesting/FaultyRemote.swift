import FilesinkiModel
package import FilesinkiRemote
import Synchronization

/// A remote that fails as real ones do: by a script, by a seed, or both; and says what it did.
package final class FaultyRemote: Remote {
    fileprivate struct State {
        var script: [Script]
        var rates: Rates
        var random: SeededRandom
        var isAway = false
        var requests = 0
        /// How many more requests find the remote away.
        var awayFor = 0
        /// The keys written last, newest at the end, that a stale list leaves out.
        var recent: [ObjectKey] = []
        var log: [Event] = []
    }

    private let wrapped: any Remote
    private let state: Mutex<State>

    /// - Parameters:
    ///   - script: Faults at certain requests; each happens once.
    ///   - rates: Faults by chance.
    ///   - seed: Of the chance.
    package init(
        _ wrapped: any Remote, script: [Script] = [], rates: Rates = Rates(), seed: UInt64 = 1
    ) {
        self.wrapped = wrapped
        state = Mutex(State(script: script, rates: rates, random: SeededRandom(seed: seed)))
    }

    package var address: String { wrapped.address }

    /// Whether the remote cannot be reached at all.
    package var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// The chances of faults from now on.
    package var rates: Rates {
        get { state.withLock { $0.rates } }
        set { state.withLock { $0.rates = newValue } }
    }

    /// Every request, in order, with what became of it.
    package var log: [Event] { state.withLock { $0.log } }

    /// Adds a fault to the script.
    package func plan(_ script: Script) { state.withLock { $0.script.append(script) } }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await request(.get, key.description) { _ in try await wrapped.get(key, range: range) }
    }

    /// One after the other, each a request of its own, so that a script meets the same one each time.
    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        var replies: [ObjectReply] = []
        for request in requests {
            let bytes = try await get(request.key, range: request.range)
            replies.append(bytes.map(ObjectReply.bytes) ?? .absent)
        }
        return replies
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await request(.publish, slot.description) { _ in
            let outcome = try await wrapped.publish(bytes, to: slot)
            state.withLock { $0.recent.append(slot) }
            return outcome
        }
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await request(.put, key.description) { _ in
            try await wrapped.put(bytes, to: key)
            state.withLock { $0.recent.append(key) }
        }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await request(.list, prefix) { fault in
            let found = try await wrapped.list(prefix: prefix, after: after, limit: limit)
            guard case .stale(let count) = fault else { return found }
            let hidden = Set(state.withLock { $0.recent.suffix(count) })
            return found.filter { !hidden.contains($0.key) }
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        try await request(.delete, key.description) { _ in try await wrapped.delete(key) }
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await request(.wait, prefix) { _ in
            try await wrapped.wait(prefix: prefix, timeout: timeout)
        }
    }

    private func request<Answer>(
        _ verb: Verb, _ key: String, _ body: (Fault?) async throws -> Answer
    ) async throws -> Answer {
        let fault = state.withLock { $0.next(verb, key) }
        switch fault {
        case .before(let code): throw Self.failure(code, key)
        case .away: throw Self.failure(.away, key)
        case .after(let code):
            _ = try await body(fault)
            throw Self.failure(code, key)
        case .stale, nil: return try await body(fault)
        }
    }

    private static func failure(_ code: Failure.Code, _ key: String) -> Failure {
        Failure(
            code, path: key, "The remote failed on purpose.",
            remedy: "This is a test of what happens then.")
    }
}

extension FaultyRemote.State {
    /// Decides on the next request, and notes it.
    fileprivate mutating func next(_ verb: FaultyRemote.Verb, _ key: String) -> FaultyRemote.Fault?
    {
        requests += 1
        let fault = decide(verb, key)
        if case .away(let count) = fault { awayFor = max(awayFor, count - 1) }
        log.append(.init(number: requests, verb: verb, key: key, fault: fault))
        return fault
    }

    private mutating func decide(
        _ verb: FaultyRemote.Verb, _ key: String
    ) -> FaultyRemote.Fault? {
        if isAway { return .away(requests: 1) }
        if awayFor > 0 {
            awayFor -= 1
            return .away(requests: 1)
        }
        for index in script.indices where script[index].matches(verb, key) {
            script[index].skip -= 1
            if script[index].skip < 0 { return script.remove(at: index).fault }
        }
        // The order of the draws is fixed, so that one seed gives one run.
        if random.chance(rates.before) { return .before(.away) }
        if random.chance(rates.after) { return .after(.away) }
        if random.chance(rates.away) {
            return .away(requests: Int.random(in: 1...8, using: &random))
        }
        if verb == .list, random.chance(rates.stale) {
            return .stale(Int.random(in: 1...3, using: &random))
        }
        return nil
    }
}
