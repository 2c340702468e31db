import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@Suite struct FaultyRemoteTests {
    let memory = MemoryRemote()

    @Test(
        "a scripted fault happens once, before or after the effect",
        arguments: [
            (FaultyRemote.Fault.before(.away), false), (.after(.away), true),
        ])
    func effect(_ fault: FaultyRemote.Fault, isThere: Bool) async throws {
        let remote = FaultyRemote(memory, script: [.init(fault, verb: .put, prefix: "a/", skip: 1)])
        for name in ["b/1", "a/1"] { try await remote.put([1], to: ObjectKey(name)) }
        await #expect(throws: Failure.self) { try await remote.put([1], to: ObjectKey("a/2")) }
        #expect(memory.objects[try ObjectKey("a/2")] == (isThere ? [1] : nil))
        try await remote.put([1], to: ObjectKey("a/3"))
        #expect(remote.log.map(\.fault) == [nil, nil, fault, nil])
        #expect(remote.log.last?.description == "4 put a/3")
    }

    @Test func `is unavailable for the given number of requests`() async throws {
        let remote = FaultyRemote(memory, script: [.init(.away(requests: 3))])
        var answers: [Bool] = []
        for _ in 0..<5 {
            let result = await Result { try await remote.list(prefix: "", after: nil, limit: 1) }
            answers.append((try? result.get()) != nil)
        }
        #expect(answers == [false, false, false, true, true])
    }

    @Test func `a stale list lacks the last writes`() async throws {
        let remote = FaultyRemote(memory, script: [.init(.stale(2), verb: .list)])
        for name in ["a/1", "a/3", "a/2"] { try await remote.put([1], to: ObjectKey(name)) }
        #expect(
            try await remote.list(prefix: "", after: nil, limit: 9).map(\.key.description) == [
                "a/1"
            ])
        #expect(try await remote.list(prefix: "", after: nil, limit: 9).count == 3)
    }

    @Test func `one seed gives one run, another seed another`() async throws {
        func faults(_ seed: UInt64) async throws -> [FaultyRemote.Event] {
            let rates = FaultyRemote.Rates(before: 0.2, after: 0.2, away: 0.1, stale: 0.3)
            let remote = FaultyRemote(MemoryRemote(), rates: rates, seed: seed)
            for number in 0..<50 {
                _ = await Result { try await remote.put([1], to: ObjectKey("a/\(number)")) }
                _ = await Result { try await remote.list(prefix: "", after: nil, limit: 9) }
            }
            return remote.log
        }
        #expect(try await faults(3) == faults(3))
        #expect(try await faults(3) != faults(4))
        let seen = try await faults(3).filter { $0.fault != nil }
        #expect(seen.count > 20 && seen.count < 90)
    }
}
