import FileSinki
import FilesinkiTesting
import Foundation
import Testing

/// The async calls, on two roots with a directory remote.
@Suite("Two devices")
struct TwoDevicesTests {
    let meeting: Meeting
    let a: FileSinki
    let b: FileSinki
    let path = "SaveGames/player1.save"

    init() async throws {
        meeting = try Meeting()
        a = try await meeting.sinki("a")
        b = try await meeting.sinki("b")
    }

    @Test("FS-04, FS-05: one device loads what the other saved")
    func roundTrip() async throws {
        let game = Score(score: 10)
        #expect(try await a.save(game, to: path) == .uploaded)
        #expect(try await b.load(Score.self, from: path) == game)
        #expect(meeting.text("a", path) == meeting.text("b", path))
    }

    @Test("FS-04: without a remote a value is stored, and loaded again")
    func withoutRemote() async throws {
        let alone = try await FileSinki(root: meeting.root("alone"))
        #expect(try await alone.save(Score(score: 1), to: path) == .stored)
        #expect(try await alone.load(Score.self, from: path) == Score(score: 1))
        #expect(try await alone.delete(path) == .removed)
    }

    @Test(
        "FS-09, FI-09: of two values that were saved concurrently, both devices keep the better one"
    )
    func better() async throws {
        #expect(try await a.save(Score(score: 10), to: path) == .uploaded)
        #expect(try await b.save(Score(score: 5), to: path) == .kept(Score(score: 10)))
        #expect(try await a.load(Score.self, from: path) == Score(score: 10))
    }

    @Test("FS-09: a better value replaces what another device has saved")
    func best() async throws {
        try await a.save(Score(score: 10), to: path)
        #expect(try await b.save(Score(score: 20), to: path) == .uploaded)
        #expect(try await a.load(Score.self, from: path) == Score(score: 20))
    }

    @Test("FS-09: of values that are Comparable the greater one stays")
    func comparable() async throws {
        try await a.save(Level(level: 7), to: "level")
        #expect(try await b.save(Level(level: 3), to: "level") == .kept(Level(level: 7)))
    }

    @Test("FS-09: a save based on the known value is newer and calls no check")
    func linear() async throws {
        try await a.save(Score(score: 10), to: path)
        #expect(try await a.save(Score(score: 5), to: path) == .uploaded)
        #expect(try await b.load(Score.self, from: path) == Score(score: 5))
    }

    @Test("FS-11: concurrent saves are merged, and both devices get the merge")
    func merged() async throws {
        try await a.save(Trophies(trophies: ["merged-1"]), to: path)
        let both = Trophies(trophies: ["merged-1", "merged-2"])
        #expect(try await b.save(Trophies(trophies: ["merged-2"]), to: path) == .merged(both))
        #expect(try await a.load(Trophies.self, from: path) == both)
    }

    @Test("FS-11: a merge that gives nil falls back to the overwrite check")
    func declined() async throws {
        let first = Campaign(player: "Ada", score: 9, levels: [1])
        try await a.save(first, to: path)
        let second = Campaign(player: "Bob", score: 3, levels: [2])
        #expect(try await b.save(second, to: path) == .kept(first))
        let third = Campaign(player: "Ada", score: 2, levels: [1, 4])
        try await a.save(third, to: path)
        let fourth = Campaign(player: "Ada", score: 9, levels: [1, 5])
        let merged = Campaign(player: "Ada", score: 9, levels: [1, 4, 5])
        #expect(try await b.save(fourth, to: path) == .merged(merged))
    }

    @Test("FS-11: a three-way merge receives the common base")
    func threeWay() async throws {
        try await a.save(Coins(coins: 100), to: path)
        #expect(try await b.load(Coins.self, from: path) == Coins(coins: 100))
        try await a.save(Coins(coins: 130), to: path)
        #expect(try await b.save(Coins(coins: 90), to: path) == .merged(Coins(coins: 120)))
        #expect(try await a.load(Coins.self, from: path) == Coins(coins: 120))
    }

    @Test("FS-06: a delete is a delete on both devices, and a later save brings the file back")
    func deleted() async throws {
        try await a.save(Score(score: 1), to: path)
        #expect(try await b.load(Score.self, from: path) == Score(score: 1))
        #expect(try await a.delete(path) == .deleted)
        #expect(!meeting.exists("a", path))
        #expect(try await b.load(Score.self, from: path) == nil)
        #expect(!meeting.exists("b", path))
        #expect(try await b.delete(path) == .absent)
        #expect(try await b.save(Score(score: 1), to: path) == .uploaded)
        #expect(try await a.load(Score.self, from: path) == Score(score: 1))
    }

    @Test("FS-06: a delete also removes another device's published version that was not seen here")
    func deletesUnseen() async throws {
        try await a.save(Score(score: 1), to: path)
        #expect(try await b.load(Score.self, from: path) == Score(score: 1))
        try await b.save(Score(score: 2), to: path)
        #expect(try await a.delete(path) == .deleted)
        #expect(!meeting.exists("a", path))
        #expect(try await b.load(Score.self, from: path) == nil)
    }

