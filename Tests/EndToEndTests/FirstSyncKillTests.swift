import FilesinkiTesting
import Testing

/// A first sync that is killed at any call: what a user does afterwards counts upon what was published.
///
/// `FILESINKI_KILL_POINTS` says how many points; 4 unless it is set.
@Suite("Kills of a first sync", .onOwnThreads, .serialized)
struct FirstSyncKillTests {
    private static let points = knob("FILESINKI_KILL_POINTS", otherwise: 4)

    /// A replica that has never synced; kept as `fresh` to start from.
    private func prepare(_ machine: Machine) throws {
        let made = try machine.shell(
            """
            set -e
            mkdir -p a/d
            for n in 1 2 3 4 5 6 7 8; do echo "base $n" >a/f$n; done
            head -c 400000 /dev/urandom >a/large; echo x >a/d/x; ln -s f1 a/link
            filesinki init a --remote store --device a
            mkdir fresh; mv a store fresh/
            """)
        try #require(made.code == 0, "\(made.talk)")
    }

    private func start(_ machine: Machine) throws {
        try machine.shell("rm -rf a b store; cp -a fresh/a fresh/store .")
    }

    /// What a user does after the kill, then plain runs.
    private func expectSound(_ machine: Machine, _ what: String) throws {
        try machine.shell("rm -r a/f1 a/d; echo 'saved since' >a/f2; echo new >a/new")
        let met = try machine.run("clone", "store", "b", "--device", "b")
        #expect(met.code == 0, "\(what): \(met.talk)")
        for replica in ["a", "b", "a", "b"] {
            let run = try machine.run("sync", replica)
            #expect(run.code == 0, "\(what): \(replica) \(run.talk)")
        }
        let equal = try machine.shell("diff -r --no-dereference -x .filesinki a b")
        #expect(equal.code == 0, "\(what): \(equal.output)")
        let names = try machine.shell("cd b; ls; cat f2").output.split(separator: "\n")
        #expect(
            names.joined(separator: " ")
                == "f2 f3 f4 f5 f6 f7 f8 large link new saved since", "\(what)")
    }

    @Test(
        "E3.6 after a kill in a first sync, deletions stay, saves are edits and no copies are made",
        arguments: ["sync a", "save --root a f3 f3"])
    func kills(_ line: String) throws {
        let machine = try Machine()
        guard let injector = try Injector(machine) else { return }
        try prepare(machine)
        try machine.write("base 3\n", to: "f3")
        let command = line.split(separator: " ").map(String.init)
        try start(machine)
        let count = try injector.count(machine, command)
        try #require(count > 10, "\(count)")
        for (index, point) in Injector.spread(Self.points, to: count).enumerated() {
            try start(machine)
            let strike: Injector.Strike = index.isMultiple(of: 2) ? .killBefore : .killAfter
            let run = try injector.run(machine, at: point, strike, command)
            #expect([137, 0, 99].contains(run.code), "\(line) at \(point): \(run)")
            try expectSound(machine, "\(line), killed at \(point) of \(count), \(strike)")
        }
    }
}
