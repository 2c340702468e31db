import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiTesting
import FilesinkiWatch
import Glibc
import Synchronization
import Testing

/// What a run reads, from its progress reports.
private final class ReadCounter: Sendable {
    private let told = Mutex<(files: Int, bytes: Int64)>((0, 0))

    var files: Int { told.withLock { $0.files } }
    var bytes: Int64 { told.withLock { $0.bytes } }

    func add(_ progress: Progress) {
        guard progress.phase == .hashing else { return }
        told.withLock { $0 = (max($0.files, progress.files), max($0.bytes, progress.bytes)) }
    }
}

extension World {
    fileprivate var packs: [ObjectKey: [UInt8]] {
        store.objects.filter { $0.key.description.hasPrefix("packs/") }
    }

    fileprivate var packedBytes: Int { packs.values.reduce(0) { $0 + $1.count } }
}

@Suite("Uploads")
struct UploadTests {
    /// Bytes that do not shrink.
    static func noise(_ count: Int, seed: UInt64 = 1) -> TreeFixture.Node {
        .bytes(FilesinkiTesting.noise(count, seed: seed), mode: 0o644, modified: nil)
    }

    private func wide(_ count: Int, each size: Int = 8, seed: UInt64 = 1) -> TreeFixture {
        TreeFixture(
            Dictionary(
                uniqueKeysWithValues: (0..<count).map { number in
                    (
                        TreeFixture.Name(Array("f\(number)".utf8)),
                        Self.noise(size, seed: seed + UInt64(number))
                    )
                }))
    }

    @Test("E6.2 a run that deletes too much stores nothing before approval")
    func deletions() async throws {
        let world = try World()
        let (a, b) = try await world.pair(wide(60))
        for name in try a.names.prefix(50) { a.remove(name) }
        try a.write(["new": Self.noise(400_000, seed: 99)])
        let before = world.store.objects
        for _ in 0..<2 {
            let failure = await #expect(throws: Failure.self) { try await a.sync() }
            #expect(failure?.code == .limit)
            #expect(world.store.objects == before)
        }
        try await a.sync { $0.maxDelete = .count(50) }
        #expect(world.packs.count == 1)
        try await b.sync { $0.maxDelete = .count(50) }
        #expect(try b.tree() == a.tree())
    }

    @Test(
        "E6.2 a run that overwrites nearly everything stores nothing before approval")
    func overwrites() async throws {
        let world = try World()
        let (a, _) = try await world.pair(wide(120))
        try a.write(wide(120, each: 4_000, seed: 1_000))
        let before = world.store.objects
        let failure = await #expect(throws: Failure.self) { try await a.sync() }
        #expect(failure?.code == .limit)
        #expect(world.store.objects == before)
        let plan = try await a.sync { $0.isDryRun = true }.planID
        try await a.sync { $0.approved = plan }
        #expect(world.packedBytes > 400_000)
        let c = try await world.replica("c")
        try await c.sync()
        #expect(try c.tree() == a.tree())
    }

