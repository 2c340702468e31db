import FilesinkiModel
import FilesinkiTesting
import FilesinkiWatch
import Glibc
import Testing

@Suite("The watch thread")
struct LocalWatchTests {
    private func watch(
        _ folder: TemporaryFolder, bounds: TreeWatch.Bounds = TreeWatch.Bounds()
    ) throws -> LocalWatch {
        let limits = Debouncer.Limits(
            quiet: .milliseconds(20), quick: .milliseconds(2), longest: .milliseconds(200))
        return try LocalWatch(root: folder.path, limits: limits, bounds: bounds)
    }

    private func write(_ path: String) {
        close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
    }

    /// Far enough away that only a fault reaches it.
    private var patience: Duration { ClockReading.moment + .seconds(60) }

    /// The notices up to the first one that matches.
    private func notices(
        _ watch: LocalWatch, until isMeant: (LocalNotice) -> Bool
    ) async -> [LocalNotice] {
        var all: [LocalNotice] = []
        while !all.contains(where: isMeant) {
            let some = await watch.next(until: patience)
            if some.isEmpty { return all }
            all += some
        }
        return all
    }

    @Test("a change is reported once it has settled")
    func change() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let watch = try self.watch(folder)
        defer { watch.stop() }
        #expect(try watch.start { _, _ in false } == 1)
        write(folder.path("f"))
        let path = try RelativePath("f")
        let told = await notices(watch) { notice in
            if case .changes(let changes) = notice { return changes.paths.contains(path) }
            return false
        }
        #expect(told.contains(.changes(LocalChanges(paths: [path]))))
    }

    @Test("a deadline ends the wait without a report")
    func deadline() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let watch = try self.watch(folder)
        defer { watch.stop() }
        _ = try watch.start { _, _ in false }
        #expect(await watch.next(until: ClockReading.moment + .milliseconds(10)).isEmpty)
        #expect(await watch.next(until: .zero).isEmpty)
    }

    @Test("a wake-up ends the wait")
    func posted() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let watch = try self.watch(folder)
        defer { watch.stop() }
        _ = try watch.start { _, _ in false }
        async let told = notices(watch) { $0 == .remote }
        watch.post(.remote)
        #expect(await told == [.remote])
    }

    @Test("changed rules are applied and reported")
    func rules() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        mkdir(folder.path("build"), 0o755)
        let watch = try self.watch(folder)
        defer { watch.stop() }
        #expect(try watch.start { _, isFolder in isFolder } == 1)
        watch.follow { _, _ in false }
        #expect(await notices(watch) { $0 == .rescanned }.contains(.rescanned))
        write(folder.path("build/f"))
        let told = await notices(watch) { if case .changes = $0 { true } else { false } }
        #expect(told == [.changes(LocalChanges(paths: [try RelativePath("build/f")]))])
    }

    @Test("a lack of watches is reported, and so are lost events")
    func trouble() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        mkdir(folder.path("a"), 0o755)
        let watch = try self.watch(folder, bounds: TreeWatch.Bounds(folders: 1, events: 0))
        defer { watch.stop() }
        _ = try watch.start { _, _ in false }
        #expect(watch.drain() == [.shortage(.watches)])
        write(folder.path("f"))
        let told = await notices(watch) { $0 == .everything(.flood) }
        #expect(told.contains(.everything(.flood)))
    }

    @Test("unread reports do not pile up")
    func bounded() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let watch = try self.watch(folder)
        for number in 0..<1000 {
            let path = RelativePath(unchecked: Array("f\(number)".utf8))
            watch.post(.changes(LocalChanges(paths: [path])))
        }
        watch.post(.signal(SIGTERM))
        let told = watch.drain()
        #expect(told.count < 100)
        #expect(told.contains(.everything(.flood)))
        #expect(told.last == .signal(SIGTERM))
    }
}
