import FilesinkiTesting
import Testing

/// A process that is killed at any call: the next plain run goes on by itself, and nothing is lost.
///
/// `FILESINKI_KILL_POINTS` says how many points of each command; 4 unless it is set.
@Suite("Kills at every point", .onOwnThreads, .serialized)
struct KillPointTests {
    private static let points = knob("FILESINKI_KILL_POINTS", otherwise: 4)

    @Test(
        "a sync, save or mv that is killed at any system call needs only the next run",
        arguments: ["sync a", "sync b", "save a", "mv a", "repair a"])
    func kills(_ kind: String) throws {
        try expectNoHarm(kind, .whole, points: Self.points)
    }

    @Test(
        "E2.1 the same on a file system that supports fewer kinds of rename",
        arguments: ["sync b", "save a"],
        [Injector.FileSystem.noFlags, .noFlagsNoLinks])
    func killsWithoutFlags(_ kind: String, _ fileSystem: Injector.FileSystem) throws {
        try expectNoHarm(kind, fileSystem, points: max(Self.points / 2, 2))
    }

    private func expectNoHarm(
        _ kind: String, _ fileSystem: Injector.FileSystem, points: Int
    ) throws {
        let machine = try Machine()
        guard let injector = try Injector(machine, playing: fileSystem) else { return }
        let scene = KillScene(machine)
        try scene.prepare()
        let replica = String(kind.suffix(1))
        let other = replica == "b" ? "a" : nil
        let command =
            switch kind {
            case "save a": ["save", "--root", "a", "f3", "saved"]
            case "mv a": ["mv", "--root", "a", "new", "f5", "more", "moved/"]
            case "repair a": ["repair", "--forget-damaged", "--root", "a"]
            default: ["sync", replica]
            }
        try machine.write("base 3\n", to: "saved")
        let isRepair = kind == "repair a"
        try scene.start(syncing: other, damaging: isRepair)
        let count = try injector.count(machine, command)
        try #require(count > 10, "\(count)")
        try scene.expectHealed("\(kind), not killed")
        for (index, point) in Injector.spread(points, to: count).enumerated() {
            try scene.start(syncing: other, damaging: isRepair)
            let strike: Injector.Strike = index.isMultiple(of: 2) ? .killBefore : .killAfter
            let run = try injector.run(machine, at: point, strike, command)
            let what = "\(kind), \(fileSystem.rawValue)"
            #expect([137, 0, 3, 99].contains(run.code), "\(what) at \(point): \(run)")
            if isRepair {
                let again = try machine.wait(
                    for: machine.start([Machine.binary] + command, input: ""))
                #expect(again.code == 0, "\(what) at \(point): \(again)")
            }
            try scene.expectHealed("\(what), killed at \(point) of \(count), \(strike)")
        }
    }
}
