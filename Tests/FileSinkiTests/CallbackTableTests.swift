import FileSinki
import FilesinkiTesting
import Foundation
import Testing

/// What is at the remote when a file is loaded.
enum Cloud: Sendable, CustomTestStringConvertible {
    case none, unreachable, deleted
    case live(Campaign)

    var testDescription: String {
        switch self {
        case .none: "none"
        case .unreachable: "unreachable"
        case .deleted: "deleted"
        case .live(let campaign): "live with \(campaign.score)"
        }
    }
}

/// One line of the table: what is here and there, what the closure receives after the first call, and
/// what both sides hold in the end.
struct CallbackRow: Sendable, CustomTestStringConvertible {
    var name: String
    var here: Campaign?
    var there: Cloud
    var told: [Answer<Campaign>] = []
    var end: Campaign?

    var testDescription: String { name }
}

extension Campaign {
    static let ada = Campaign(player: "Ada", score: 5, levels: [1, 2])
    static let less = Campaign(player: "Ada", score: 4, levels: [1])
    static let other = Campaign(player: "Ada", score: 3, levels: [1, 7])
    static let both = Campaign(player: "Ada", score: 5, levels: [1, 2, 7])
    static let worse = Campaign(player: "Bob", score: 1, levels: [])
    static let tie = Campaign(player: "Bob", score: 5, levels: [])
}

extension ClosureTests {
    /// `load`, closure by closure.
    @Suite("FS-05, FI-10: the callbacks of load")
    struct CallbackTableTests {
        static let rows: [CallbackRow] = [
            CallbackRow(name: "none here, none there", here: nil, there: .none),
            CallbackRow(name: "none here, unreachable", here: nil, there: .unreachable),
            CallbackRow(name: "here, none there: uploaded", here: .ada, there: .none, end: .ada),
            CallbackRow(
                name: "here, unreachable: uploaded later", here: .ada, there: .unreachable,
                end: .ada),
            CallbackRow(
                name: "none here, live: taken", here: nil, there: .live(.ada),
                told: [Answer(.ada, true)], end: .ada),
            CallbackRow(name: "none here, deleted", here: nil, there: .deleted),
            CallbackRow(
                name: "merged is as here: also the remote gets it", here: .ada,
                there: .live(.less), end: .ada),
            CallbackRow(
                name: "merged is another one", here: .ada, there: .live(.other),
                told: [Answer(.both, true)], end: .both),
            CallbackRow(
                name: "merged is as there", here: .less, there: .live(.ada),
                told: [Answer(.ada, true)], end: .ada),
            CallbackRow(name: "equal", here: .ada, there: .live(.ada), end: .ada),
            CallbackRow(
                name: "no merge, there wins", here: .worse, there: .live(.ada),
                told: [Answer(.ada, true)], end: .ada),
            CallbackRow(
                name: "no merge, a tie: there wins", here: .tie, there: .live(.ada),
                told: [Answer(.ada, true)], end: .ada),
            CallbackRow(
                name: "no merge, here wins", here: .ada, there: .live(.worse), end: .ada),
        ]

        @Test("FS-05: each line of the table", arguments: rows)
        func line(_ row: CallbackRow) async throws {
            let meeting = try Meeting()
            let a = try await meeting.sinki("a")
            // Who has never met the store makes one where its folder is missing.
            if case .unreachable = row.there {
                _ = try await meeting.sinki("b")
                try meeting.unplug()
            }
            if let here = row.here {
                let alone = try await FileSinki(root: meeting.root("b"), device: "b")
                try await alone.save(here, to: "game")
            }
            switch row.there {
            case .none, .unreachable: break
            case .live(let campaign): try await a.save(campaign, to: "game")
            case .deleted:
                try await a.save(Campaign.ada, to: "game")
                try await a.delete("game")
            }
            meeting.setUp("b")
            let calls = Calls<Answer<Campaign>>()
            FileSinki.load(Campaign.self, fromPath: "game") { item, wasRemote in
                calls.note(Answer(item, wasRemote))
            }
            await FileSinki.settled()
            #expect(calls.all == [Answer(row.here, false)] + row.told)
            if case .unreachable = row.there { try meeting.plugIn() }
            #expect(
                try await eventually { try await a.load(Campaign.self, from: "game") == row.end })
            #expect(meeting.text("b", "game") == meeting.text("a", "game"))
            #expect(calls.all == [Answer(row.here, false)] + row.told)
            #expect(meeting.failures.all.filter { $0.code != .away } == [])
        }

        @Test("FS-05, FS-12: present here and deleted remotely: the type decides")
        func deleted() async throws {
            let meeting = try Meeting()
            let a = try await meeting.sinki("a")
            try await a.save(Campaign.ada, to: "goes")
            try await a.save(Precious(name: "ring"), to: "stays")
            meeting.setUp("b")
            FileSinki.load(Campaign.self, fromPath: "goes") { _, _ in }
            FileSinki.load(Precious.self, fromPath: "stays") { _, _ in }
            await FileSinki.settled()
            try await a.delete("goes")
            try await a.delete("stays")
            let goes = Calls<Answer<Campaign>>()
            let stays = Calls<Answer<Precious>>()
            FileSinki.load(Campaign.self, fromPath: "goes") { goes.note(Answer($0, $1)) }
            FileSinki.load(Precious.self, fromPath: "stays") { stays.note(Answer($0, $1)) }
            await FileSinki.settled()
            #expect(goes.all == [Answer(.ada, false), Answer(nil, true)])
            #expect(stays.all == [Answer(Precious(name: "ring"), false)])
            #expect(try await a.load(Campaign.self, from: "goes") == nil)
            #expect(try await a.load(Precious.self, from: "stays") == Precious(name: "ring"))
        }

        @Test(
            "FS-12: the program may ask a person whether to delete the file, without a time limit")
        func interactive() async throws {
            let meeting = try Meeting()
            let a = try await meeting.sinki("a")
            try await a.save(Doubtful(name: "notes"), to: "doubtful")
            meeting.setUp("b")
            FileSinki.load(Doubtful.self, fromPath: "doubtful") { _, _ in }
            await FileSinki.settled()
            try await a.delete("doubtful")
            let calls = Calls<Answer<Doubtful>>()
            FileSinki.load(Doubtful.self, fromPath: "doubtful") { calls.note(Answer($0, $1)) }
            #expect(try await eventually { Doubtful.open.count == 1 })
            for delete in Doubtful.open.all { delete.value(true) }
            await FileSinki.settled()
            #expect(calls.all == [Answer(Doubtful(name: "notes"), false), Answer(nil, true)])
        }
    }
}

private struct Doubtful: FileSyncable {
    var name: String
    static let open = Calls<Keep<Bool>>()

    static func interactiveShouldDelete(
        local: Self, remoteDeleted: Self, delete: @escaping ShouldDeleteClosure
    ) {
        open.note(Keep(value: delete))
    }
}
