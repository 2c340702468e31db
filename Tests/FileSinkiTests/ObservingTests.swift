import FileSinki
import FilesinkiTesting
import Foundation
import Testing

extension ClosureTests {
    @Suite("Observing with closures")
    struct ObserverTests {
        let meeting: Meeting
        let a: FileSinki

        init() async throws {
            meeting = try Meeting()
            a = try await meeting.sinki("a")
            meeting.setUp("b")
        }

        /// Anybody who observes.
        private final class Somebody: Sendable {}

        @Test(
            "FS-13: a change by another device is here when its value is reported, and reported once"
        )
        func typed() async throws {
            let somebody = Somebody()
            let calls = Calls<ChangedItem<Score>>()
            FileSinki.addObserver(somebody, for: Score.self, path: "games/one") { calls.note($0) }
            try await a.save(Score(score: 1), to: "games/one")
            try await a.save(Score(score: 1), to: "games/two")
            #expect(try await eventually { calls.count == 1 })
            try await a.save(Score(score: 2), to: "games/one")
            #expect(try await eventually { calls.count == 2 })
            #expect(calls.all.map(\.item.score) == [1, 2])
            #expect(Set(calls.all.map(\.path)) == ["games/one"])
            let file = try #require(calls.all.last?.localURL)
            #expect(try Data(contentsOf: file) == Data(#"{"player":"somebody","score":2}"#.utf8))
            withExtendedLifetime(somebody) {}
        }

        @Test(
            "FS-13, FB-08, FB-10, FI-17: two observers of a folder both receive every event, deletions too"
        )
        func folders() async throws {
            let somebody = Somebody()
            let first = Calls<String>()
            let second = Calls<String>()
            for calls in [first, second] {
                FileSinki.addObserver(
                    somebody, for: Score.self, path: "a/",
                    itemsDeleted: { calls.note("-\($0)") }
                ) { calls.note($0.path) }
            }
            try await a.save(Score(score: 1), to: "a/one")
            try await a.save(Score(score: 1), to: "ba/other")
            try await a.save(Score(score: 1), to: "a/deep/two")
            for calls in [first, second] {
                #expect(try await eventually { calls.count == 2 })
            }
            try await a.delete("a/one")
            for calls in [first, second] {
                #expect(try await eventually { calls.count == 3 })
                // Changes that arrive together are reported in the order of the paths.
                #expect(Set(calls.all.prefix(2)) == ["a/one", "a/deep/two"])
                #expect(calls.all.last == "-a/one")
            }
            #expect(!meeting.exists("b", "a/one"))
            #expect(!meeting.exists("b", "ba/other"))
            withExtendedLifetime(somebody) {}
        }

        @Test(
            "FS-14, FB-08: an untyped observer receives the path and whether it was deleted")
        func untyped() async throws {
            let somebody = Somebody()
            let calls = Calls<ChangedFile>()
            FileSinki.addObserver(somebody, path: "test.pdf") { changed in
                for file in changed { calls.note(file) }
            }
            try await a.save(Data("1".utf8), to: "test.pdf")
            #expect(try await eventually { calls.count == 1 })
            #expect(!meeting.exists("b", "test.pdf"))
            try await a.delete("test.pdf")
            #expect(try await eventually { calls.count == 2 })
            #expect(calls.all.map(\.isDeleted) == [false, true])
            #expect(calls.all.map(\.path) == ["test.pdf", "test.pdf"])
            withExtendedLifetime(somebody) {}
        }

        @Test(
            "FS-14: a root that never synced reports current files first, not old deletions")
        func fresh() async throws {
            try await a.save(Data("1".utf8), to: "deleted")
            try await a.save(Data("1".utf8), to: "kept")
            try await a.delete("deleted")
            try await a.save(Data("2".utf8), to: "kept")
            let somebody = Somebody()
            let calls = Calls<String>()
            FileSinki.addObserver(somebody, path: "") { changed in
                for file in changed { calls.note((file.isDeleted ? "-" : "+") + file.path) }
            }
            #expect(try await eventually { calls.count == 1 })
            try await a.delete("kept")
            #expect(try await eventually { calls.count == 2 })
            #expect(calls.all == ["+kept", "-kept"])
            withExtendedLifetime(somebody) {}
        }