    @Test("E6.2 a plan that only resembles an accident is stored once, and received")
    func harmless() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .directory(wide(60))])
        a.rename("d", "e")
        try a.write(["new": Self.noise(400_000, seed: 99)])
        let report = try await a.sync()
        #expect(report.problems.isEmpty)
        #expect(world.packs.count == 1)
        #expect(world.packedBytes < 410_000)
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }

    @Test("E6.2 a watch's run for many changes stores nothing where the guards stop it")
    func watched() async throws {
        let world = try World()
        let (a, _) = try await world.pair(wide(120))
        try a.write(wide(120, each: 4_000, seed: 1_000))
        let before = world.store.objects
        let failure = await #expect(throws: Failure.self) {
            try await a.with { replica in
                var options = SyncOptions()
                options.isUnattended = true
                let paths = try Set((0..<120).map { try RelativePath("f\($0)") })
                _ = try await replica.syncChanges(
                    LocalChanges(paths: paths, folders: []), isRemoteHinted: false, options)
            }
        }
        #expect(failure?.code == .limit)
        #expect(world.store.objects == before)
    }

    @Test("E6.2 a run for some paths stores nothing else")
    func somePaths() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["f": .file("2"), "large": Self.noise(400_000)])
        let path = try RelativePath("f")
        try await a.sync { $0.paths = [path] }
        #expect(world.packs.isEmpty)
        try await a.sync()
        #expect(world.packs.count == 1)
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }

    @Test(
        "E6.2 an unchanged open conflict is neither read nor stored again, and published when resolved"
    )
    func openConflict() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["f": Self.noise(300_000, seed: 2)])
        try await a.sync()
        try b.write(["f": Self.noise(300_000, seed: 3)])
        let path = try RelativePath("f")
        let first = try await leave(b)
        #expect(first.report.conflicts == [path])
        let before = world.store.objects
        // A stamp is trusted once the file system's clock has ticked since the file was written.
        var tries = 0
        while tries < 100, try await leave(b).read.files > 0 { tries += 1 }
        for _ in 0..<3 {
            let again = try await leave(b)
            #expect(again.report.conflicts == [path])
            #expect((again.read.files, again.read.bytes) == (0, 0))
        }
        #expect(world.store.objects == before)
        let wanted = try b.tree()
        _ = try await b.with { try await $0.resolve(path, .ours, SyncOptions()) }
        try await a.sync()
        #expect(try a.tree() == wanted)
        // The conflict's content was stored once in all.
        #expect(world.packs.count == 2)
    }

    private func leave(_ machine: Machine) async throws -> (report: SyncReport, read: ReadCounter) {
        let read = ReadCounter()
        let report = try await machine.sync {
            $0.strategy = Strategy([.end(.leave)])
            $0.progress = { read.add($0) }
        }
        return (report, read)
    }

    @Test(
        "E6.2 up to 256 KiB of new contents travel in the commit, more in a pack",
        arguments: [(0, 0), (1, 1)])
    func inline(_ more: Int, _ packs: Int) async throws {
        let world = try World()
        let a = try await world.replica("a")
        try a.write([
            "f": Self.noise(200 << 10), "g": Self.noise((56 << 10) + more, seed: 2),
        ])
        try await a.sync()
        #expect(world.packs.count == packs)
        let b = try await world.replica("b")
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }

    @Test("E6.2 packs of a run that did not publish are used by the next one")
    func interrupted() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["large": Self.noise(600_000)])
        for _ in 0..<5 {
            world.remote.plan(.init(.before(.away), verb: .publish))
            let report = try await a.sync()
            #expect(report.away != nil)
        }
        #expect(world.packs.count == 1)
        try await a.sync()
        #expect(world.packs.count == 1)
        try await b.sync()
        #expect(try b.tree() == a.tree())
        // A published pack is not named again.
        try a.write(["more": Self.noise(600_000, seed: 5)])
        try await a.sync()
        let named = try await world.commits().flatMap(\.packs)
        #expect(Set(named).count == named.count)
        #expect(named.count == 2)
    }

    @Test("E6.2 a recorded pack that the store has lost is stored again")
    func lostPack() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["large": Self.noise(600_000)])
        world.remote.plan(.init(.before(.away), verb: .publish))
        try await a.sync()
        for key in world.packs.keys { world.store.objects[key] = nil }
        try await a.sync()
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }

    @Test("E6.2 a file that grows while it is read leaves no content for each attempt")
    func growing() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        let size = 12 << 20
        try a.write(["log": Self.noise(size)])
        let path = a.at("log")
        for _ in 0..<3 {
            let report = try await a.sync { options in
                options.progress = { progress in
                    // A file that was written a moment ago is read again, too.
                    let isReading = progress.files < progress.totalFiles
                    guard progress.phase == .hashing, isReading else { return }
                    let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
                    _ = write(file, "line\n", 5)
                    close(file)
                }
            }
            #expect(report.problems.map(\.path) == [try RelativePath("log")])
        }
        try await a.sync()
        #expect(world.packedBytes < size + (16 << 20))
        try await b.sync()
        #expect(try b.tree() == a.tree())
    }
}
