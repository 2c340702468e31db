import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// A remote whose credentials may only read.
private struct RemoteToRead: RemoteWrapper {
    let wrapped: any Remote

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        throw Failure(
            .notAllowed, path: address, "The token may only read.", remedy: "",
            cause: ReadOnlyAccess())
    }
}

/// A remote that says it is a folder of this machine.
private struct RemoteInFolder: RemoteWrapper {
    let wrapped: any Remote
    let address = "/nowhere/store"
}

/// What `doctor` says of a replica that is in use, and of a disk that fills up.
@Suite struct DoctorTests {
    private func facts(
        free: Int64 = 1 << 40, of total: Int64 = 1 << 40
    ) -> MachineFacts {
        var facts = MachineFacts.real
        facts.space = { _ in (free, total) }
        return facts
    }

    @Test func `the remote is examined while another process holds the replica`() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        var options = a.options
        options.lockWait = .zero
        let doctor = Doctor(options, facts())
        let diagnoses = try await a.with { _ in await doctor.diagnose(canReach: true) }
        let levels = Dictionary(diagnoses.map { ($0.name, $0.level) }) { first, _ in first }
        #expect(levels["remote"] == .ok)
        #expect(levels["devices"] == .ok && levels["conflicts"] == .ok)
    }

    @Test func `a device that was not seen for more than 90 days is named, the others counted`()
        async throws
    {
        let world = try World()
        let made = try await world.replicas("a", "b", "c", holding: ["f": .file("x")])
        let known = try await made[0].with { try await $0.devices() }
        let times = known.filter { !$0.isThisOne }.map(\.time.seconds)
        try #require(times.count == 2 && times[0] < times[1])
        for (age, after, words) in [
            (0, times[0], "3 devices use the store."),
            (1, times[0], "Not seen for 90 days: b."),
            (0, times[1], "Not seen for 90 days: b."),
            (1, times[1], "Not seen for 90 days: b and 1 more."),
        ] {
            world.clock.advance(
                by: .seconds(after + 90 * 86_400 + Int64(age) - world.clock.now.seconds))
            let diagnoses = await Doctor(made[0].options, facts()).diagnose(canReach: true)
            let found = diagnoses.first { $0.name == "devices" }
            #expect(found?.message == words)
        }
    }

    @Test func `the only device of a store is named in the singular`() async throws {
        let world = try World()
        for (name, words) in [
            ("a", "1 device uses the store."), ("b", "2 devices use the store."),
        ] {
            let machine = try await world.replica(name)
            try machine.write([TreeFixture.Name(stringLiteral: name): .file(name)])
            try await machine.sync()
            let diagnoses = await Doctor(machine.options, facts()).diagnose(canReach: true)
            #expect(diagnoses.first { $0.name == "devices" }?.message == words)
        }
    }

    @Test func `guarantees that are untested for lack of space are a warning`() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        let full = FaultyRemote(
            world.remote, script: [.init(.before(.full), verb: .put, prefix: "probe/")])
        var options = a.options
        options.connect = { _ in full }
        let diagnoses = await Doctor(options, facts()).diagnose(canReach: true)
        let found = diagnoses.first { $0.name == "guarantees" }
        #expect(found?.level == .warning)
        #expect(found?.message.contains("The guarantees could not be tested. ") == true)
    }

    @Test func `guarantees that are untested by who may only read are a warning`() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        let remote = RemoteToRead(wrapped: world.remote)
        var options = a.options
        options.connect = { _ in remote }
        let diagnoses = await Doctor(options, facts()).diagnose(canReach: true)
        let found = diagnoses.first { $0.name == "guarantees" }
        #expect(found?.level == .warning)
        #expect(
            found?.message.hasSuffix(
                "The guarantees could not be tested. The token may only read.") == true)
    }

    @Test(
        "the disk is full below 100 MB, and nearly full below 1 GB and a 20th of it",
        arguments: [
            (99_999_999, 1 << 30, Diagnosis.Level.error), (100_000_000, 1 << 30, .ok),
            (100_000_000, 2_000_000_000, .ok), (100_000_000, 2_000_000_020, .warning),
            (999_999_999, 1 << 40, .warning), (1_000_000_000, 1 << 40, .ok),
        ])
    func disk(_ free: Int64, _ total: Int64, _ level: Diagnosis.Level) async throws {
        let world = try World()
        let a = try await world.replica("a")
        let diagnoses = await Doctor(a.options, facts(free: free, of: total))
            .diagnose(canReach: false)
        #expect(diagnoses.first { $0.name == "disk" }?.level == level)
    }

    @Test(
        "less than 64 MB at a store in a folder are a warning",
        arguments: [
            (63_999_999, "Only 63 MB are free at the store."),
            (64_000_000, "The store's folders are writable."),
        ])
    func storeDisk(_ free: Int64, _ words: String) async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        let store = RemoteInFolder(wrapped: world.remote)
        var options = a.options
        options.connect = { _ in store }
        var facts = facts()
        facts.space = { ($0 == store.address ? free : 1 << 40, 1 << 40) }
        let found = await Doctor(options, facts).diagnose(canReach: true)
            .first { $0.name == "writing" }
        #expect(found?.message == words)
        #expect(
            found?.remedy
                == (found?.level == .ok ? "" : "Free some space there, or run filesinki prune."))
    }

    @Test func `a last run that found no space is a warning until one completes`() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("x")])
        func space() async -> Diagnosis? {
            await Doctor(a.options, facts()).diagnose(canReach: false).first { $0.name == "space" }
        }
        #expect(await space() == nil)
        let failure = Failure(.full, "No space left.", remedy: "")
        try await a.with { try await $0.recordFailedRun(failure, exitCode: 6) }
        #expect(
            await space()
                == Diagnosis(
                    "space", .warning,
                    "The last run did not complete: no space left, here or at the store.",
                    remedy: "Run filesinki sync: it says where, and what to do."))
        try await a.sync()
        #expect(await space() == nil)
    }
}