        @Test("FS-13: own changes are not reported")
        func own() async throws {
            let somebody = Somebody()
            let calls = Calls<String>()
            FileSinki.addObserver(somebody, for: Score.self, path: "a/") { calls.note($0.path) }
            FileSinki.save(Score(score: 1), toPath: "a/own")
            await FileSinki.settled()
            try await a.save(Score(score: 1), to: "a/other")
            #expect(try await eventually { calls.count > 0 })
            #expect(calls.all == ["a/other"])
            withExtendedLifetime(somebody) {}
        }

        @Test("FS-16, FB-09: a cancelled or released observer receives nothing")
        func gone() async throws {
            var somebody: Somebody? = Somebody()
            let cancelled = Calls<String>()
            let left = Calls<String>()
            let heard = Calls<String>()
            let witness = Somebody()
            let subscription = FileSinki.addObserver(witness, path: "") { cancelled.note($0.path) }
            if let somebody { FileSinki.addObserver(somebody, path: "") { left.note($0.path) } }
            FileSinki.addObserver(witness, path: "") { heard.note($0.path) }
            try await a.save(Score(score: 1), to: "first")
            #expect(
                try await eventually {
                    cancelled.count == 1 && left.count == 1 && heard.count == 1
                })
            subscription.cancel()
            somebody = nil
            try await a.save(Score(score: 1), to: "second")
            #expect(try await eventually { heard.count == 2 })
            await FileSinki.settled()
            #expect(cancelled.all == ["first"])
            #expect(left.all == ["first"])
            #expect(subscription.isCancelled)
            withExtendedLifetime((witness, somebody)) {}
        }
    }
}

@Suite("Observing with sequences")
struct ChangesTests {
    @Test("FS-13: changes and deletions come as a sequence, which ends with its task")
    func changes() async throws {
        let meeting = try Meeting()
        let a = try await meeting.sinki("a")
        let b = try await meeting.sinki("b")
        let told = Calls<Change<Score>>()
        let task = Task {
            for try await change in b.changes(of: Score.self, at: "games/") { told.note(change) }
        }
        try await a.save(Score(score: 1), to: "games/one")
        #expect(try await eventually { told.count == 1 })
        try await a.delete("games/one")
        #expect(try await eventually { told.count == 2 })
        #expect(
            told.all == [.changed(Score(score: 1), path: "games/one"), .deleted(path: "games/one")])
        task.cancel()
        try await task.value
    }

    @Test("FS-13: changes missed while nothing observed come first")
    func before() async throws {
        let meeting = try Meeting()
        let a = try await meeting.sinki("a")
        let b = try await meeting.sinki("b")
        try await a.save(Score(score: 1), to: "seen")
        #expect(try await b.load(Score.self, from: "seen") == Score(score: 1))
        try await a.save(Score(score: 2), to: "seen")
        try await a.save(Score(score: 3), to: "new")
        #expect(try await b.load(Score.self, from: "nothing") == nil)
        var told: [String: Double] = [:]
        for try await change in b.changes(of: Score.self, at: "") {
            told[change.path] = change.item?.score
            if told.count == 2 { break }
        }
        #expect(told == ["seen": 2, "new": 3])
    }

    @Test("FS-05: a load is a sequence of the local content and the result of the sync")
    func loads() async throws {
        let meeting = try Meeting()
        let a = try await meeting.sinki("a")
        let b = try await meeting.sinki("b")
        try await a.save(Score(score: 1), to: "game")
        var told: [Loaded<Score>] = []
        for try await loaded in b.loads(Score.self, from: "game") { told.append(loaded) }
        #expect(
            told == [
                Loaded(item: nil, wasRemote: false, isFinal: false),
                Loaded(item: Score(score: 1), wasRemote: true, isFinal: true),
            ])
        try meeting.unplug()
        told = []
        let error = await #expect(throws: FileSinkiError.self) {
            for try await loaded in b.loads(Score.self, from: "game") { told.append(loaded) }
        }
        #expect(error?.code == .away)
        #expect(told.map(\.item) == [Score(score: 1)])
    }
}
