import FilesinkiModel
import FilesinkiWatch
import Testing

@Suite("The scheduler of a watch")
struct WatchSchedulerTests {
    static let limits = WatchScheduler.Limits(
        fullScan: .seconds(600), shortageScan: .seconds(10), pauses: .seconds(1)...(.seconds(60)),
        paths: 3)

    private func changes(_ names: String...) -> LocalChanges {
        LocalChanges(paths: Set(names.map { RelativePath(unchecked: Array($0.utf8)) }))
    }

    /// A scheduler whose first full run is done, at 0.
    private func begun() -> WatchScheduler {
        var scheduler = WatchScheduler(Self.limits, at: .zero)
        #expect(scheduler.next(at: .zero) == .run(.everything))
        scheduler.finish(.everything, at: .zero, took: .seconds(1))
        return scheduler
    }

    @Test("the first run is a full one, the next at the safety interval")
    func beginning() {
        var scheduler = begun()
        #expect(scheduler.next(at: .seconds(1)) == .wait(until: .seconds(600)))
        #expect(scheduler.next(at: .seconds(600)) == .run(.everything))
    }

    @Test("reported changes are synced in one run")
    func heard() {
        var scheduler = begun()
        scheduler.add(changes("a"))
        scheduler.add(changes("b"))
        let work = WatchScheduler.Work.changes(changes("a", "b"), isRemoteHinted: false)
        #expect(scheduler.next(at: .seconds(1)) == .run(work))
        scheduler.finish(work, at: .seconds(1), took: .zero)
        scheduler.requestRemoteCheck()
        #expect(
            scheduler.next(at: .seconds(2))
                == .run(.changes(LocalChanges(), isRemoteHinted: true)))
        #expect(scheduler.next(at: .seconds(3)) == .wait(until: .seconds(600)))
    }

    @Test("too many paths take a full run")
    func tooMany() {
        var scheduler = begun()
        scheduler.add(changes("a", "b", "c", "d"))
        #expect(scheduler.next(at: .seconds(1)) == .run(.everything))
    }

    @Test("after failures the pauses grow, and then a full run follows")
    func failures() {
        var scheduler = begun()
        scheduler.add(changes("a"))
        var now = Duration.seconds(10)
        var pauses: [Duration] = []
        for _ in 0..<9 {
            guard case .run(let work) = scheduler.next(at: now) else {
                Issue.record("no run at \(now)")
                return
            }
            scheduler.fail(work, at: now)
            scheduler.add(changes("b"))
            guard case .wait(let end) = scheduler.next(at: now) else {
                Issue.record("no pause at \(now)")
                return
            }
            pauses.append(end - now)
            now = end
        }
        #expect(pauses.map(\.components.seconds) == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        let work = WatchScheduler.Work.changes(changes("a", "b"), isRemoteHinted: true)
        #expect(scheduler.next(at: now) == .run(work))
        scheduler.finish(work, at: now, took: .zero)
        scheduler.add(changes("c"))
        #expect(
            scheduler.next(at: now) == .run(.changes(changes("c"), isRemoteHinted: false)))
    }

    @Test("a remote's Retry-After is respected")
    func wish() {
        var scheduler = begun()
        scheduler.requestRemoteCheck()
        guard case .run(let work) = scheduler.next(at: .seconds(1)) else { return }
        scheduler.fail(work, at: .seconds(1), retryAfter: .seconds(100))
        #expect(scheduler.next(at: .seconds(2)) == .wait(until: .seconds(101)))
    }

    @Test("setting the clock ends the pause")
    func jump() {
        var scheduler = begun()
        scheduler.requestRemoteCheck()
        guard case .run(let work) = scheduler.next(at: .seconds(1)) else { return }
        scheduler.fail(work, at: .seconds(1), retryAfter: .seconds(100))
        scheduler.handleClockJump()
        #expect(scheduler.next(at: .seconds(2)) == .run(.everything))
    }

    @Test("without inotify the tree is scanned, not too often")
    func shortage() {
        var scheduler = begun()
        scheduler.setShortage(true, at: .seconds(1))
        #expect(scheduler.next(at: .seconds(1)) == .run(.everything))
        scheduler.finish(.everything, at: .seconds(2), took: .seconds(1))
        #expect(scheduler.next(at: .seconds(2)) == .wait(until: .seconds(22)))
        #expect(scheduler.next(at: .seconds(22)) == .run(.everything))
        scheduler.finish(.everything, at: .seconds(22), took: .zero)
        #expect(scheduler.next(at: .seconds(22)) == .wait(until: .seconds(32)))
        scheduler.setShortage(false, at: .seconds(23))
        #expect(scheduler.next(at: .seconds(23)) == .run(.everything))
        scheduler.finish(.everything, at: .seconds(23), took: .zero)
        #expect(scheduler.next(at: .seconds(23)) == .wait(until: .seconds(623)))
    }

    @Test("the requested end has priority over everything")
    func end() {
        var scheduler = begun()
        scheduler.requestFullRun()
        scheduler.requestEnd()
        #expect(scheduler.next(at: .seconds(1)) == .end)
    }
}
