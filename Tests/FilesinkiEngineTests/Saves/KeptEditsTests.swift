import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Testing

/// A save keeps an edit that it replaces and that no run has seen.
@Suite struct KeptEditsTests {
    /// The contents that the history has of a path, in its order, superseded ones in parentheses.
    private func history(_ path: String, _ machine: Machine) async throws -> [String] {
        let path = try RelativePath(path)
        var texts: [String] = []
        for version in try await machine.with({ try await $0.history(of: path) })
        where version.change.entry.kind == .file {
            let text = try await machine.with { try await $0.shown(version.change.entry.content) }
            texts.append(version.isSuperseded ? "(\(text))" : text)
        }
        return texts
    }

    @Test(
        "the edit is a superseded version, unless it is what is saved or what was there",
        arguments: [
            ("edit", "saved", ["base", "(edit)", "saved"]), ("same", "same", ["base", "same"]),
            ("base", "saved", ["base", "saved"]),
        ] as [(String, String, [String])])
    func edited(_ edit: String, _ saved: String, _ versions: [String]) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        try a.write(["f": .file(edit)])
        let report = try await a.save(saved, at: "f")
        #expect(report.sync.problems.isEmpty && report.sync.copies.isEmpty)
        #expect(try await history("f", a) == versions)
        try await world.converge()
        #expect(b.text("f") == saved)
    }

    @Test("a new file that was never synced is kept, too")
    func new() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["k": .file("keep")])
        try a.write(["f": .file("first")])
        try await a.save("saved", at: "f")
        #expect(try await history("f", a) == ["(first)", "saved"])
        // Nothing is kept, and no commit is made for it, where the last run left what is there.
        let before = try await world.commits().count
        try await a.save("again", at: "f")
        #expect(try await world.commits().count == before + 1)
    }

    @Test("a symlink is kept by its target, unless a run has seen it")
    func symlink() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base"), "l": .symlink("seen")])
        a.remove("f")
        try a.write(["f": .symlink("target")])
        try await a.save("saved", at: "f")
        try await a.save("saved", at: "l")
        for (path, kept) in [("f", "target"), ("l", nil)] as [(String, String?)] {
            let path = try RelativePath(path)
            let versions = try await a.with { try await $0.history(of: path) }
            let links = versions.filter(\.isSuperseded).map {
                String(decoding: $0.change.entry.target, as: UTF8.self)
            }
            #expect(links == [kept].compactMap { $0 })
        }
    }

    @Test("a save does not wait for the remote; what waited is kept when it is back")
    func away() async throws {
        let world = try World()
        let (a, _) = try await world.pair(["f": .file("base")])
        world.remote.isAway = true
        try await a.save("one", at: "f")
        world.remote.isAway = false
        try await a.save("two", at: "f")
        #expect(try await history("f", a) == ["base", "(one)", "two"])
        #expect(a.text("f") == "two")
    }

    @Test(
        "a store that refuses the change says that it is made here, and the next run sends it",
        arguments: ["save", "delete", "move"])
    func refused(_ command: String) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base"), "k": .file("keep")])
        world.remote.plan(.init(.before(.notAllowed), verb: .publish))
        let path = try RelativePath("f")
        let failure = try await a.failure { replica in
            switch command {
            case "save": _ = try await replica.save(path, SaveOptions()) { _ in }
            case "delete": _ = try await replica.delete([path], recursive: false, SyncOptions())
            default:
                _ = try await replica.move(
                    [PathRename(from: path, to: try RelativePath("g"))], SyncOptions())
            }
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.remedy.contains("here, not yet published") == true)
        try await world.converge()
        #expect(b.text("f") == (command == "save" ? "" : nil))
        #expect(b.text("g") == (command == "move" ? "base" : nil))
    }
}
