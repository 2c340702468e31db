import FileSinki
import FilesinkiTesting
import Foundation
import Testing

/// Two roots with a server on this machine.
@Suite("The library over a network")
struct NetworkTests {
    let meeting: Meeting
    let path = "SaveGames/player1.save"

    init() throws { meeting = try Meeting() }

    /// Gives a server and two roots for as long as the body takes.
    private func served(
        _ body: (_ server: Served, _ a: FileSinki, _ b: FileSinki) async throws -> Void
    ) async throws {
        let server = try await Served(meeting.store)
        do {
            let a = try await meeting.sinki("a", remote: server.address)
            let b = try await meeting.sinki("b", remote: server.address)
            try await body(server, a, b)
        } catch {
            try? await server.go()
            throw error
        }
        try await server.go()
    }

    @Test("FS-04, FS-05, FS-11: one device loads what another saved; diverged saves are merged")
    func merged() async throws {
        try await served { _, a, b in
            let first = Trophies(trophies: ["served-1"])
            #expect(try await a.save(first, to: path) == .uploaded)
            #expect(try await b.load(Trophies.self, from: path) == first)
            try await a.save(Trophies(trophies: ["served-1", "served-2"]), to: path)
            let all = Trophies(trophies: ["served-1", "served-1", "served-2", "served-3"])
            #expect(
                try await b.save(Trophies(trophies: ["served-1", "served-3"]), to: path)
                    == .merged(all))
            #expect(try await a.load(Trophies.self, from: path) == all)
            #expect(Trophies.merges(of: "served") == 1)
        }
    }

    @Test("FS-06: a delete is a delete on both devices")
    func deleted() async throws {
        try await served { _, a, b in
            try await a.save(Score(score: 1), to: path)
            #expect(try await b.load(Score.self, from: path) == Score(score: 1))
            #expect(try await a.delete(path) == .deleted)
            #expect(try await b.load(Score.self, from: path) == nil)
            #expect(!meeting.exists("b", path))
        }
    }

    @Test("FS-13: changes and deletions by another device are reported")
    func changes() async throws {
        try await served { _, a, b in
            let told = Calls<Change<Score>>()
            let task = Task {
                for try await change in b.changes(of: Score.self, at: "SaveGames/") {
                    told.note(change)
                }
            }
            try await a.save(Score(score: 1), to: path)
            #expect(try await eventually { told.count == 1 })
            try await a.delete(path)
            #expect(try await eventually { told.count == 2 })
            #expect(told.all == [.changed(Score(score: 1), path: path), .deleted(path: path)])
            task.cancel()
            try await task.value
        }
    }

    @Test("FB-03, FB-04: an unavailable server is no error, and receives pending saves later")
    func away() async throws {
        try await served { server, a, b in
            try await a.save(Score(score: 1), to: path)
            try await server.go()
            #expect(try await a.load(Score.self, from: path) == Score(score: 1))
            let error = await #expect(throws: FileSinkiError.self) {
                try await a.load(Score.self, from: "absent")
            }
            #expect(error?.code == .away)
            #expect(try await a.save(Score(score: 2), to: path) == .queued)
            try await server.comeBack()
            #expect(
                try await eventually { try await b.load(Score.self, from: path)?.score == 2 })
        }
    }
}
