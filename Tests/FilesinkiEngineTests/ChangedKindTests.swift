import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Synchronization
import Testing

/// Files that become folders, and folders that become files, while a run is at work.
@Suite("Kinds that change during a run")
struct ChangedKindTests {
    private func copies(_ machine: Machine) throws -> [String] {
        try machine.names.filter { $0.contains(" (conflict ") }
    }

    /// Does something once, when a run has looked at the tree and read what it stores first.
    private func meanwhile(
        _ body: @escaping @Sendable () throws -> Void
    ) -> @Sendable (Progress) -> Void {
        let isDone = Mutex(false)
        return { progress in
            guard progress.phase == .hashing, progress.files > 0,
                isDone.withLock({ done in
                    defer { done = true }
                    return !done
                })
            else { return }
            #expect(throws: Never.self) { try body() }
        }
    }

    @Test(
        "E3.9 a file that becomes a folder remotely and is saved here meanwhile takes another round"
    )
    func fileBecomesFolderThere() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .file("a file"), "k": .file("keep")])
        a.remove("d")
        try a.write(["d": .directory(["x": .file("in d")])])
        try await a.sync()
        try b.write(["n": .file("new")])
        let report = try await b.sync {
            $0.progress = meanwhile { try b.write(["d": .file("saved meanwhile")]) }
        }
        #expect(report.problems.map(\.failure.description) == [])
        try await world.converge()
        #expect(b.text("d/x") == "in d")
        #expect(try copies(b).compactMap { b.text($0) } == ["saved meanwhile"])
    }

    @Test("E3.9 a file that becomes a folder here before it is read is scanned again")
    func fileBecomesFolderHere() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .file("a file"), "k": .file("keep")])
        let large = String(repeating: "0123456789abcdef", count: 400_000)
        try b.write(["c": .file(large), "d": .file("edited")])
        let report = try await b.sync {
            $0.progress = meanwhile {
                b.remove("d")
                try b.write(["d": .directory(["x": .file("in d")])])
            }
        }
        #expect(report.problems.map(\.failure.description) == [])
        try await a.sync()
        #expect(a.text("d/x") == "in d")
    }

    @Test("E3.9 a folder that becomes a file while a run writes into it takes another round")
    func folderBecomesFile() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["x": .file("1"), "y": .file("2")]), "k": .file("keep"),
        ])
        try a.write(["d": .directory(["x": .file("edited")])])
        try await a.sync()
        try b.write(["n": .file("new")])
        let report = try await b.sync {
            $0.progress = meanwhile {
                b.remove("d")
                try b.write(["d": .file("now a file")])
            }
        }
        #expect(report.problems.map(\.failure.description) == [])
        try await world.converge()
        #expect(a.text("d/x") == "edited")
        #expect(try copies(a).compactMap { a.text($0) } == ["now a file"])
    }

    /// What was in the folder goes with it, and what a rule ignores of it must not.
    @Test("a run for some paths leaves a folder above them that has become a file to the next run")
    func folderAboveBecameFile() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["note.txt": .file("ignored here"), "x": .file("1")]),
            "k": .file("keep"),
        ])
        try b.write([".filesinki": .directory(["ignore": .file("*.txt\n")])])
        b.remove("d")
        try b.write(["d": .file("now a file")])
        let gone = try RelativePath("d/e/x")
        _ = try? await b.with { try await $0.delete([gone], recursive: false, SyncOptions()) }
        try await a.sync()
        #expect(a.text("d/note.txt") == "ignored here")
        try await b.sync()
        try await a.sync()
        #expect(a.text("d/note.txt") == "ignored here")
    }
}
