package import FilesinkiModel
package import FilesinkiRemote
import Synchronization

/// A remote that injects faults by a script, by a seed, or both, and logs them.
package final class FaultyRemote: Remote {
    fileprivate struct State {
        var script: [Script]
        var rates: Rates
        var random: SeededRandom
        var isAway = false
        var failure: Failure?
        var requests = 0
        /// How many further requests fail as if the remote were unreachable.
        var awayFor = 0
        /// The keys written last, newest at the end, which a stale listing omits.
        var recent: [ObjectKey] = []
        var log: [Event] = []
    }

    private let wrapped: any Remote
    private let state: Mutex<State>

    /// - Parameters:
    ///   - script: Faults at certain requests; each happens once.
    ///   - rates: The probabilities of random faults.
    ///   - seed: The seed of the random faults.
    package init(
        _ wrapped: any Remote, script: [Script] = [], rates: Rates = Rates(), seed: UInt64 = 1
    ) {
        self.wrapped = wrapped
        state = Mutex(State(script: script, rates: rates, random: SeededRandom(seed: seed)))
    }

    package var address: String { wrapped.address }

    /// Whether all requests fail as if the remote were unreachable.
    package var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// The failure of all requests; nil if they are carried out.
    package var failure: Failure? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// The probabilities of random faults from now on.
    package var rates: Rates {
        get { state.withLock { $0.rates } }
        set { state.withLock { $0.rates = newValue } }
    }

    /// All requests in order, with their faults.
    package var log: [Event] { state.withLock { $0.log } }

    /// Adds a fault to the script.
    package func plan(_ script: Script) { state.withLock { $0.script.append(script) } }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await perform(.get, key.description) { _ in try await wrapped.get(key, range: range) }
    }

    /// One request after the other, so that a script always applies to the same one.
    package func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        var replies: [ObjectReply] = []
        for request in requests {
            let bytes = try await get(request.key, range: request.range)
            replies.append(bytes.map(ObjectReply.bytes) ?? .absent)
        }
        return replies
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await perform(.publish, slot.description) { _ in
            let outcome = try await wrapped.publish(bytes, to: slot)
            state.withLock { $0.recent.append(slot) }
            return outcome
        }
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await perform(.put, key.description) { _ in
            try await wrapped.put(bytes, to: key)
            state.withLock { $0.recent.append(key) }
        }
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        try await perform(.list, prefix) { fault in
            let found = try await wrapped.list(prefix: prefix, after: after, limit: limit)
            guard case .stale(let count) = fault else { return found }
            let hidden = Set(state.withLock { $0.recent.suffix(count) })
            return found.filter { !hidden.contains($0.key) }
        }
    }

    package func delete(_ key: ObjectKey) async throws {
        try await perform(.delete, key.description) { _ in try await wrapped.delete(key) }
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        try await perform(.wait, prefix) { _ in
            try await wrapped.wait(prefix: prefix, timeout: timeout)
        }
    }

    private func perform<Reply>(
        _ verb: Verb, _ key: String, _ body: (Fault?) async throws -> Reply
    ) async throws -> Reply {
        if let failure { throw failure }
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
            code, path: key, "Injected fault.", remedy: "This is a test.")
    }
}

extension FaultyRemote.State {
    /// Chooses the fault of the next request, and logs it.
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

extension FaultyRemote {
    /// The kind of a request.
    package enum Verb: String, Hashable, Sendable, CaseIterable {
        case get, publish, put, list, delete, wait
    }

    /// A fault.
    package enum Fault: Hashable, Sendable {
        /// The request is not executed, not even in part.
        case before(Failure.Code)
        /// The request is executed, and its reply is lost.
        case after(Failure.Code)
        /// This many requests, including this one, do not reach the remote.
        case away(requests: Int)
        /// A listing omits this many of the objects written last. No fault for other requests.
        case stale(Int)
    }

    /// A fault that occurs once, at a certain request.
    package struct Script: Hashable, Sendable {
        package var fault: Fault
        /// Nil for all kinds of requests.
        package var verb: Verb?
        /// A prefix of the key, or of the prefix of a listing.
        package var prefix: String
        /// How many matching requests succeed before.
        package var skip: Int

        package init(_ fault: Fault, verb: Verb? = nil, prefix: String = "", skip: Int = 0) {
            self.fault = fault
            self.verb = verb
            self.prefix = prefix
            self.skip = skip
        }

        func matches(_ verb: Verb, _ key: String) -> Bool {
            (self.verb ?? verb) == verb && key.hasPrefix(prefix)
        }
    }

    /// The probability of each fault at each request, from 0 to 1.
    package struct Rates: Hashable, Sendable {
        package var before: Double
        package var after: Double
        package var away: Double
        package var stale: Double

        package init(before: Double = 0, after: Double = 0, away: Double = 0, stale: Double = 0) {
            self.before = before
            self.after = after
            self.away = away
            self.stale = stale
        }
    }

    /// A logged request.
    package struct Event: Hashable, Sendable, CustomStringConvertible {
        /// From 1 on.
        package var number: Int
        package var verb: Verb
        package var key: String
        package var fault: Fault?

        package var description: String {
            "\(number) \(verb.rawValue) \(key)" + (fault.map { ": \($0)" } ?? "")
        }
    }
}
