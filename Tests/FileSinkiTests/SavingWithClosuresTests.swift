import FileSinki
import FilesinkiTesting
import Foundation
import Testing

extension ClosureTests {
    @Suite("Saving and deleting with closures")
    struct SavingTests {
        let meeting: Meeting
        let a: FileSinki
        let path = "SaveGames/player1.save"

        init() async throws {
            meeting = try Meeting()
            a = try await meeting.sinki("a")
            meeting.setUp("b")
        }

        @Test(
            "FS-04, FI-01, FI-04: save returns after the local write, and reports the final version if it differs"
        )
        func save() async throws {
            try await a.save(Score(score: 10), to: path)
            let finals = Calls<Score>()
            let bytes = FileSinki.save(Score(score: 5), toPath: path) { finals.note($0) }
            #expect(bytes == Data(#"{"player":"somebody","score":5}"#.utf8))
            await FileSinki.settled()
            #expect(finals.all == [Score(score: 10)])
            FileSinki.save(Score(score: 20), toPath: path) { finals.note($0) }
            #expect(meeting.text("b", path) == #"{"player":"somebody","score":20}"#)
            await FileSinki.settled()
            #expect(finals.count == 1)
            #expect(try await a.load(Score.self, from: path) == Score(score: 20))
            #expect(meeting.failures.all == [])
        }

        @Test(
            "FS-04: a value that cannot be encoded, or a path outside of the root, gives nil and a failure"
        )
        func refused() async throws {
            #expect(FileSinki.save(Score(score: .infinity), toPath: path) == nil)
            #expect(FileSinki.save(Score(score: 1), toPath: "../outside") == nil)
            #expect(FileSinki.save(Score(score: 1), toPath: "/etc/outside") == nil)
            #expect(meeting.failures.all.map(\.code) == [.coding, .badPath, .badPath])
            #expect(!meeting.exists("b", path))
        }

        @Test("FS-06, FB-20: a deleted file is gone at once on this device, then on the other")
        func delete() async throws {
            FileSinki.save(Score(score: 1), toPath: path)
            await FileSinki.settled()
            #expect(try await a.load(Score.self, from: path) == Score(score: 1))
            FileSinki.delete(Score(score: 1), at: path)
            #expect(!meeting.exists("b", path))
            await FileSinki.settled()
            #expect(try await a.load(Score.self, from: path) == nil)
        }

        @Test(
            "FB-01: a file deleted while the remote is unavailable, before a restart, is deleted on both devices"
        )
        func deleteOffline() async throws {
            FileSinki.save(Score(score: 1), toPath: path)
            await FileSinki.settled()
            #expect(try await a.load(Score.self, from: path) == Score(score: 1))
            try meeting.unplug()
            FileSinki.delete(Score(score: 1), at: path)
            await FileSinki.settled()
            meeting.setUp("b")
            try meeting.plugIn()
            let calls = Calls<Answer<Score>>()
            FileSinki.load(Score.self, fromPath: path) { calls.note(Answer($0, $1)) }
            await FileSinki.settled()
            #expect(calls.all == [Answer(nil, false)])
            #expect(try await a.load(Score.self, from: path) == nil)
        }

        @Test(
            "FB-02, FB-19: a save after a delete brings the file back, also with the deleted content"
        )
        func saveAfterDelete() async throws {
            for _ in 1...3 {
                FileSinki.save(Score(score: 1), toPath: path)
                await FileSinki.settled()
                #expect(try await a.load(Score.self, from: path) == Score(score: 1))
                FileSinki.delete(Score(score: 1), at: path)
                FileSinki.save(Score(score: 1), toPath: path)
                await FileSinki.settled()
                #expect(try await a.load(Score.self, from: path) == Score(score: 1))
                try await a.delete(path)
                FileSinki.save(Score(score: 1), toPath: path)
                await FileSinki.settled()
                #expect(try await a.load(Score.self, from: path) == Score(score: 1))
                FileSinki.delete(Score(score: 1), at: path)
                await FileSinki.settled()
                #expect(try await a.load(Score.self, from: path) == nil)
            }
        }

