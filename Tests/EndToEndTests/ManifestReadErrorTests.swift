import FilesinkiTesting
import Glibc
import Testing

/// The disk refuses to read the manifest: nothing is taken for damage that was not read.
///
/// `FILESINKI_KILL_POINTS` says how many reads fail, one in each run; 5 unless it is set.
@Suite("Read errors of the manifest", .onOwnThreads, .serialized)
struct ManifestReadErrorTests {
    private static let points = knob("FILESINKI_KILL_POINTS", otherwise: 5)
    private static let manifest = "/manifest.sqlite"

    @Test("E4.5 a read error of the manifest ends the run with 4 and changes nothing")
    func readErrors() throws {
        let machine = try Machine()
        guard let injector = try Injector(machine) else { return }
        let made = try machine.shell(
            """
            set -e
            mkdir a; for n in $(seq 40); do echo "base $n" >a/f$n; done
            filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store b --device b
            rm a/f1; echo 'saved since' >a/f2
            mkdir fresh; mv a b store fresh/
            """)
        try #require(made.code == 0, "\(made.talk)")
        let start = "rm -rf a b store; cp -a fresh/a fresh/b fresh/store ."
        try machine.shell(start)
        let count = try injector.count(machine, ["sync", "a"], reading: Self.manifest)
        try #require(count > 3, "\(count)")
        for point in Injector.spread(Self.points, to: count) {
            try machine.shell(start)
            let run = try injector.run(
                machine, at: point, .error(EIO), ["sync", "a"], reading: Self.manifest)
            #expect(run.code == 4, "read \(point) of \(count): \(run)")
            let left = try machine.shell("ls -A a/.filesinki | grep damaged").output
            #expect(left == "", "read \(point) of \(count)")
            for replica in ["a", "b"] {
                let next = try machine.run("sync", replica)
                #expect(next.code == 0, "read \(point) of \(count): \(next.talk)")
            }
            let state = try machine.shell("ls b | grep -c '^f'; cat b/f2; ls b/f1").output
            #expect(state == "39\nsaved since\n", "read \(point) of \(count)")
        }
    }
}
