import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite struct RetryingRemoteTests {
    let memory = MemoryRemote()
    let clock = ManualClock()

    func retrying(_ faulty: FaultyRemote, tries: Int = 5) -> RetryingRemote {
        RetryingRemote(faulty, surroundings: clock.surroundings, tries: tries)
    }

    @Test(
        "tries again what may pass, and nothing else",
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

    @Test func `pauses twice as long each time, by chance within the upper half`() async throws {
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

    @Test func `an unclear publication that somebody else won is theirs`() async throws {
        let faulty = FaultyRemote(memory, script: [.init(.after(.away), verb: .publish)])
        let slot = try ObjectKey("log/1/c")
        memory.objects = [slot: [2]]
        #expect(try await retrying(faulty).publish([1], to: slot) == .theirs([2]))
    }
}

extension Result where Failure == any Error {
    /// What an asynchronous call came to.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
