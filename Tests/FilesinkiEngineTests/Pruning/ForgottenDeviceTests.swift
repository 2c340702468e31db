import FilesinkiEngine
import FilesinkiModel
import FilesinkiStore
import FilesinkiTesting
import Testing

/// A device that was forgotten while it slept, and comes back after prunes: no deletion is undone by it.
@Suite("Devices that come back after they were forgotten")
struct ForgottenDeviceTests: PruneScene {
    let world: World
    let a: Machine
    let b: Machine

    init() async throws {
        world = try World()
        var machines = try await world.replicas(
            "a", "b",
            holding: [
                "k": .file("keep"), "gone": .file("to go"), "edited": .file("old"),
                "d": .directory(["x": .file("1")]),
            ])
        machines[0].options.archiveExtent = ArchiveExtent(
            keptSlots: 1, minimum: 2, length: 1500)
        (a, b) = (machines[0], machines[1])
    }

    @Test(
        "what was deleted meanwhile stays deleted, and what the device has edited stays",
        arguments: [false, true])
    func comesBack(losesManifest: Bool) async throws {
        for name in ["gone", "edited", "d"] { a.remove(name) }
        try await a.sync()
        try await a.with { try await $0.forgetDevice("b") }
        // More commits than a checkpoint waits for, moved into archives.
        for number in 0..<300 { try await a.save("\(number)", at: "n") }
        try await a.sync()
        let report = try await prune(a)
        #expect(report.archivedCommits > 200)
        #expect(
            try await a.with { try await $0.devices() }.map(\.device.name) == ["a"])
        try b.write(["edited": .file("by b")])
        if losesManifest { b.loseManifest() }
        let woken = try await b.sync()
        #expect(woken.problems.map(\.failure.description) == [])
        try await world.converge()
        #expect(try a.names == ["edited", "k", "n"])
        #expect(try b.tree() == a.tree())
        #expect(a.text("edited") == "by b" && a.text("n") == "299")
        // It is known again as soon as it acknowledges.
        world.clock.advance(by: .seconds(90_000))
        try a.write(["m": .file("new")])
        try await a.sync()
        try await b.sync()
        #expect(try await a.with { try await $0.devices() }.count == 2)
    }

    @Test("a device that publishes after it was forgotten is listed by the same run")
    func publishes() async throws {
        try await b.sync()
        try await a.with { try await $0.forgetDevice("b") }
        #expect(try await a.with { try await $0.devices() }.map(\.device.name) == ["a"])
        try b.write(["n": .file("new")])
        // Over a network, the end of the log is proven once an hour.
        world.clock.advance(by: .seconds(7200))
        try await b.sync()
        let known = try await a.with { try await $0.devices() }
        #expect(known.map(\.device.name) == ["a", "b"])
        // One that is listed acknowledges as rarely as before.
        let acknowledged = known.first { $0.device.name == "b" }?.acknowledged
        try b.write(["n": .file("newer")])
        try await b.sync()
        let later = try await a.with { try await $0.devices() }.first { $0.device.name == "b" }
        #expect(later?.acknowledged == acknowledged)
    }
}
