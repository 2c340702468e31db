import Dispatch
import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Foundation
import Synchronization
import Testing

@testable import FileSinki

/// A clock whose pauses never end by themselves.
final class StandingClock: Sendable {
    private let count = Mutex(0)

    /// How many pauses were begun.
    var pauses: Int { count.withLock { $0 } }

    var systemContext: SystemContext {
        var systemContext = SystemContext.ofMachine
        systemContext.sleep = { [self] _ in
            count.withLock { $0 += 1 }
            try await Task.sleep(for: .seconds(86_400))
        }
        return systemContext
    }
}

extension ClosureTests {
    @Suite("Background work of the library")
    struct BackgroundTests {
        let meeting: Meeting
        let a: FileSinki
        let path = "SaveGames/player1.save"

        init() async throws {
            meeting = try Meeting()
            a = try await meeting.sinki("a")
        }

        /// Makes this process's calls those of a device whose pauses end only when they are cut short.
        private func setUp(_ name: String, _ clock: StandingClock) {
            var options = Shared.SetupOptions()
            options.remote = meeting.address
            options.root = meeting.root(name).path
            options.device = name
            options.queue = ClosureTests.queue
            // Without the folder: work that waits for such a pause is never let go.
            options.failed = { [failures = meeting.failures] in failures.note($0) }
            options.systemContext = clock.systemContext
            Shared.current.setUp(options)
        }

        /// Anybody who observes.
        private final class Somebody: Sendable {}

        @Test(
            "FS-02, FS-03: pending uploads are retried at once by each of the two calls",
            arguments: ["didBecomeActive", "receivedNotification"])
        func triesAgain(_ call: String) async throws {
            let clock = StandingClock()
            setUp("b", clock)
            FileSinki.save(Score(score: 1), toPath: path)
            await FileSinki.settled()
            try meeting.unplug()
            FileSinki.save(Score(score: 2), toPath: path)
            #expect(try await eventually { clock.pauses == 1 })
            try meeting.plugIn()
            await FileSinki.settled()
            #expect(try await a.load(Score.self, from: path) == Score(score: 1))
            look(call)
            #expect(
                try await eventually {
                    try await a.load(Score.self, from: path) == Score(score: 2)
                })
            // What is saved from now on waits for no pause.
            FileSinki.save(Score(score: 3), toPath: path)
            #expect(
                try await eventually {
                    try await a.load(Score.self, from: path) == Score(score: 3)
                })
        }

        @Test(
            "FS-02, FS-03: an observer of an unavailable remote polls at once after each of the two calls",
            arguments: ["didBecomeActive", "receivedNotification"])
        func looks(_ call: String) async throws {
            let clock = StandingClock()
            setUp("b", clock)
            FileSinki.save(Score(score: 1), toPath: path)
            await FileSinki.settled()
            try meeting.unplug()
            let somebody = Somebody()
            let calls = Calls<String>()
            FileSinki.addObserver(somebody, for: Score.self, path: "seen/") { calls.note($0.path) }
            #expect(try await eventually { clock.pauses == 1 })
            try meeting.plugIn()
            try await a.save(Score(score: 1), to: "seen/one")
            #expect(calls.count == 0)
            look(call)
            #expect(try await eventually { calls.all == ["seen/one"] })
            withExtendedLifetime(somebody) {}
        }

        private func look(_ call: String) {
            if call == "didBecomeActive" { return FileSinki.didBecomeActive() }
            FileSinki.receivedNotification(["aps": ["content-available": 1]])
        }

        @Test(
            "FI-15: bytes saved while the remote is unavailable are uploaded without another call"
        )
        func bytesWait() async throws {
            meeting.setUp("b")
            let bytes = Data((0..<2000).map { UInt8(truncatingIfNeeded: $0) })
            FileSinki.saveBinaryFile(Data("first".utf8), toPath: "raw")
            await FileSinki.settled()
            try meeting.unplug()
            FileSinki.saveBinaryFile(bytes, toPath: "raw")
            FileSinki.saveBinaryFileCompressed(bytes, toPath: "packed")
            await FileSinki.settled()
            try meeting.plugIn()
            #expect(try await eventually { try await a.load(from: "raw") == bytes })
            #expect(
                try await eventually {
                    try await a.load(from: "packed", compressed: true) == bytes
                })
            #expect(meeting.failures.all.filter { $0.code != .away } == [])
        }

        @Test(
            "FI-15: bytes that an ended process left pending are uploaded by the next run of the root"
        )
        func bytesOfAnEndedProcess() async throws {
            // Its pauses never end, as those of a process that has ended.
            setUp("b", StandingClock())
            FileSinki.saveBinaryFile(Data("first".utf8), toPath: "raw")
            await FileSinki.settled()
            try meeting.unplug()
            FileSinki.saveBinaryFile(Data("second".utf8), toPath: "raw")
            await FileSinki.settled()
            meeting.setUp("elsewhere")
            try meeting.plugIn()
            #expect(try await a.load(from: "raw") == Data("first".utf8))
            try await meeting.sinki("b").sync()
            #expect(try await a.load(from: "raw") == Data("second".utf8))
        }

        @Test("FI-19: closures are called on the queue of setup, merges are not")
        func queues() async throws {
            let key = DispatchSpecificKey<Bool>()
            let queue = DispatchQueue(label: "of the program")
            queue.setSpecific(key: key, value: true)
            let places = Calls<String>()
            let note = { @Sendable (_ name: String) in
                let isOnQueue = DispatchQueue.getSpecific(key: key) == true
                places.note("\(name) \(isOnQueue ? "queue" : "background")")
            }
            FileSinki.setup(
                remote: meeting.address, root: meeting.root("b"), device: "b", queue: queue
            ) { _ in note("failed") }
            let somebody = Somebody()
            FileSinki.addObserver(
                somebody, for: Score.self, path: "typed", itemsDeleted: { _ in note("deleted") }
            ) { _ in note("typed") }
            FileSinki.addObserver(somebody, path: "untyped") { _ in note("untyped") }
            try await a.save(Data("there".utf8), to: "merged")
            try await a.save(Data("nonsense".utf8), to: "nonsense")
            try await a.save(Score(score: 1), to: "typed")
            try await a.save(Data("x".utf8), to: "untyped")
            FileSinki.saveBinaryFile(
                Data("here".utf8), toPath: "merged",
                mergeAsync: { left, right, merged in
                    note("merge")
                    merged(left + right)
                }, finalVersion: { _ in note("final") })
            FileSinki.load(Score.self, fromPath: "nonsense") { _, _ in note("loaded") }
            FileSinki.load(Score.self, fromPath: "typed") { _, _ in note("loaded") }
            let wanted: Set = [
                "merge background", "final queue", "loaded queue", "failed queue", "typed queue",
                "untyped queue",
            ]
            #expect(try await eventually { Set(places.all) == wanted })
            try await a.delete("typed")
            #expect(try await eventually { Set(places.all) == wanted.union(["deleted queue"]) })
            // The load of "nonsense" is answered once, that of "typed" once or twice.
            #expect((2...3).contains(places.all.count { $0 == "loaded queue" }))
            withExtendedLifetime(somebody) {}
        }

        @Test("FI-19: without a queue closures are called on the main queue")
        func mainQueue() async throws {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
            FileSinki.setup(remote: meeting.address, root: meeting.root("b"), device: "b")
            let places = Calls<Bool>()
            FileSinki.load(Score.self, fromPath: path) { _, _ in
                places.note(DispatchQueue.getSpecific(key: key) == true)
            }
            await FileSinki.settled()
            #expect(places.all == [true])
        }
    }
}
