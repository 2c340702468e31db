import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@Suite("Acknowledged saves")
struct AcknowledgedSaveTests {
    @Test("E3.5 an offline save of unchanged content survives a deletion that is not known here")
    func unchanged() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        let saved = try await a.save("1", at: "f")
        #expect(saved.version == 0)
        // A run of everything in between does not forget it.
        try await a.sync()
        world.remote.isAway = false
        b.remove("f")
        try await b.sync()
        let report = try await a.sync()
        #expect(report.steps.contains { $0.reason == .editBeatsDelete })
        try await world.converge()
        #expect(a.text("f") == "1")
        #expect(b.text("f") == "1")
    }

    @Test("E3.5 a published save of unchanged content survives a deletion that did not know it")
    func publishedFirst() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        b.remove("f")
        try await a.save("1", at: "f")
        let report = try await b.sync()
        #expect(report.steps.contains { $0.reason == .editBeatsDelete })
        try await world.converge()
        #expect(a.text("f") == "1")
        #expect(b.text("f") == "1")
    }

    @Test("E3.5 it is an edit once: a deletion made with it in sight holds")
    func once() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        try await a.save("1", at: "f")
        world.remote.isAway = false
        try await world.converge()
        b.remove("f")
        try await world.converge()
        #expect(a.text("f") == nil)
        #expect(b.text("f") == nil)
    }

    @Test("E3.5 it is an edit once, also where the run that published it was killed")
    func onceAfterKill() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        try await a.save("1", at: "f")
        world.remote.isAway = false
        let dying = DyingRemote(remote: world.remote)
        dying.willDie(afterPublishing: 1)
        var machine = a
        machine.options.connect = { _ in dying }
        await #expect(throws: Failure.self) { try await machine.sync() }
        try await b.sync()
        b.remove("f")
        try await b.sync()
        try await world.converge()
        #expect(a.text("f") == nil)
        #expect(b.text("f") == nil)
    }

    @Test("E3.5 in a folder that was deleted, the saved file and its folders survive alone")
    func folder() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(["f": .file("1"), "g": .file("2")]), "k": .file("3"),
        ])
        world.remote.isAway = true
        try await a.save("1", at: "d/f")
        world.remote.isAway = false
        b.remove("d")
        try await b.sync()
        try await world.converge()
        for machine in [a, b] {
            #expect(machine.text("d/f") == "1")
            #expect(machine.text("d/g") == nil)
        }
    }

    @Test("E3.5 what a program has put there and published by itself counts the same")
    func published() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        try a.write(["f": .file("1")])
        let path = try RelativePath("f")
        _ = try await a.with { try await $0.publish(path, SyncOptions()) }
        world.remote.isAway = false
        b.remove("f")
        try await b.sync()
        try await world.converge()
        #expect(b.text("f") == "1")
    }

    @Test("E3.5 a file that nobody saved goes with the deletion, touched or not")
    func touched() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        try a.write(["f": .file("1")])
        try await a.sync()
        world.remote.isAway = false
        b.remove("f")
        try await b.sync()
        try await world.converge()
        #expect(a.text("f") == nil)
    }

    @Test("E3.5 a save by which another content was edited later leaves no mark behind")
    func editedLater() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        try await a.save("1", at: "f")
        try a.write(["f": .file("other")])
        try await a.sync()
        world.remote.isAway = false
        try await world.converge()
        try a.write(["f": .file("1")])
        try await world.converge()
        world.remote.isAway = true
        try a.write(["f": .file("1")])
        try await a.sync()
        world.remote.isAway = false
        b.remove("f")
        try await b.sync()
        try await world.converge()
        #expect(a.text("f") == nil)
    }
}
