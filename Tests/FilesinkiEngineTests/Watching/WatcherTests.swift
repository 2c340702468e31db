import FilesinkiDirectory
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

@testable import FilesinkiEngine
@testable import FilesinkiWatch

/// Two watches in one process, and their store. Waiting is bounded, and polls only
/// what a watch itself reports.
private final class Watched: Sendable {
    let folder: TemporaryFolder
    let notices = Mutex<[String: [String]]>([:])

    init() throws { folder = try TemporaryFolder(inMemory: true) }

    var store: String { folder.path("store") }

    /// The notices of each watch.
    var said: [String: [String]] { notices.withLock { $0 } }

    func at(_ path: String) -> String { folder.path(path) }

    func options(_ name: String) -> ReplicaOptions {
        return ReplicaOptions(
            root: at(name), lockWait: .seconds(60), systemContext: .ofMachine,
            connect: { DirectoryRemote(path: $0) })
    }

    func replica(_ name: String, only paths: [String] = []) async throws {
        try await makeStore(in: store)
        _ = try await Replica.initialize(
            options(name), address: store, deviceName: name,
            only: try paths.map { try RelativePath($0) })
    }

    func watcher(_ name: String, _ change: (inout WatchOptions) -> Void = { _ in }) throws
        -> Watcher
    {
        var settings = WatchOptions()
        settings.debouncing = Debouncer.Limits(
            quiet: .milliseconds(20), quick: .milliseconds(2), longest: .milliseconds(200))
        change(&settings)
        return try Watcher(options(name), settings) { notice in
            self.notices.withLock {
                $0[name, default: []].append("\(notice)".prefix(400).description)
            }
        }
    }

    /// How the recorded runs of a replica ended, the last one first.
    func runs(_ name: String) async throws -> [String] {
        let replica = try await Replica.open(options(name), writable: false)
        let runs = try await replica.perform(SyncEngine.self) { try $0.manifest.runs(limit: 100) }
        await replica.close()
        return runs.map { "\($0.outcome) \($0.exitCode ?? 0)" }
    }

    func write(_ path: String, _ text: String) {
        guard let file = fopen(at(path), "w") else { return }
        fputs(text, file)
        fclose(file)
    }

