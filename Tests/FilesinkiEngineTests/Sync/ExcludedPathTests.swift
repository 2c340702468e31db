import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiSystem
import FilesinkiTesting
import Testing

/// Paths that one run leaves out, and those that this device ignores.
@Suite struct ExcludedPathTests {
    private func pair(_ world: World) async throws -> (Machine, Machine) {
        try await world.pair([
            "keep": .file("1"), "big.iso": .file("iso"), "gone.iso": .file("gone"),
            "d": .directory(["x.iso": .file("x")]),
        ])
    }

    @Test func `a run decides nothing about what it excludes, and the next one does`() async throws
    {
        let world = try World()
        let (a, b) = try await pair(world)
        let patterns = try RunPatterns(excluded: ["*.iso"], included: [])
        try b.write(["big.iso": .file("edited"), "new.iso": .file("new"), "keep": .file("2")])
        b.remove("gone.iso")
        try a.write(["d": .directory(["x.iso": .file("by a")])])
        try await a.sync()
        #expect(try await b.sync { $0.patterns = patterns }.publishedCommits == 1)
        #expect(b.text("d/x.iso") == "x")
        try await a.sync()
        #expect(a.text("big.iso") == "iso")
        #expect(a.text("gone.iso") == "gone")
        #expect(a.text("new.iso") == nil)
        #expect(a.text("keep") == "2")
        // Without the patterns everything is as if the run before had not been.
        let report = try await b.sync()
        #expect(report.copies.isEmpty)
        #expect(b.text("d/x.iso") == "by a")
        try await world.converge()
        #expect(a.text("big.iso") == "edited")
        #expect(a.text("gone.iso") == nil)
        #expect(a.text("new.iso") == "new")
    }

    @Test func `an included path is synced although a file ignores it`() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try a.write([".filesinkiignore": .file("*.o\n"), "a.o": .file("o"), "b.o": .file("o2")])
        try await a.sync()
        let patterns = try RunPatterns(excluded: [], included: ["a.o"])
        try await a.sync { $0.patterns = patterns }
        try await b.sync { $0.patterns = patterns }
        #expect(b.text("a.o") == "o")
        #expect(b.text("b.o") == nil)
    }

    @Test func `what this device ignores stays as it is on both sides`() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try StateFile.replace(b.options.stateFolder.ignore, with: Array("*.iso\n".utf8))
        try b.write(["big.iso": .file("edited"), "new.iso": .file("new")])
        b.remove("gone.iso")
        try a.write(["d": .directory(["x.iso": .file("by a")])])
        try await a.sync()
        #expect(try await b.sync().publishedCommits == 0)
        #expect(try await b.sync().publishedCommits == 0)
        #expect(b.text("d/x.iso") == "x")
        try await a.sync()
        #expect(a.text("big.iso") == "iso")
        #expect(a.text("gone.iso") == "gone")
        #expect(a.text("new.iso") == nil)
        #expect(try await b.statusReport().incoming.isEmpty)
        // The device's file has no effect elsewhere, and its end deletes nothing.
        try StateFile.replace(b.options.stateFolder.ignore, with: [])
        try await b.sync()
        #expect(b.text("gone.iso") == "gone")
        try await world.converge()
    }

    @Test func `a watch's run for a folder leaves ignored paths in it alone`() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try StateFile.replace(b.options.stateFolder.ignore, with: Array("x.iso\n".utf8))
        try await b.sync()
        b.remove("d/x.iso")
        b.setMode("d", 0o700)
        try await b.syncChanges("d")
        #expect(b.text("d/x.iso") == nil)
        try await a.sync()
        #expect(a.text("d/x.iso") == "x")
    }

    @Test("a watch's run leaves an ignored folder alone: new, kept and deleted elsewhere")
    func folderOfWatch() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        try StateFile.replace(b.options.stateFolder.ignore, with: Array("d/\nnew/\n".utf8))
        a.remove("d")
        try a.write(["new": .directory(["y": .file("y")])])
        try await a.sync()
        try b.write(["keep": .file("2")])
        try await b.syncChanges("keep")
        #expect(b.text("d/x.iso") == "x")
        #expect(b.text("new/y") == nil)
    }

    @Test func `the user's ignore file applies to all replicas of the user`() async throws {
        let world = try World()
        let (a, b) = try await pair(world)
        var machine = b
        machine.options.configuration = world.folder.path("config/config.toml")
        try StateFile.makeFolder(world.folder.path("config"))
        try StateFile.replace(world.folder.path("config/ignore"), with: Array("/own\n".utf8))
        try machine.write(["own": .file("own"), "d": .directory(["own": .file("other")])])
        try await machine.sync()
        try await a.sync()
        #expect(a.text("own") == nil)
        #expect(a.text("d/own") == "other")
    }
}
