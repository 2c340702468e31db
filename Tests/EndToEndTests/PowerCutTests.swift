import FilesinkiTesting
import Testing

/// The power fails: what was not synced is not on the disk. Syncs of the whole program are kept, and what is left after
/// each of them is a state from which plain runs go on.
///
/// `FILESINKI_POWER_CUTS` says after how many of a command's syncs and calls; 2 unless it is set.
@Suite("Power cuts", .onOwnThreads, .serialized)
struct PowerCutTests {
    private static let cuts = knob("FILESINKI_POWER_CUTS", otherwise: 2)
    private static let places = ["a", "b", "store", "home", "data", "config"]

    /// What the replicas and the store have, without what a replica keeps for itself.
    private static let listing =
        "find a b store -name .filesinki -prune -o -printf '%p %y %l ' "
        + "-type f -exec cksum {} + -o -printf '\\n' | sort"

    @Test(
        "P6 what exited with 0 is on the disk; after a cut at any sync, plain runs go on, and nothing is lost",
        arguments: [["sync", "b"], ["save", "--root", "a", "f3", "saved"]])
    func cut(_ command: [String]) throws {
        let machine = try Machine()
        guard let injector = try Injector(machine) else { return }
        let scene = KillScene(machine)
        try scene.prepare()
        try machine.write("base 3\n", to: "saved")
        let start = { try scene.start(syncing: command == ["sync", "b"] ? "a" : nil) }
        try start()
        let disk = try KeptDisk(injector, machine, command)
        try #require(disk.syncCount > 3)
        let before = try machine.shell(Self.listing).output
        for cut in KeptDisk.Cut.allCases {
            try disk.restore(Self.places, after: disk.syncCount, losing: cut)
            #expect(try machine.shell(Self.listing).output == before, "\(command), \(cut)")
        }
        // Between nothing and everything.
        let ends = Injector.spread(Self.cuts + 2, to: disk.syncCount + 1).dropFirst().dropLast()
        for number in ends.map({ $0 - 1 }) {
            try disk.restore(Self.places, after: number, losing: .all)
            try scene.expectHealed("\(command), cut after sync \(number) of \(disk.syncCount)")
        }
        try start()
        let count = try injector.count(machine, command)
        for point in Injector.spread(Self.cuts + 2, to: count).dropFirst().dropLast() {
            try start()
            let disk = try KeptDisk(injector, machine, killedAt: point, command)
            try disk.restore(Self.places, after: .max, losing: .contents)
            try scene.expectHealed("\(command), contents cut at call \(point) of \(count)")
        }
    }
}
