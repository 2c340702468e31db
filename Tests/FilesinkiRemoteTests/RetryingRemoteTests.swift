import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@Suite struct RetryingRemoteTests {
    let memory = MemoryRemote()
    let clock = ManualClock()

    func retrying(_ faulty: FaultyRemote, tries: Int = 5) -> RetryingRemote {
        RetryingRemote(faulty, systemContext: clock.systemContext, tries: tries)
    }

    @Test(
        "retries transient failures only",
        arguments: [
            (Failure.Code.away, 3), (.busy, 3), (.notAllowed, 1), (.full, 1), (.corrupt, 1),
            (.io, 1),
        ])
    func tries(code: Failure.Code, requests: Int) async throws {
        let faulty = FaultyRemote(
            memory, script: [.init(.before(code), verb: .put), .init(.after(code), verb: .put)])
        let result = await Result { try await retrying(faulty).put([1], to: ObjectKey("a/1")) }
        #expect(faulty.log.count == requests)
        #expect(((try? result.get()) != nil) == (requests == 3))
    }

    @Test func `gives up after five tries, with the last failure`() async throws {
        let faulty = FaultyRemote(memory)
        faulty.isAway = true
        let failure = await #expect(throws: Failure.self) {
            try await retrying(faulty).put([1], to: ObjectKey("a/1"))
        }
        #expect(failure?.code == .away)
        #expect(faulty.log.count == 5)
    }

    @Test func `who sets a time limit knows why a request is repeated, until it succeeds`()
        async throws
    {
        let faulty = FaultyRemote(memory)
        faulty.isAway = true
        let reason = RetryReason()
        try await RetryReason.$current.withValue(reason) {
            _ = await Result { try await retrying(faulty).delete(ObjectKey("a/1")) }
            #expect(reason.last?.code == .away)
            let again = FaultyRemote(memory, script: [.init(.before(.away), verb: .put)])
            try await retrying(again).put([1], to: ObjectKey("a/1"))
            #expect(reason.last == nil)
        }
    }

    @Test func `a silent remote is asked once more, because each request takes its time`()
        async throws
    {
        let silent = try Silent()
        let remote = RetryingRemote(silent, systemContext: clock.systemContext)
        let failure = await #expect(throws: Failure.self) { try await remote.delete(silent.key) }
        #expect(failure?.cause is SilenceError)
        #expect(silent.asked == 2)
    }

    @Test func `pauses double each time, and are random within the upper half`() async throws {
        let faulty = FaultyRemote(memory)
        faulty.isAway = true
        _ = await Result { try await retrying(faulty).delete(ObjectKey("a/1")) }
        #expect(clock.slept.count == 4)
        for (count, pause) in clock.slept.enumerated() {
            let longest = Duration.milliseconds(100) * (1 << count)
            #expect(pause >= longest / 2 && pause <= longest)
        }
        #expect(clock.slept.map { $0 * 2 } != [0, 1, 2, 3].map { .milliseconds(100) * (1 << $0) })
    }

    @Test(
        "CK-21 no request is sent before Retry-After, even after more than 30 s",
        arguments: [1, 29, 31, 120, 300])
    func retryAfter(seconds: Int) async throws {
        let faulty = FaultyRemote(memory)
        let remote = RetryingRemote(
            Limiting(faulty, clock, .seconds(seconds)), systemContext: clock.systemContext)
        // Other requests wait, too.
        try await remote.put([1], to: ObjectKey("a/1"))
        try await remote.put([2], to: ObjectKey("a/2"))
        #expect(clock.slept.reduce(.zero, +) == .seconds(seconds))
        #expect(memory.objects.count == 2)
    }

    @Test(
        "CK-21 a Retry-After of more than five minutes fails the request, and the next ones at once"
    )
    func longRetryAfter() async throws {
        let faulty = FaultyRemote(memory)
        let limiting = Limiting(faulty, clock, .seconds(3600))
        let remote = RetryingRemote(limiting, systemContext: clock.systemContext)
        for passed in [0, 600] as [Int64] {
            clock.advance(by: .seconds(passed))
            let failure = await #expect(throws: Failure.self) {
                try await remote.put([1], to: ObjectKey("a/1"))
            }
            #expect(failure?.code == .away)
            #expect(failure?.retryAfter == .seconds(3600 - passed))
        }
        #expect(limiting.asked == 1)
        // A clock that is set back does not make it longer: the remote is asked again.
        clock.advance(by: .seconds(-86_400))
        await #expect(throws: Failure.self) { try await remote.put([1], to: ObjectKey("a/1")) }
        #expect(limiting.asked == 2)
        #expect(faulty.log.isEmpty)
        clock.advance(by: .seconds(86_400 + 3600))
        try await remote.put([1], to: ObjectKey("a/1"))
        #expect(clock.slept.isEmpty)
    }

    @Test(
        "after an unclear publication reads the slot before anything else",
        arguments: [
            ("answer lost", FaultyRemote.Fault.after(.away), ["publish", "get"]),
            ("request lost", .before(.away), ["publish", "get", "publish"]),
        ])
    func publication(_ name: String, fault: FaultyRemote.Fault, verbs: [String]) async throws {
        let faulty = FaultyRemote(memory, script: [.init(fault, verb: .publish)])
        let slot = try ObjectKey("log/1/c")
        #expect(try await retrying(faulty).publish([1], to: slot) == .mine)
        #expect(faulty.log.map(\.verb.rawValue) == verbs)
        #expect(memory.objects == [slot: [1]])
    }

    @Test func `an unclear publication that another writer won is theirs`() async throws {
        let faulty = FaultyRemote(memory, script: [.init(.after(.away), verb: .publish)])
        let slot = try ObjectKey("log/1/c")
        memory.objects = [slot: [2]]
        #expect(try await retrying(faulty).publish([1], to: slot) == .theirs([2]))
    }
}

extension Result where Failure == any Error {
    /// The result of an asynchronous call.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// A remote that says nothing to a deletion.
private final class Silent: RemoteWrapper {
    let wrapped: any Remote = MemoryRemote()
    let key: ObjectKey
    private let count = Mutex(0)

    /// How many requests have come.
    var asked: Int { count.withLock { $0 } }

    init() throws { key = try ObjectKey("a/1") }

    func delete(_ key: ObjectKey) async throws {
        count.withLock { $0 += 1 }
        throw Failure(.away, "No reply.", remedy: "", cause: SilenceError())
    }
}

/// A remote that rejects the first request with `Retry-After`. A request before that time is rejected and
/// recorded.
private final class Limiting: RemoteWrapper {
    let wrapped: any Remote
    private let clock: ManualClock
    private let wish: Duration
    private let begin = Mutex<Timestamp?>(nil)
    private let count = Mutex(0)

    /// How many requests have come.
    var asked: Int { count.withLock { $0 } }

    init(_ wrapped: any Remote, _ clock: ManualClock, _ wish: Duration) {
        (self.wrapped, self.clock, self.wish) = (wrapped, clock, wish)
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        let now = clock.now
        count.withLock { $0 += 1 }
        let begin = begin.withLock { begin in
            begin = begin ?? now
            return begin ?? now
        }
        let passed = Duration.nanoseconds(now.nanoseconds - begin.nanoseconds)
        guard passed >= wish else {
            if passed > .zero { Issue.record("asked again after \(passed), not \(wish)") }
            var failure = Failure(.away, "Too many requests.", remedy: "")
            failure.retryAfter = wish
            throw failure
        }
        try await wrapped.put(bytes, to: key)
    }
}
