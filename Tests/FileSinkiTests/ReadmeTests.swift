import FileSinki
import FilesinkiTesting
import Foundation
import Testing

extension ClosureTests {
    /// A program that was written against FileSinki's README, on two devices.
    @Suite("The examples of FileSinki's README")
    struct ReadmeTests {
        let meeting: Meeting
        let other: FileSinki
        let program = ReadmeProgram()

        init() async throws {
            meeting = try Meeting()
            other = try await meeting.sinki("other")
            meeting.setUp("this")
        }

        /// What the program has noted, read where it notes.
        private func log() async -> [String] {
            await FileSinki.settled()
            return ClosureTests.queue.sync { program.log }
        }

        /// Calls on the queue of the program's closures, as a program does: none runs between two calls.
        private func onQueue(_ calls: (ReadmeProgram) -> Void) {
            ClosureTests.queue.sync { calls(program) }
        }

        @Test("FS-01, FS-04, FS-05: the program loads the other device's game, which is better")
        func game() async throws {
            try await other.save(
                Passing(FirstExample.SaveGame(score: 8)), to: "SaveGames/player1.save")
            onQueue { $0.run() }
            #expect(await log() == ["loaded 0.0 false", "loaded 8.0 true"])
            onQueue { $0.save() }
            // It has seen the 8, so the 5 is its own word.
            #expect(await log().count == 2)
            onQueue { $0.remove() }
            onQueue { $0.run() }
            #expect(await log().last == "loaded 0.0 false")
        }

        @Test("FS-09: a program that has not seen the better game receives it as the final version")
        func better() async throws {
            try await other.save(
                Passing(FirstExample.SaveGame(score: 8)), to: "SaveGames/player1.save")
            onQueue { $0.save() }
            #expect(await log() == ["final 8.0"])
        }

        @Test("FS-11: trophies of both devices are added once")
        func trophies() async throws {
            let theirs = MergingExample.SaveGame(trophies: [.init(name: "cup")])
            try await other.save(Passing(theirs), to: "SaveGames/trophies.save")
            onQueue { $0.savePlainly(["bow"]) }
            #expect(await log() == ["bow cup"])
            for _ in 1...5 {
                FileSinki.load(MergingExample.SaveGame.self, fromPath: "SaveGames/trophies.save") {
                    [program] game, _ in
                    program.log.append("\(game?.trophies.count ?? 0)")
                }
            }
            #expect(await log() == ["bow cup"] + Array(repeating: "2", count: 5))
        }

        @Test("FS-10, FS-11: questions that are answered later")
        func interactive() async throws {
            try await other.save(Passing(InteractiveExample.SaveGame(score: 9)), to: "asked.save")
            try await other.save(
                Passing(InteractiveMergingExample.SaveGame(score: 9)), to: "merged.save")
            onQueue { $0.saveInteractively() }
            #expect(await log().sorted() == ["kept 9.0", "merged 10.0"])
        }

        @Test("FS-08, FS-13, FS-14: observers, and a file of any kind")
        func binary() async throws {
            onQueue { $0.observe() }
            try await other.save(
                Passing(FirstExample.SaveGame(score: 2)), to: "SaveGames/player2.save")
            try await other.save(Data("abc".utf8), to: "test.pdf")
            let expected = [
                "observed 2.0 at SaveGames/player2.save", "observed file test.pdf",
            ]
            #expect(try await eventually { await log().sorted() == expected })
            onQueue { $0.binary(Data("de".utf8)) }
            #expect(
                try await eventually { await log().contains("final pdf 5") },
                "\(meeting.failures.all)")
            #expect(try await other.load(from: "test.pdf") == Data("deabc".utf8))
        }

        @Test("FS-07, FS-15: compressed files, full paths and other roots")
        func roots() async throws {
            setenv("XDG_DOCUMENTS_DIR", meeting.root("documents").path, 1)
            defer { unsetenv("XDG_DOCUMENTS_DIR") }
            let file = meeting.root("this").appending(path: "SaveGames/x.save")
            onQueue { $0.compressed(root: file) }
            #expect(await log().contains("packed 3.0"))
            #expect(meeting.failures.all == [])
            let saved = try meeting.names("documents")
            #expect(saved.contains { $0.hasSuffix("/doc.save") })
        }
    }
}

/// Any value, to be saved by the calls that wait.
struct Passing<Value: FileSyncable & Sendable>: FileSyncable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
