import FilesinkiCommands
import Synchronization
import Testing

@Suite("What is said when a command is interrupted")
struct InterruptedWorkTests {
    /// Runs a command line, and gives what is said if SIGINT ends it.
    ///
    /// - Parameter isAtOnce: Whether the signal comes before the command has begun, not at its end.
    private func said(
        _ line: [String], isAtOnce: Bool = false, in world: World
    ) async throws -> [String] {
        let last = Mutex<(@Sendable () -> Void)?>(nil)
        world.interruptions = Interruptions {
            AsyncStream { _ in }
        } beforeEnd: { say in
            if isAtOnce { say() } else { last.withLock { $0 = say } }
        }
        let talk = MemorySink()
        let console = world.console(talk: talk)
        _ = await Program.run(arguments: line.map { Array($0.utf8) }, in: console)
        let say = last.withLock { last in
            // It has the console, and that the world, which has this.
            defer { last = nil }
            return last
        }
        say?()
        return String(decoding: talk.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.contains("Interrupted.") }
    }

    @Test(
        "each command says what became of its work, and one that only reads says nothing",
        arguments: [
            ("sync", "What was done is kept: the next filesinki sync goes on."),
            ("sync -n", "Nothing was changed."),
            ("delete -r d", "The next filesinki sync sends what was changed here."),
            ("delete --keep d", "What was done is kept: run the command again to go on."),
            ("delete -n d", "Nothing was changed."), ("undelete -n d", "Nothing was changed."),
            ("undelete d", "What was done is kept: run the command again to go on."),
            ("restore -n d@1", "Nothing was changed."),
            ("restore d@1", "The next filesinki sync sends what was changed here."),
            ("restore --commit 1 -o d", "The folder is incomplete: remove it, and run again."),
            ("mv d e", "The next filesinki sync sends what was changed here."),
            ("init d", "What was done is kept: run the command again to go on."),
            ("clone store d", "What was done is kept: run the command again to go on."),
            ("prune --keep-last 1", "What was done is kept: run the command again to go on."),
            ("prune --keep-last 1 -n", "Nothing was changed."),
            ("repair", "What was done is kept: run the command again to go on."),
            ("remote set d --migrate", "What was done is kept: run the command again to go on."),
            ("check", "Nothing was changed."), ("remote set d", nil), ("ls", nil), ("log", nil),
        ])
    func commands(_ line: String, _ told: String?) async throws {
        let words = line.split(separator: " ").map(String.init)
        let lines = try await said(words, isAtOnce: true, in: try World())
        #expect(lines == [told].compactMap(\.self).map { "filesinki: Interrupted. \($0)" })
    }

    @Test("the command that goes on is named for the replica, also with -q")
    func named() async throws {
        let world = try await World.withStore()
        try await world.done("init", "a", "--remote", "store")
        let told = "kept: the next filesinki sync --root \(world.folder)/a goes on."
        let lines = try await said(["sync", "-q", "a"], in: world)
        #expect(lines == ["filesinki: Interrupted. What was done is \(told)"])
    }

    @Test("at a terminal it takes the place of the progress and of ^C")
    func terminal() async throws {
        let world = try World()
        world.terminals.talk = true
        let lines = try await said(["sync", "-n"], isAtOnce: true, in: world)
        #expect(lines == ["\r\u{1B}[Jfilesinki: Interrupted. Nothing was changed."])
    }
}