        @Test(
            "FI-12, FI-07: many saves of one path while the remote is unavailable are one upload of the newest"
        )
        func coalesced() async throws {
            FileSinki.save(Score(score: 0), toPath: path)
            await FileSinki.settled()
            let before = try commits()
            try meeting.unplug()
            for score in 1...200 { FileSinki.save(Score(score: Double(score)), toPath: path) }
            await FileSinki.settled()
            try meeting.plugIn()
            FileSinki.didBecomeActive()
            #expect(
                try await eventually {
                    try await a.load(Score.self, from: path) == Score(score: 200)
                })
            #expect(try commits() == before + 1)
        }

        /// How many commits the store has.
        private func commits() throws -> Int {
            try FileManager.default.subpathsOfDirectory(atPath: meeting.store)
                .count { $0.hasPrefix("zones/files/log/") && $0.hasSuffix("/c") }
        }

        @Test(
            "FS-07, FB-06, FB-07: compressed files make the round trip and leave no file beside them"
        )
        func compressed() async throws {
            let data = Data((0..<5000).map { UInt8($0 % 7) })
            FileSinki.saveCompressed(Score(score: 3), toPath: path)
            FileSinki.saveBinaryFileCompressed(data, toPath: "raw")
            let scores = Calls<Answer<Score>>()
            let raws = Calls<Answer<Data>>()
            FileSinki.loadCompressed(Score.self, fromPath: path) { scores.note(Answer($0, $1)) }
            FileSinki.loadBinaryFileCompressed(fromPath: "raw") { raws.note(Answer($0, $1)) }
            await FileSinki.settled()
            #expect(scores.all == [Answer(Score(score: 3), false)])
            #expect(raws.all == [Answer(data, false)])
            let files = ["SaveGames", "SaveGames/player1.save.zst", "raw.zst"]
            #expect(try meeting.names("b") == files)
            let size = try Data(contentsOf: meeting.root("b").appending(path: "raw.zst")).count
            #expect(size < data.count)
            #expect(try await a.load(from: "raw", compressed: true) == data)
            FileSinki.deleteCompressed(Score(score: 3), at: path)
            FileSinki.deleteBinaryFileCompressed(data, at: "raw")
            #expect(try meeting.names("b") == ["SaveGames"])
            await FileSinki.settled()
        }

        @Test("FS-08: a closure merges bytes; left is local and right is remote")
        func binary() async throws {
            try await a.save(Data("there ".utf8), to: "test.pdf")
            let finals = Calls<Data>()
            FileSinki.saveBinaryFile(
                Data("here ".utf8), toPath: "test.pdf",
                mergeAsync: { left, right, merged in
                    DispatchQueue.global().async { merged(left + right) }
                }
            ) { finals.note($0) }
            await FileSinki.settled()
            #expect(finals.all == [Data("here there ".utf8)])
            #expect(try await a.load(from: "test.pdf") == Data("here there ".utf8))
            FileSinki.deleteBinaryFile(Data(), at: "test.pdf")
            await FileSinki.settled()
            #expect(try await a.load(from: "test.pdf") == nil)
        }

        @Test("FS-01: before setup names a remote, files stay local")
        func withoutRemote() async throws {
            meeting.setUp("alone", isConnected: false)
            #expect(FileSinki.save(Score(score: 1), toPath: path) != nil)
            let calls = Calls<Answer<Score>>()
            FileSinki.load(Score.self, fromPath: path) { calls.note(Answer($0, $1)) }
            await FileSinki.settled()
            #expect(calls.all == [Answer(Score(score: 1), false)])
            #expect(meeting.failures.all == [])
        }

        @Test("FS-15: a full path inside the root is the path relative to the root")
        func fullPath() async throws {
            let full = meeting.root("b").appending(path: path).path
            FileSinki.save(Score(score: 4), toPath: full)
            await FileSinki.settled()
            #expect(try await a.load(Score.self, from: path) == Score(score: 4))
        }

        @Test("FB-18: every failure is reported to the failure handler")
        func failures() async throws {
            FileSinki.setup(
                remote: "gopher://nowhere", root: meeting.root("c"), queue: ClosureTests.queue
            ) { [meeting] in meeting.failures.note($0) }
            FileSinki.save(Score(score: 1), toPath: path)
            await FileSinki.settled()
            #expect(meeting.failures.all.map(\.code) == [.usage])
            #expect(meeting.failures.all.allSatisfy { !$0.remedy.isEmpty })
        }
    }
}