    @Test(
        "FS-12: an unchanged file is deleted, an edited one stays; a type may decide otherwise"
    )
    func shouldDelete() async throws {
        try await a.save(Score(score: 1), to: "edited")
        try await a.save(Precious(name: "ring"), to: "precious")
        try await b.sync()
        try await a.delete("edited")
        try await a.delete("precious")
        try Data(#"{"player":"somebody","score":2}"#.utf8).write(to: b.url(of: "edited"))
        #expect(try await b.load(Score.self, from: "edited") == Score(score: 2))
        #expect(try await b.load(Precious.self, from: "precious") == Precious(name: "ring"))
        #expect(try await a.load(Score.self, from: "edited") == Score(score: 2))
        #expect(try await a.load(Precious.self, from: "precious") == Precious(name: "ring"))
    }

    @Test("FS-07: a compressed file has its suffix, makes the round trip and is merged")
    func compressed() async throws {
        try await a.save(Trophies(trophies: ["packed-1"]), to: path, compressed: true)
        let both = Trophies(trophies: ["packed-1", "packed-2"])
        let outcome = try await b.save(
            Trophies(trophies: ["packed-2"]), to: path, compressed: true)
        #expect(outcome == .merged(both))
        #expect(try await a.load(Trophies.self, from: path, compressed: true) == both)
        #expect(try meeting.names("a") == ["SaveGames", "SaveGames/player1.save.zst"])
        #expect(try await a.delete(path, compressed: true) == .deleted)
    }

    @Test("FS-08: bytes are merged by an async closure, else both versions are kept")
    func bytes() async throws {
        let merge: FileSinki.BytesMerge = { here, there, base in
            await Task.yield()
            #expect(base == nil)
            return there + here
        }
        try await a.save(Data([0, 1]), to: "test.pdf")
        #expect(
            try await b.save(Data([0, 2]), to: "test.pdf", merge: merge)
                == .merged(Data([0, 1, 0, 2])))
        #expect(try await a.load(from: "test.pdf") == Data([0, 1, 0, 2]))
        try await a.save(Data([0]), to: "other.pdf")
        let outcome = try await b.save(Data([0, 9]), to: "other.pdf")
        guard case .keptBoth(let kept, let copy) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(kept == Data([0]))
        #expect(try await a.load(from: copy) == Data([0, 9]))
    }

    @Test("FB-03: absent is nil, unreachable is code away, and local content is still returned")
    func unreachable() async throws {
        #expect(try await a.load(Score.self, from: "absent") == nil)
        try await a.save(Score(score: 1), to: path)
        try meeting.unplug()
        #expect(try await a.load(Score.self, from: path) == Score(score: 1))
        let error = await #expect(throws: FileSinkiError.self) {
            try await a.load(Score.self, from: "absent")
        }
        #expect(error?.code == .away)
        #expect(try await a.save(Score(score: 2), to: path) == .queued)
        #expect(try await a.delete("nothing") == .queued)
    }

    @Test(
        "FB-04, FI-13, FI-14: the process that saved offline publishes when the remote is back"
    )
    func queued() async throws {
        try await a.save(Score(score: 1), to: path)
        try meeting.unplug()
        #expect(try await a.save(Score(score: 2), to: path) == .queued)
        try meeting.plugIn()
        #expect(try await eventually { try await b.load(Score.self, from: path)?.score == 2 })
    }

    @Test("FB-11: after one load each, both devices are equal, whichever side the merge equals")
    func stale() async throws {
        try await a.save(Campaign(player: "Ada", score: 5, levels: [1, 2]), to: path)
        try await b.save(Campaign(player: "Ada", score: 4, levels: [1]), to: path)
        try await a.save(Campaign(player: "Ada", score: 5, levels: [1, 2, 3]), to: path)
        _ = try await b.load(Campaign.self, from: path)
        _ = try await a.load(Campaign.self, from: path)
        #expect(meeting.text("a", path) == meeting.text("b", path))
    }

    @Test("FB-12: a content that cannot be decoded is reported and never overwritten by a merge")
    func undecodable() async throws {
        try await a.save(Data("nonsense".utf8), to: path)
        let error = await #expect(throws: FileSinkiError.self) {
            try await b.load(Score.self, from: path)
        }
        #expect(error?.code == .coding)
        #expect(error?.path == path)
        #expect(try await b.load(from: path) == Data("nonsense".utf8))
    }

    @Test(
        "a save not based on the newest content is merged with it, over the content it is based on"
    )
    func late() async throws {
        try await a.save(Coins(coins: 10), to: path)
        #expect(try await b.load(Coins.self, from: path) == Coins(coins: 10))
        try await a.save(Coins(coins: 15), to: path)
        // Comes here behind the program's back.
        let other = try await FileSinki(root: meeting.root("b"))
        try await other.sync()
        #expect(meeting.text("b", path) == #"{"coins":15}"#)
        #expect(try await b.save(Coins(coins: 11), to: path) == .merged(Coins(coins: 16)))
        #expect(try await a.load(Coins.self, from: path) == Coins(coins: 16))
    }
}
