import FilesinkiTesting
import Glibc
import Testing

/// What a run leaves when it is killed at any moment: nothing that a person has to look after.
@Suite("Kills", .onOwnThreads, .serialized)
struct KillTests {
    /// How many kills; more with the environment's `FILESINKI_KILLS`.
    static let count = knob("FILESINKI_KILLS", otherwise: 12)

    @Test("a killed sync or save needs no repair and loses nothing")
    func kills() throws {
        let machine = try Machine()
        try #require(
            try machine.shell(
                """
                set -e
                mkdir a; for n in $(seq 60); do seq $n $((n * 50)) >a/f$n; done
                filesinki init a --remote store --device a; filesinki sync a
                filesinki clone store b --device b
                """
            ).code == 0)
        var chance = SystemRandomNumberGenerator()
        for round in 0..<Self.count {
            try machine.shell(
                "for n in $(seq 1 7 60); do echo \(round) >>a/f$n; done; rm -f b/f\(round % 20 + 1)"
            )
            for replica in ["a", "b"] {
                let command =
                    round % 3 == 2
                    ? ["save", "--root", replica, "saved", "f\(round)"] : ["sync", replica]
                try machine.write("\(round)", to: "f\(round)")
                let running = try machine.start([Machine.binary] + command, input: "")
                // Not a wait for something: the moment of the kill is what varies.
                usleep(UInt32.random(in: 500...60_000, using: &chance))
                kill(running.process, SIGKILL)
                _ = try machine.wait(for: running)
            }
        }
        for replica in ["a", "b", "a", "b"] {
            // Both devices save at one path: that may be a conflict.
            let code = try machine.run("sync", replica).code
            #expect(code == 0 || code == 3)
        }
        let difference = try machine.shell("diff -r -x .filesinki a b")
        #expect(difference.output == "")
        // Only one device edits these: nothing is a conflict, and every line that was added is there,
        // as many as there were rounds.
        let copies = try machine.shell("ls a | grep '^f.*(conflict'").output
        #expect(copies == "")
        let lines = try machine.shell("grep -c . a/f8").output
        #expect(lines == "\(393 + Self.count)\n")
    }
}
