import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Synchronization
import Testing

@testable import FilesinkiEngine

/// Runs that failed, as `status` and monitors see them.
@Suite struct FailedRunTests {
    private func fail(_ machine: Machine, _ outcomes: [(String, Int32)]) async throws -> [String] {
        try await machine.with { replica in
            try await replica.perform(SyncEngine.self) { sync in
                for (outcome, code) in outcomes {
                    try sync.recordFailedRun(outcome, exitCode: code)
                }
                return try sync.manifest.runs(limit: 10).map { "\($0.outcome) \($0.exitCode ?? 0)" }
            }
        }
    }

    private func recover(
        _ machine: Machine, after failures: [(String, Int32)]
    ) async throws -> [String] {
        _ = try await fail(machine, failures)
        return try await machine.with { replica in
            try await replica.perform(SyncEngine.self) { sync in
                try sync.recordRecoveredRun()
                return try sync.manifest.runs(limit: 10).map(\.outcome)
            }
        }
    }

    @Test func `a repeated failure is one run, another one or one after a success is not`()
        async throws
    {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["f": .file("1")])
        try await a.sync()
        let offline = [("away", Int32(75)), ("away", 75), ("away", 75)]
        #expect(try await fail(a, offline) == ["away 75", "done 0"])
        #expect(try await fail(a, [("limit", 6)]) == ["limit 6", "away 75", "done 0"])
        try a.write(["f": .file("2")])
        try await a.sync()
        #expect(
            try await fail(a, offline)
                == ["away 75", "done 0", "limit 6", "away 75", "done 0"])
    }

    @Test func `it is the last one, and the last success stays`() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["f": .file("1")])
        try await a.sync()
        let before = try await a.with { try await $0.status().lastSuccess }
        world.clock.advance(by: .seconds(60))
        _ = try await fail(a, [("limit", 6)])
        let (status, last) = try await a.with {
            (try await $0.status(), try await $0.metrics().lastRun)
        }
        #expect(status.lastFailure == "limit" && status.lastSuccess == before)
        #expect(last?.exitCode == 6 && before.map { $0 < last?.ended ?? $0 } == true)
    }

    @Test(
        "conflicts and what is withheld leave a run complete, other codes do not",
        arguments: [("conflict", Int32(3), true), ("withheld", 3, true), ("partial", 5, false)])
    func completeRuns(_ outcome: String, _ code: Int32, _ isComplete: Bool) async throws {
        let world = try World()
        let a = try await world.replica("a")
        _ = try await fail(a, [(outcome, code)])
        let status = try await a.with { try await $0.status() }
        #expect((status.lastSuccess != nil) == isComplete)
        #expect(status.lastFailure == (isComplete ? nil : outcome))
    }

    @Test func `a refusal is the last one's, until a run succeeds or the access is given anew`()
        async throws
    {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["f": .file("1")])
        try await a.sync()
        let refused = Failure(
            .notAllowed, path: "https://nas", "The token was revoked.", remedy: "Get another one.")
        func refusal(after failures: [Failure]) async throws -> String? {
            try await a.with { replica in
                for failure in failures { try await replica.recordFailedRun(failure, exitCode: 7) }
                return try await replica.status().refusal?.description
            }
        }
        let said = "https://nas: The token was revoked. Get another one."
        #expect(try await refusal(after: [refused]) == said)
        var other = refused
        other.message = "The key is unknown."
        #expect(
            try await refusal(after: [other]) == "https://nas: The key is unknown. Get another one."
        )
        let away = Failure(.away, "Not reached.", remedy: "")
        #expect(try await refusal(after: [refused, away]) == nil)
        #expect(try await refusal(after: [refused]) == said)
        try await a.with { try await $0.setRemote("memory", acceptingOther: false) }
        #expect(try await refusal(after: []) == nil)
        #expect(try await refusal(after: [refused]) == said)
        try a.write(["f": .file("2")])
        try await a.sync()
        #expect(try await refusal(after: []) == nil)
    }

    @Test(
        "what stopped a run at the remote is over when that is set anew, until it stops one again",
        arguments: [("wrong-store", Int32(7)), ("not-allowed", 7), ("away", 75), ("limit", 6)])
    func leftRemote(_ outcome: String, _ code: Int32) async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["f": .file("1")])
        try await a.sync()
        _ = try await fail(a, [(outcome, code)])
        #expect(try await a.with { try await $0.status().lastFailure } == outcome)
        try await a.with { try await $0.setRemote("memory", acceptingOther: false) }
        // A limit stops the next run, too.
        let left = try await a.with { try await $0.status().lastFailure }
        #expect(left == (outcome == "limit" ? outcome : nil))
        _ = try await fail(a, [(outcome, code)])
        #expect(try await a.with { try await $0.status().lastFailure } == outcome)
    }

    @Test func `success after a failure is recorded, and success after success is not`()
        async throws
    {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["f": .file("1")])
        try await a.sync()
        #expect(try await recover(a, after: []) == ["done"])
        #expect(try await recover(a, after: [("away", 75)]) == ["done", "away", "done"])
        #expect(try await a.with { try await $0.status().lastFailure } == nil)
    }

    private func lastFailure(_ machine: Machine) async throws -> String? {
        let replica = try await Replica.open(machine.options, writable: false)
        let failure = try await replica.status().lastFailure
        await replica.close()
        return failure
    }

    private func leave(_ mark: [UInt8], in machine: Machine) async throws {
        let options = machine.options
        let lock = try await ReplicaLock.acquire(
            options.stateFolder.lock, waiting: options.lockWait, sleep: options.systemContext.sleep)
        lock.writeHolder(String(decoding: mark, as: UTF8.self))
    }

    @Test func `a run that was killed is the last failure until a run comes to its end`()
        async throws
    {
        let world = try World()
        var a = try await world.replica("a")
        let lock = a.options.stateFolder.lock
        let rival = RivalRemote(remote: world.remote)
        a.options.connect = { _ in rival }
        try a.write(["f": .file("1")])
        let machine = a
        let marks = Mutex<[[UInt8]]>([])
        rival.beforePublishing {
            let mark = try StateFile.read(lock) ?? []
            marks.withLock { $0.append(mark) }
            // It is in progress, not killed.
            #expect(try await self.lastFailure(machine) == nil)
        }
        try await a.sync()
        let mark = try #require(marks.withLock { $0 }.first)
        #expect(!mark.isEmpty)
        #expect(try StateFile.read(lock) == [])
        #expect(try await lastFailure(a) == nil)
        // A killed process leaves its mark, and no lock.
        try await leave(mark, in: a)
        // A process that another test starts holds every lock of this one from its fork to its exec.
        #expect(try await eventually { try await self.lastFailure(machine) == "interrupted" })
        try await a.sync { $0.isDryRun = true }
        #expect(try await eventually { try await self.lastFailure(machine) == "interrupted" })
        try await a.sync()
        #expect(try await lastFailure(a) == nil)
    }

    @Test("what is new here is listed after a killed run, too, without what it may have received")
    func changes() async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write(["f": .file("1")])
        try await a.sync()
        let row = RemoteRow(
            path: RelativePath(unchecked: Array("received".utf8)),
            entry: VersionedEntry(
                .file(
                    ContentHasher.hash(Array("3".utf8)), size: 1, mode: 0o644,
                    modified: Timestamp(nanoseconds: 0)), version: 2))
        try await a.with { replica in
            try await replica.perform(SyncEngine.self) { sync in
                try sync.manifest.write { try $0.putRemote(row) }
            }
        }
        try await leave(Array("A run is in progress.\n".utf8), in: a)
        try a.write(["mine": .file("2"), "received": .file("3")])
        let machine = a
        #expect(try await eventually { try await self.changed(machine) == ["mine"] })
    }

    private func changed(_ machine: Machine) async throws -> [String]? {
        let replica = try await Replica.open(machine.options, writable: false)
        let changed = try await replica.localState()?.changed.map(\.description)
        await replica.close()
        return changed
    }
}
