import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import Synchronization
import Testing

/// A prune moves old commits into archives, and every device finds in them what it found before.
@Suite("Archiving old commits")
struct ArchivingTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        var (a, b) = try await world.pair(["k": .file("keep")])
        let extent = ArchiveExtent(keptSlots: 3, minimum: 5, length: 3000)
        a.options.archiveExtent = extent
        b.options.archiveExtent = extent
        (self.a, self.b) = (a, b)
    }

    private func keys(_ folder: String) -> [ObjectKey] {
        world.store.objects.keys.filter { $0.description.hasPrefix("zones/files/\(folder)/") }
    }

    private func versions(_ machine: Machine) async throws -> [UInt64] {
        let path = try RelativePath("f")
        return try await machine.with { try await $0.history(of: path) }.map(\.version)
    }

    @Test("all versions and devices stay as they were")
    func archived() async throws {
        for number in 0..<15 { try await a.save("\(number)", at: "f") }
        try await b.sync()
        for number in 15..<30 { try await a.save("\(number)", at: "f") }
        let before = try await versions(a)
        let planned = try await prune(a, isDryRun: true) { $0.versions = 100 }
        #expect(keys("archives").isEmpty)
        let report = try await prune(a) { $0.versions = 100 }
        #expect(report.archivedCommits > 20)
        #expect(planned.archivedCommits - report.archivedCommits < 5)
        #expect(keys("archives").count > 1)
        #expect(keys("log").count < 10)
        #expect(try await versions(a) == before)
        let path = try RelativePath("f")
        _ = try await a.with { try await $0.restore(path, version: before[20], SyncOptions()) }
        let restored = a.text("f")
        #expect(restored != "29" && restored != nil)
        #expect(try await b.sync().problems.isEmpty)
        #expect(b.text("f") == restored)
        try await expectWhole()
        #expect(try await versions(b).count == before.count + 1)
    }

    @Test("of archived commits few checkpoints stay, and every device goes on")
    func checkpoints() async throws {
        var (a, b) = (a, b)
        a.options.checkpointInterval = 2
        b.options.checkpointInterval = 2
        for number in 0..<30 { try await a.save("\(number)", at: "f\(number % 4)") }
        let before = keys("checkpoints").count
        let planned = try await prune(a, isDryRun: true) { $0.versions = 100 }
        #expect(planned.removedCheckpoints == 0)
        let report = try await prune(a) { $0.versions = 100 }
        #expect(report.archivedCommits > 20)
        #expect(report.removedCheckpoints > 5)
        #expect(keys("checkpoints").count == before - report.removedCheckpoints)
        #expect(keys("checkpoints").count <= keys("archives").count + keys("log").count)
        #expect(try await prune(a) { $0.versions = 100 }.removedCheckpoints == 0)
        for number in [3, 12, 20, 25] as [UInt64] {
            let tree = try await a.with { try await $0.tree(at: .commit(number), of: []) }
            #expect(tree.sequence == number)
            // Commit 1 is not of these saves.
            let path = try RelativePath("f\((number - 2) % 4)")
            #expect(try tree.entry(path).version == number)
        }
        // The device that slept has read nothing of this.
        try b.write(["own": .file("b's")])
        #expect(try await b.sync().problems.isEmpty)
        #expect(b.text("f3") == "27")
        try await a.sync()
        #expect(a.text("own") == "b's")
        try await expectWhole()
    }

    @Test("a device that sleeps between reading and publishing loses nothing", arguments: [0, 12])
    func sleeper(_ earlier: Int) async throws {
        for number in 0..<earlier { try await a.save("\(number)", at: "f") }
        try await b.sync()
        let rival = RivalRemote(remote: world.remote)
        let awake = Mutex(false)
        rival.beforePublishing { [a] in
            for number in 0..<20 { try await a.save("later \(number)", at: "g") }
            var policy = RetentionPolicy()
            policy.versions = 100
            let report = try await a.with { [policy] in
                try await $0.prune(policy, isDryRun: false, nil)
            }
            #expect(report.archivedCommits > 10)
            awake.withLock { $0 = true }
        }
        var sleeper = b
        sleeper.options.connect = { _ in rival }
        try await sleeper.save("b's", at: "h")
        #expect(awake.withLock { $0 })
        try await b.sync()
        try await a.sync()
        #expect(a.text("h") == "b's")
        #expect(b.text("g") == "later 19")
        try await expectWhole()
    }
}