    func read(_ path: String) -> String? {
        guard let file = fopen(at(path), "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}

extension Watcher {
    /// Whether the thread that watches the root ends, or has ended.
    fileprivate var hasEndedThread: Bool { local.state.withLock { $0.isEnding } }

    /// As if there were too many changes to report single paths.
    fileprivate func reportFlood() { local.post(.everything(.flood)) }
}

@Suite("Watches", .serialized)
struct WatcherTests {
    @Test("two watches sync changes in both directions")
    func two() async throws {
        let world = try Watched()
        for name in ["a", "b"] { try await world.replica(name) }
        let a = try world.watcher("a")
        let b = try world.watcher("b")
        async let first: Void = a.watch()
        async let second: Void = b.watch()
        world.write("a/f", "from a")
        #expect(
            try await eventually { world.read("b/f") == "from a" }, "\(world.said)")
        world.write("b/f", "from b")
        #expect(
            try await eventually { world.read("a/f") == "from b" }, "\(world.said)")
        mkdir(world.at("b/d"), 0o755)
        world.write("b/d/g", "deep")
        #expect(
            try await eventually { world.read("a/d/g") == "deep" }, "\(world.said)")
        unlink(world.at("a/f"))
        #expect(
            try await eventually { world.read("b/f") == nil }, "\(world.said)")
        a.requestStop()
        b.requestStop()
        try await first
        try await second
    }

    @Test("what was moved out of the chosen paths and back under another name is renamed")
    func movedOutAndBack() async throws {
        let world = try Watched()
        try await world.replica("a")
        try await world.replica("b", only: ["docs"])
        let a = try world.watcher("a")
        let b = try world.watcher("b")
        async let first: Void = a.watch()
        async let second: Void = b.watch()
        mkdir(world.at("a/docs"), 0o755)
        for name in ["f", "k"] { world.write("a/docs/\(name)", name) }
        #expect(try await eventually { world.read("b/docs/k") == "k" }, "\(world.said)")
        #expect(try await eventually { world.read("b/docs/f") == "f" }, "\(world.said)")
        let count = world.said["b", default: []].count
        #expect(rename(world.at("b/docs/f"), world.at("b/f")) == 0)
        // The run that has held the deletion back.
        #expect(
            try await eventually { world.said["b", default: []].count > count }, "\(world.said)")
        #expect(rename(world.at("b/f"), world.at("b/docs/g")) == 0)
        #expect(try await eventually { world.read("a/docs/g") == "f" }, "\(world.said)")
        #expect(try await eventually { world.read("a/docs/f") == nil }, "\(world.said)")
        a.requestStop()
        b.requestStop()
        try await first
        try await second
    }

    @Test("a second watch on a replica is refused; other commands are not")
    func second() async throws {
        let world = try Watched()
        try await world.replica("a")
        let watcher = try world.watcher("a")
        async let run: Void = watcher.watch()
        #expect(try await eventually { world.notices.withLock { $0["a"]?.isEmpty == false } })
        let failure = await #expect(throws: Failure.self) {
            try await world.watcher("a").watch()
        }
        #expect(failure?.code == .busy)
        #expect(failure?.message.contains("process \(getpid())") == true)
        let beside = try await Replica.open(world.options("a"), writable: true)
        _ = try await beside.sync(SyncOptions())
        await beside.close()
        watcher.requestStop()
        try await run
        #expect(await watcher.hasEndedThread)
        // Its end lets the next one in.
        let next = try world.watcher("a")
        next.requestStop()
        try await next.watch()
    }

    @Test("new rules apply as soon as they are written")
    func rules() async throws {
        let world = try Watched()
        for name in ["a", "b"] { try await world.replica(name) }
        mkdir(world.at("a/build"), 0o755)
        world.write("a/.filesinkiignore", "build/\n")
        let a = try world.watcher("a")
        let b = try world.watcher("b")
        async let first: Void = a.watch()
        async let second: Void = b.watch()
        world.write("a/build/out", "1")
        world.write("a/src", "1")
        #expect(try await eventually { world.read("b/src") == "1" })
        #expect(world.read("b/build/out") == nil)
        unlink(world.at("a/.filesinkiignore"))
        #expect(try await eventually { world.read("b/build/out") == "1" })
        world.write("a/build/more", "2")
        #expect(try await eventually { world.read("b/build/more") == "2" })
        a.requestStop()
        b.requestStop()
        try await first
        try await second
    }

    @Test("settings that cannot be read are said once, and the watch waits for a correction")
    func unreadableSettings() async throws {
        let world = try Watched()
        try await world.replica("a")
        world.write("a/.filesinki.toml", "gitignore = yes\n")
        world.write("a/f", "1")
        let watcher = try world.watcher("a") {
            $0.scheduler.pauses = .milliseconds(2)...(.milliseconds(9))
        }
        async let run: Void = watcher.watch()
        func failures() -> [String] {
            (world.said["a"] ?? []).filter { $0.hasPrefix("failed") }
        }
        #expect(try await eventually { !failures().isEmpty }, "\(world.said)")
        world.write("a/g", "1")
        world.write("a/.filesinki.toml", "gitignore = true\n")
        #expect(
            try await eventually { world.said["a"]?.contains("resumed(wasAway: false)") == true },
            "\(world.said)")
        #expect(failures().count == 1)
        watcher.requestStop()
        try await run
    }

    @Test("without inotify the tree is scanned at intervals")
    func shortage() async throws {
        let world = try Watched()
        for name in ["a", "b"] { try await world.replica(name) }
        mkdir(world.at("a/d"), 0o755)
        let a = try world.watcher("a") { settings in
            settings.bounds = TreeWatch.Bounds(folders: 1)
            settings.scheduler.shortageScan = .milliseconds(50)
        }
        let b = try world.watcher("b")
        async let first: Void = a.watch()
        async let second: Void = b.watch()
        #expect(try await eventually { access(world.at("b/d"), F_OK) == 0 })
        world.write("a/d/unheard", "1")
        #expect(try await eventually { world.read("b/d/unheard") == "1" })
        let said = world.notices.withLock { $0["a"] ?? [] }.filter { $0.hasPrefix("shortage") }
        #expect(said.count == 1)
        a.requestStop()
        b.requestStop()
        try await first
        try await second
    }

    @Test("an unavailable remote is retried; nothing is missed meanwhile")
    func away() async throws {
        let world = try Watched()
        for name in ["a", "b"] { try await world.replica(name) }
        let quick: (inout WatchOptions) -> Void = { settings in
            settings.scheduler.pauses = .milliseconds(20)...(.milliseconds(100))
            settings.poll = .milliseconds(100)
        }
        let a = try world.watcher("a", quick)
        let b = try world.watcher("b", quick)
        async let first: Void = a.watch()
        async let second: Void = b.watch()
        world.write("a/f", "1")
        #expect(try await eventually { world.read("b/f") == "1" })
        #expect(rename(world.store, world.store + ".away") == 0)
        world.write("a/f", "while away")
        world.write("b/g", "also")
        #expect(
            try await eventually {
                world.notices.withLock { $0["a"]?.contains { $0.hasPrefix("away") } } == true
            })
        #expect(rename(world.store + ".away", world.store) == 0)
        #expect(try await eventually { world.read("b/f") == "while away" })
        #expect(try await eventually { world.read("a/g") == "also" })
        #expect(
            try await eventually { world.said["a"]?.contains("resumed(wasAway: true)") == true },
            "\(world.said)")
        a.requestStop()
        b.requestStop()
        try await first
        try await second
    }

    @Test("a failure is recorded once for status, and its end, too")
    func recorded() async throws {
        let world = try Watched()
        try await world.replica("a")
        let a = try world.watcher("a") { settings in
            settings.scheduler.pauses = .milliseconds(20)...(.milliseconds(20))
            settings.recordedExitCode = { $0.code == .away ? 75 : nil }
        }
        async let run: Void = a.watch()
        world.write("a/f", "1")
        #expect(try await eventually { try await world.runs("a").first == "done 0" })
        let before = try await world.runs("a").count
        #expect(rename(world.store, world.store + ".away") == 0)
        world.write("a/f", "while away")
        #expect(try await eventually { try await world.runs("a").first == "away 75" })
        #expect(rename(world.store + ".away", world.store) == 0)
        #expect(try await eventually { try await world.runs("a").first == "done 0" })
        let runs = try await world.runs("a")
        #expect(runs.prefix(runs.count - before).filter { $0 == "away 75" }.count == 1)
        a.requestStop()
        try await run
    }

    @Test("a run that a guard stops after a round has changed something reports that first")
    func stoppedRun() async throws {
        let world = try World()
        func files(_ numbers: Range<Int>) -> TreeFixture {
            TreeFixture(
                Dictionary(
                    numbers.map { (TreeFixture.Name(Array("f\($0)".utf8)), .file("\($0)")) }
                ) { first, _ in first })
        }
        let (a, b) = try await world.pair(files(0..<30))
        try a.write(files(30..<60))
        try await a.sync()
        try b.write(["own": .file("x")])
        let rival = RivalRemote(remote: world.remote)
        var options = b.options
        options.connect = { _ in rival }
        rival.beforePublishing {
            for number in 0..<26 { a.remove("f\(number)") }
            try await a.sync { $0.maxDelete = .count(100) }
        }
        let said = Mutex<[String]>([])
        let watcher = try Watcher(options, WatchOptions()) { notice in
            let words =
                switch notice {
                case .synced(let report): "synced \(report.steps.count)"
                case .failed(let failure): failure.message
                default: "\(notice)"
                }
            said.withLock { $0.append(words) }
        }
        try await watcher.syncAndSchedule(.everything)
        #expect(
            said.withLock { $0 } == [
                "rulesReloaded", "synced 30",
                "The run would delete 26 of 30 paths here; the limit is 50%.",
            ])
        #expect(try b.names.count == 61)
        await watcher.replica?.close()
    }

    @Test("that anything may have changed is said")
    func flood() async throws {
        let world = try Watched()
        try await world.replica("a")
        let watcher = try world.watcher("a")
        async let run: Void = watcher.watch()
        #expect(try await eventually { world.said["a"]?.isEmpty == false })
        await watcher.reportFlood()
        #expect(
            try await eventually {
                world.said["a"]?.contains { $0.hasPrefix("scansEverything") } == true
            }, "\(world.said)")
        watcher.requestStop()
        try await run
    }

    @Test("after a watch its signals have their default action again")
    func signals() async throws {
        // A process that nohup has started ignores it.
        let before = signal(SIGHUP, SIG_DFL)
        defer { signal(SIGHUP, before) }
        let world = try Watched()
        try await world.replica("a")
        let watcher = try world.watcher("a")
        watcher.requestStop()
        try await watcher.watch()
        let isLeft = signal(SIGHUP, SIG_DFL) != nil
        #expect(!isLeft)
    }

    @Test("a removed root ends the watch")
    func rootGone() async throws {
        let world = try Watched()
        try await world.replica("a")
        let watcher = try world.watcher("a")
        let run = Task { try await watcher.watch() }
        #expect(try await eventually { world.notices.withLock { $0["a"]?.isEmpty == false } })
        #expect(rename(world.at("a"), world.at("elsewhere")) == 0)
        let failure = await #expect(throws: Failure.self) { try await run.value }
        #expect(failure?.code == .io)
        #expect(await watcher.hasEndedThread)
    }

    @Test("a replica without a remote is reported at once")
    func noRemote() async throws {
        let world = try Watched()
        _ = try await Replica.initialize(world.options("a"), address: nil, deviceName: "a")
        let failure = await #expect(throws: Failure.self) { try await world.watcher("a").watch() }
        #expect(failure?.code == .notFound)
    }
}
