import FilesinkiTesting
import Testing

@Suite("Pipes and lists", .onOwnThreads)
struct PipeTests {
    /// How much is sent through each pipe.
    private static let megabytes = knob("FILESINKI_PIPE_MEGABYTES", otherwise: 18)

    /// What the program may take in memory whatever the size is. A debug build takes more than a
    /// release one.
    private static let memoryLimit: Int64 = 220 << 20

    /// Bytes that do not compress, the same in every run: a keystream.
    private static let source =
        "python3 -c 'import random, sys; r = random.Random(7); "
        + "[sys.stdout.buffer.write(r.randbytes(1 << 20)) for _ in range(\(megabytes))]'"

    @Test(
        "pipes carry contents of any size in bounded memory",
        arguments: [
            "tee >(cksum >sum1) | filesinki save big; filesinki load big | cksum >sum2",
            "tee >(cksum >sum1) | filesinki compress -l 0 | filesinki decompress | cksum >sum2",
            """
            tee >(cksum >sum1) | filesinki save --root a big
            filesinki load --root b big -o out; cksum <out >sum2
            """,
            """
            tee >(cksum >sum1) | filesinki save --root a big
            filesinki show --root b big@2 | cksum >sum2
            """,
        ])
    func bounded(_ line: String) throws {
        let machine = try Machine.pair("echo one >a/one")
        let run = try machine.measured("\(Self.source) | \(line)")
        #expect(run.finished.code == 0, "\(run.finished.talk)")
        let sums = try machine.shell("sort -u sum1 sum2 | wc -l; cut -d' ' -f2 sum1")
        #expect(sums.output == "1\n\(Self.megabytes << 20)\n")
        #expect(run.peakMemory < Self.memoryLimit, "\(run.peakMemory >> 20) MiB")
    }

    @Test("E7.1 -o /dev/stdout writes to standard output, and appends where it appends")
    func standardOutput() throws {
        let machine = try Machine.pair("echo one >a/one")
        let piped = try machine.shell("filesinki load --root a one -o /dev/stdout | cat")
        #expect(piped.output == "one\n")
        let lines = """
            echo first >out
            filesinki load --root a one -o /dev/stdout >>out
            filesinki load --root a one -o /dev/fd/3 3>>out
            cat out
            """
        #expect(try machine.shell(lines).output == "first\none\none\n")
    }

    @Test func `--wait-newer returns a newer version, and others may write meanwhile`() throws {
        let machine = try Machine.pair("echo 0 >a/x")
        let wait = "load --root b x --wait-newer 1 --timeout 120s"
        let waiting = try machine.start(
            [Machine.binary] + wait.split(separator: " ").map(String.init), input: "")
        #expect(try machine.run("save", "--root", "b", "y", input: "2").code == 0)
        #expect(try machine.run("save", "--root", "a", "x", input: "new").code == 0)
        let loaded = try machine.wait(for: waiting)
        #expect(loaded.code == 0, "\(loaded.talk)")
        #expect(loaded.output == "new")
    }

    @Test func `forty concurrent saves are all stored`() throws {
        let machine = try Machine.pair("echo one >a/one")
        let saves = """
            for i in $(seq 40); do
                { echo $i | filesinki save --root a --lock-wait 10m many/$i || echo $i failed; } &
            done
            wait
            """
        let run = try machine.shell(saves)
        #expect(run.output.isEmpty)
        #expect(run.talk.isEmpty)
        try machine.sync("b")
        #expect(try machine.paths(in: "b").filter { $0.hasPrefix("many/") }.count == 40)
        #expect(try machine.shell("cat b/many/* | sort -n | uniq | wc -l").output == "40\n")
    }

    @Test func `a variable that two machines share is never lost`() throws {
        let machine = try Machine.pair("echo 0 >a/count")
        let count = """
            count() {
                done=0
                while [ $done -lt 5 ]; do
                    version=$(filesinki load --root $1 count -o $1.value --json |
                        sed 's/.*"version":\\([0-9]*\\).*/\\1/')
                    echo $(($(cat $1.value) + 1)) |
                        filesinki save --root $1 count --if-version $version 2>/dev/null &&
                        done=$((done + 1))
                done
            }
            count a & count b & wait
            filesinki load --root a count
            """
        #expect(try machine.shell(count).output == "10\n")
    }

    @Test func `with --paths-from, the root only selects the replica`()
        throws
    {
        let machine = try Machine.pair("echo one >a/one; echo two >a/two; echo three >a/three")
        try machine.shell("echo 1 >>a/one; echo 2 >>a/two; echo 3 >>a/three")
        let line = "printf 'a/one\\na/two\\n' | filesinki sync a --paths-from - --json | tail -n 1"
        #expect(try machine.shell(line).output.contains("\"steps\":2"))
        #expect(
            try machine.shell("filesinki sync a --json | tail -n 1").output.contains("\"steps\":1"))
    }

    @Test func `names of any bytes pass through lists`() throws {
        let machine = try Machine.pair("echo one >a/one")
        // Without it, grep and find know only names that are UTF-8.
        let made = """
            export LC_ALL=C
            for i in $(seq 1 255 | grep -vx 47); do
                printf "a/n\\\\$(printf %o $i)\\0"
            done | xargs -0 touch
            filesinki sync a >/dev/null 2>&1; filesinki sync b >/dev/null 2>&1
            filesinki ls --root b -0 | grep -zc ^n
            filesinki ls --root b -0 | filesinki ls --root b --paths-from - -0 | grep -zc ^n
            filesinki ls --root b -0 | grep -z ^n |
                filesinki delete --root b --paths-from - -0 | grep -zc ^n
            find b -name 'n*' | wc -l
            """
        #expect(try machine.shell(made).output == "254\n254\n254\n0\n")
    }

    @Test func `an empty list does not select everything`() throws {
        let machine = try Machine.pair("echo one >a/one")
        try machine.write("two", to: "a/two")
        for form in [["sync", "--root", "a"], ["sync", "a"], ["sync", "a", "-n"]] {
            let line = [Machine.binary] + form + ["--paths-from", "-"]
            let run = try machine.wait(for: machine.start(line, input: ""))
            #expect(run.code == 0)
            #expect(run.output + run.talk == "")
        }
        let verbose = try machine.run("sync", "a", "-v", "--paths-from", "-")
        #expect(verbose.talk == "The list of paths is empty; nothing was done.\n")
        #expect(try machine.run("ls", "--root", "a", "--paths-from", "-").code == 1)
        try machine.sync("b")
        #expect(try machine.paths(in: "b") == ["one"])
    }
}
