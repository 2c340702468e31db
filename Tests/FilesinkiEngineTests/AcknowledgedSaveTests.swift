import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiTesting
import Testing

@Suite("Acknowledged saves")
struct AcknowledgedSaveTests {
    @Test("E3.5 an offline save of unchanged content survives a deletion not yet received")
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

    @Test(
        "E3.5 a published save of unchanged content survives a deletion based on an earlier version"
    )
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

    @Test("E3.5 the save counts as an edit once: a later deletion based on it holds")
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

    @Test("E3.5 it counts once, also when the run that published it was killed")
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

    @Test("E3.5 in a deleted folder, only the saved file and its parent folders survive")
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

    @Test("E3.5 a content that a program wrote and published itself counts the same")
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

    @Test("E3.5 the same for a file that the program has left as it is, with its time")
    func publishedUnchanged() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1"), "g": .file("2")])
        world.remote.isAway = true
        let path = try RelativePath("f")
        _ = try await a.with { try await $0.publish(path, SyncOptions()) }
        world.remote.isAway = false
        b.remove("f")
        try await b.sync()
        try await world.converge()
        #expect(a.text("f") == "1")
        #expect(b.text("f") == "1")
    }

    @Test("E3.5 a file without a save is deleted, touched or not")
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

    @Test("E3.5 a save that is later edited leaves no mark behind")
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
