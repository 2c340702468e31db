import FileSinki
import FilesinkiTesting
import Foundation
import Testing

extension ClosureTests {
    @Suite("E7.13: contents that cannot be decoded, with closures")
    struct UndecodableTests {
        let meeting: Meeting
        let a: FileSinki
        let path = "SaveGames/player1.save"

        init() async throws {
            meeting = try Meeting()
            a = try await meeting.sinki("a")
            meeting.setUp("b")
        }

        /// What `failed` was called with: code and path.
        private var failures: [String] {
            meeting.failures.all.map { "\($0.code.rawValue) \($0.path)" }
        }

        @Test("E7.13 FB-12: a load of a remote content that cannot be decoded calls failed")
        func load() async throws {
            try await a.save(Data("nonsense".utf8), to: path)
            let calls = Calls<Answer<Score>>()
            FileSinki.load(Score.self, fromPath: path) { calls.note(Answer($0, $1)) }
            await FileSinki.settled()
            #expect(calls.all == [Answer(nil, false)])
            #expect(failures == ["coding \(path)"])
            #expect(meeting.failures.all.allSatisfy { !$0.message.isEmpty && !$0.remedy.isEmpty })
            // It is here now, and that is reported, too.
            FileSinki.load(Score.self, fromPath: path) { calls.note(Answer($0, $1)) }
            await FileSinki.settled()
            #expect(calls.all == [Answer(nil, false), Answer(nil, false)])
            #expect(failures == ["coding \(path)", "coding \(path)"])
            #expect(meeting.text("b", path) == "nonsense")
        }

        @Test("E7.13 FB-12: a save over such a content calls failed, and both contents are kept")
        func save() async throws {
            try await a.save(Data("nonsense".utf8), to: path)
            let finals = Calls<Score>()
            FileSinki.save(Score(score: 7), toPath: path) { finals.note($0) }
            await FileSinki.settled()
            #expect(finals.all == [])
            #expect(failures == ["coding \(path)"])
            let texts = try meeting.names("b").compactMap { meeting.text("b", $0) }
            #expect(Set(texts) == ["nonsense", #"{"player":"somebody","score":7}"#])
        }

        @Test("E7.13: a damaged compressed file is reported by failed, not as deleted")
        func compressed() async throws {
            let data = Data("data".utf8)
            FileSinki.saveBinaryFileCompressed(data, toPath: "raw")
            await FileSinki.settled()
            #expect(try await a.load(from: "raw", compressed: true) == data)
            try await a.save(Data("nonsense".utf8), to: "raw.zst")
            let calls = Calls<Answer<Data>>()
            FileSinki.loadBinaryFileCompressed(fromPath: "raw") { calls.note(Answer($0, $1)) }
            await FileSinki.settled()
            #expect(calls.all == [Answer(data, false)])
            #expect(failures == ["coding raw"])
        }

        /// Anybody who observes.
        private final class Somebody: Sendable {}

        @Test("E7.13: an observer of one file reports an undecodable content by failed")
        func observer() async throws {
            let somebody = Somebody()
            let one = Calls<Double>()
            let all = Calls<String>()
            FileSinki.addObserver(somebody, for: Score.self, path: "games/one") {
                one.note($0.item.score)
            }
            FileSinki.addObserver(somebody, for: Score.self, path: "games/") { all.note($0.path) }
            try await a.save(Data("nonsense".utf8), to: "games/one")
            #expect(try await eventually { failures == ["coding games/one"] })
            try await a.save(Data("of another type".utf8), to: "games/two")
            try await a.save(Score(score: 1), to: "games/three")
            #expect(try await eventually { all.all == ["games/three"] })
            // A folder may hold files of several types.
            #expect(failures == ["coding games/one"])
            #expect(one.count == 0)
            withExtendedLifetime(somebody) {}
        }
    }
}

@Suite("E7.13: contents that cannot be decoded, with sequences")
struct UndecodableSequenceTests {
    @Test("E7.13 FB-12: a load as a sequence throws the error and reports no deletion")
    func loads() async throws {
        let meeting = try Meeting()
        let a = try await meeting.sinki("a")
        let b = try await meeting.sinki("b")
        try await a.save(Score(score: 1), to: "game")
        #expect(try await b.load(Score.self, from: "game") == Score(score: 1))
        try await a.save(Data("nonsense".utf8), to: "game")
        var told: [Loaded<Score>] = []
        let error = await #expect(throws: FileSinkiError.self) {
            for try await loaded in b.loads(Score.self, from: "game") { told.append(loaded) }
        }
        #expect(error?.code == .coding && error?.path == "game")
        #expect(told == [Loaded(item: Score(score: 1), wasRemote: false, isFinal: false)])
    }
}
