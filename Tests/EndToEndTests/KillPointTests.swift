import Testing

/// A process that is killed at any call: the next plain run goes on by itself, and nothing is lost.
///
/// `FILESINKI_KILL_POINTS` says how many points of each command; 6 unless it is set.
@Suite("Kills at every point", .onOwnThreads, .serialized)
struct KillPointTests {
    private static let points = Injector.setting("FILESINKI_KILL_POINTS", otherwise: 6)

    /// Two replicas with one of everything to do on both sides, kept as `fresh` to start from.
    private func prepare(_ machine: Machine) throws {
        let made = try machine.shell(
            """
            set -e
            mkdir -p fresh/a/old fresh/a/gone; cd fresh/a
            for n in 1 2 3 4 5 6 7 8; do echo "base $n" >f$n; done
            head -c 400000 /dev/urandom >large; echo x >old/child; echo y >gone/child; ln -s f1 link
            cd ../..; mv fresh/a a
            filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store b --device b
            cd a; echo 'a edits' >f1; rm f2; rm -r gone; mv old new; echo 'of a' >both
            mkdir empty; rm link; ln -s f3 link; chmod 600 f4; head -c 300000 /dev/urandom >more
            mv f7 t; mv f8 f7; mv t f8
            cd ../b; echo 'b edits' >f5; rm f6; echo 'of b!' >both; echo 'b edits too' >f1
            mkdir own; echo z >own/z; head -c 500000 /dev/urandom >large
            cd ..; mkdir -p fresh; mv a b store fresh/
            """)
        try #require(made.code == 0, "\(made.talk)")
    }

    /// Everything that has to be somewhere at the end.
    private static let contents = [
        "a edits", "b edits", "of a", "of b!", "b edits too", "base 3", "base 4", "base 7",
        "base 8",
        "x", "z",
    ]

    /// - Parameter isDamaging: Whether a byte of the first pack is changed: some of what it holds is in no root.
    private func start(
        _ machine: Machine, syncing first: String?, damaging isDamaging: Bool = false
    ) throws {
        let sync = first.map { "filesinki sync \($0)" } ?? ":"
        try machine.shell("rm -rf a b store; cp -a fresh/a fresh/b fresh/store . ; \(sync)")
        guard isDamaging else { return }
        try machine.shell(
            "dd if=/dev/urandom of=$(ls -d store/packs/*/* | head -n 1) bs=1 count=64 seek=100 "
                + "conv=notrunc")
    }

    /// Plain runs that need nothing end with both roots equal, and nothing lost.
    private func expectHealed(_ machine: Machine, _ what: String) throws {
        for replica in ["a", "b", "a", "b"] {
            let run = try machine.run("sync", replica)
            #expect(run.code == 0 || run.code == 3, "\(what): \(replica) \(run.talk)")
        }
        let listing =
            "find . -path ./.filesinki -prune -o ! -type d -printf '%p %m %T@ %l\\n' | sort"
        let equal = try machine.shell(
            "diff -r --no-dereference -x .filesinki a b && (cd a; \(listing)) >la && "
                + "(cd b; \(listing)) >lb && cmp la lb")
        #expect(equal.code == 0, "\(what): \(equal.output) \(equal.talk)")
        let found = try machine.shell(
            "find a -path a/.filesinki -prune -o -type f -size -2k -exec cat {} +"
        ).output
            .split(separator: "\n").map(String.init)
        for content in Self.contents {
            #expect(found.contains(content), "\(what): '\(content)' is lost")
        }
        #expect(try machine.shell("ls a/f2 a/f6 a/gone a/old").output == "", "\(what)")
        let left = try machine.shell("ls -A a/.filesinki/staging b/.filesinki/staging | grep -v :")
        #expect(left.output.split(separator: "\n").isEmpty, "\(what): \(left.output)")
        let check = try machine.run("check", "--read-data", "--root", "a")
        #expect(check.code == 0, "\(what): \(check.output) \(check.talk)")
    }

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
        try prepare(machine)
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
        try start(machine, syncing: other, damaging: isRepair)
        let count = try injector.count(machine, command)
        try #require(count > 10, "\(count)")
        try expectHealed(machine, "\(kind), not killed")
        for (index, point) in Injector.spread(points, to: count).enumerated() {
            try start(machine, syncing: other, damaging: isRepair)
            let strike: Injector.Strike = index.isMultiple(of: 2) ? .killBefore : .killAfter
            let run = try injector.run(machine, at: point, strike, command)
            let what = "\(kind), \(fileSystem.rawValue)"
            #expect([137, 0, 3, 99].contains(run.code), "\(what) at \(point): \(run)")
            if isRepair {
                let again = try machine.wait(
                    for: machine.start([Machine.binary] + command, input: ""))
                #expect(again.code == 0, "\(what) at \(point): \(again)")
            }
            try expectHealed(machine, "\(what), killed at \(point) of \(count), \(strike)")
        }
    }
}
