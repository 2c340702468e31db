import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@Suite struct SlotProbeTests {
    func probe(_ remote: any Remote) -> SlotProbe {
        SlotProbe(systemContext: ManualClock().systemContext, writers: 8, rounds: 6) { remote }
    }

    @Test func `a remote that provides every guarantee is fit and left unchanged`() async throws {
        let memory = MemoryRemote()
        let key = try ObjectKey("filesinki/c")
        memory.objects = [key: [1]]
        let report = try await probe(memory).testRemote()
        #expect(report.isFit, "\(report)")
        #expect(
            report.checks.map(\.name)
                == [
                    "one-winner", "objects", "ranges", "absence", "listing", "whole-or-nothing",
                    "deletion",
                ])
        #expect(memory.objects == [key: [1]])
    }

    @Test func `over a slow link, what can be under way at once is`() async throws {
        let trips = try await RoundTrips.count { trips in
            let remote = DistantRemote(MemoryRemote(), trips)
            let probe = SlotProbe(systemContext: ManualClock().systemContext) { remote }
            let report = try await probe.testRemote()
            #expect(report.isFit, "\(report)")
            #expect(report.checks.first?.detail == "16 writers raced for each of 16 slots.")
        }
        #expect(trips <= 30, "\(trips) round trips")
    }

    @Test func `the progress counts slots and tests`() async throws {
        let seen = Mutex<[ProbeProgress]>([])
        let probe = SlotProbe(
            systemContext: ManualClock().systemContext, writers: 2, rounds: 3,
            progress: { progress in seen.withLock { $0.append(progress) } }
        ) { [memory = MemoryRemote()] in memory }
        #expect(try await probe.testRemote().isFit)
        let all = seen.withLock { $0 }
        // Without the deletion, which is the last part.
        #expect(all.map(\.done).sorted() == Array(0...8))
        #expect(all.allSatisfy { $0.total == 9 })
    }

    @Test("detects each fault of a remote", arguments: LyingRemote.Lie.allCases)
    func lies(_ lie: LyingRemote.Lie) async throws {
        let report = try await probe(LyingRemote(lie)).testRemote()
        #expect(!report.isFit)
        #expect(report.checks.first { !$0.holds }?.name == lie.check, "\(report)")
    }

    @Test(
        "a remote that cannot be tested is a failure, not a missing guarantee",
        arguments: [
            Failure.Code.away, .notAllowed, .full,
        ])
    func untried(_ code: Failure.Code) async throws {
        let faulty = FaultyRemote(MemoryRemote(), script: [.init(.before(code), verb: .publish)])
        let failure = await #expect(throws: Failure.self) {
            _ = try await probe(faulty).testRemote()
        }
        #expect(failure?.code == code)
    }

    /// A remote that names the key of what it denies.
    struct Denying: RemoteWrapper {
        let wrapped: any Remote

        func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
            throw Failure(.notAllowed, path: slot.description, "Denied.", remedy: "")
        }
    }

    @Test func `what is denied is the remote, not a key of the probe`() async throws {
        let denying = Denying(wrapped: MemoryRemote())
        let failure = await #expect(throws: Failure.self) {
            _ = try await probe(denying).testRemote()
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.path == Array(denying.address.utf8))
    }

    @Test func `a remote without space is named, and its guarantees are untested`() async throws {
        let faulty = FaultyRemote(MemoryRemote(), script: [.init(.before(.full), verb: .publish)])
        let failure = await #expect(throws: Failure.self) {
            _ = try await probe(faulty).testRemote()
        }
        #expect(failure?.message.hasPrefix("The guarantees could not be tested. ") == true)
        #expect(failure?.path == Array(faulty.address.utf8))
    }

    @Test func `what a failed probe wrote is removed`() async throws {
        let memory = MemoryRemote()
        let faulty = FaultyRemote(memory, script: [.init(.before(.away), verb: .put, skip: 3)])
        await #expect(throws: Failure.self) { _ = try await probe(faulty).testRemote() }
        #expect(memory.objects.isEmpty)
    }

    /// A remote in memory that reports its fitness.
    struct FitnessReporter: RemoteWrapper, FitnessReporting {
        var wrapped: any Remote
        var answer: String?

        var fitness: ProbeReport.Check {
            .init(
                name: "unversioned", guarantee: "It keeps no versions.", holds: true,
                detail: "It says so.", consequence: "Writers overwrite each other.")
        }

        func unfitness() async throws -> String? { answer }
    }

    @Test func `a remote that reports itself as unfit is not tested, even through wrappers`()
        async throws
    {
        let reporter = FitnessReporter(
            wrapped: LyingRemote(.overwrites), answer: "It keeps versions.")
        let systemContext = ManualClock().systemContext
        for remote: any Remote in [
            reporter, RetryingRemote(reporter, systemContext: systemContext),
            CountingRemote(reporter),
        ] {
            let report = try await probe(remote).testRemote()
            #expect(report.checks.map(\.name) == ["unversioned"])
            #expect(report.checks.first?.detail == "It keeps versions.")
            #expect(!report.isFit)
        }
    }

    /// A remote at which one device publishes.
    struct OfOneWriter: RemoteWrapper, SingleWriterRemote {
        var wrapped: any Remote

        func hasOneWriter() async throws -> Bool { true }
    }

    @Test func `where one device publishes, nobody races, and a full slot stays as it is`()
        async throws
    {
        let report = try await probe(OfOneWriter(wrapped: MemoryRemote())).testRemote()
        #expect(report.isFit, "\(report)")
        #expect(report.checks.first?.detail.hasPrefix("Filled 3 slots") == true, "\(report)")
        let overwritten = try await probe(OfOneWriter(wrapped: LyingRemote(.overwrites)))
            .testRemote()
        #expect(overwritten.checks.first?.holds == false)
    }

    @Test func `a remote that reports itself as fit is tested`() async throws {
        let fit = try await probe(FitnessReporter(wrapped: MemoryRemote(), answer: nil))
            .testRemote()
        #expect(fit.isFit, "\(fit)")
        #expect(fit.checks.first?.name == "unversioned")
        let liar = try await probe(FitnessReporter(wrapped: LyingRemote(.overwrites), answer: nil))
            .testRemote()
        #expect(liar.checks.prefix(2).map(\.holds) == [true, false])
    }
}
