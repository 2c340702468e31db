import Glibc
import Testing

/// Contents, names and times: what another tool of this kind got wrong, row by row.
@Suite("Negative rows: contents, names and times", .onOwnThreads)
struct NegativeRowContentTests {
    @Test("FB-05, FI-05: contents are compressed before they are first stored, small or large")
    func compressedAtOnce() throws {
        // Some 20 kB travel in the commit, some 2 MB in a pack.
        let machine = try Machine.pair(
            "seq -f 'a sentence, number %g' 800 >a/small; seq -f 'a sentence, number %g' 80000 >a/large"
        )
        let size = try machine.shell("cat $(find store -type f) | wc -c").output
        let stored = Int(size.prefix { $0.isNumber }) ?? 0
        #expect(stored > 0 && stored < 400_000, "\(stored)")
        let plain = try machine.shell("grep -rl 'a sentence, number 80' store").output
        #expect(plain == "")
        #expect(try machine.difference == "")
    }

    @Test(
        "FB-06: a compressed binary makes the round trip under its own name, also offline"
    )
    func compressedOffline() throws {
        let machine = try Machine.pair("echo one >a/one")
        let names = ["data", "data.lzfse", "data.xz"]
        let line = """
            head -c 50000 /dev/urandom >plain; filesinki compress plain -o packed; mv store gone
            for n in \(names.joined(separator: " ")); do filesinki save --root a $n packed; done
            for n in \(names.joined(separator: " ")); do
                filesinki load --root a --offline $n | filesinki decompress | cmp - plain || exit 1
            done
            mv gone store
            """
        let made = try machine.shell(line)
        #expect(made.code == 0, "\(made.talk)")
        #expect(try machine.paths(in: "a") == names + ["one"])
        try machine.sync("a", "b")
        #expect(try machine.difference == "")
        #expect(try machine.shell("filesinki decompress <b/data.xz | cmp - plain").code == 0)
    }

    @Test("FB-07: a received change leaves no second file beside it")
    func noStrayFiles() throws {
        let names = ["x", "x.lzfse", "x.xz"]
        let machine = try Machine.pair(
            "for n in \(names.joined(separator: " ")); do echo $n >a/$n; done")
        for round in 1...2 {
            try machine.shell("for n in a/*; do echo \(round) >>$n; done")
            try machine.sync("a")
            #expect(try machine.run("load", "--root", "b", "x.xz").output.hasSuffix("\(round)\n"))
            try machine.sync("b")
        }
        #expect(try machine.shell("rm b/x.lzfse; filesinki sync b; filesinki sync a").code == 0)
        #expect(try machine.paths(in: "a") == ["x", "x.xz"])
        #expect(try machine.paths(in: "b") == ["x", "x.xz"])
        let staged = try machine.shell("find a/.filesinki/staging b/.filesinki/staging -type f")
        #expect(staged.output == "")
    }

    @Test("FB-11: after one sync each, all devices are equal, whichever side the merge equals")
    func mergedEverywhere() throws {
        let names = ["like-neither", "like-here", "like-there"]
        let machine = try Machine.pair(
            "for n in \(names.joined(separator: " ")); do seq 9 >a/$n; done")
        try machine.shell(
            """
            sed -i 's/1/one/' a/like-neither a/like-here b/like-there
            sed -i 's/9/nine/' b/like-neither
            sed -i 's/1/one/; s/9/nine/' b/like-here a/like-there
            """)
        try machine.sync("a", "b")
        let merged = "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"
        for name in names { #expect(machine.read("b/\(name)") == merged, "\(name)") }
        // A load is a sync of one path.
        let load = try machine.run("load", "--root", "a", names[0])
        #expect(load.output == merged)
        try machine.sync("a")
        #expect(try machine.difference == "")
        let log = "cat $(find store/zones -type f | sort) | cksum; ls -R store/zones/files/log"
        let before = try machine.shell(log).output
        try machine.sync("b", "a")
        #expect(try machine.shell(log).output == before)
    }

    @Test(
        "FB-12: a damaged object is reported with its path, other paths are synced, and it is repaired later"
    )
    func damaged() throws {
        let machine = try Machine.pair("echo one >a/one")
        let made = try machine.shell(
            """
            set -e
            head -c 700000 /dev/urandom >a/damaged; head -c 700000 /dev/urandom >a/whole
            echo small >a/small; filesinki sync a
            pack=$(find store/packs -type f); cp $pack sound
            printf 'damage' | dd of=$pack bs=1 seek=2000 conv=notrunc status=none
            """)
        try #require(made.code == 0, "\(made.talk)")
        // Again and again, and never silently.
        for _ in 1...2 {
            let run = try machine.run("sync", "b", "--json")
            #expect(run.code == 5)
            #expect(
                run.output.contains(#""type":"problem","path":"damaged","code":"corrupt""#),
                "\(run.output)")
        }
        #expect(try machine.paths(in: "b") == ["one", "small", "whole"])
        #expect(try machine.shell("cmp a/whole b/whole").code == 0)
        let check = try machine.run("check", "--read-data", "--root", "a")
        #expect(check.code == 8)
        #expect((check.output + check.talk).contains("damaged: "), "\(check)")
        #expect(try machine.shell("cp sound $(find store/packs -type f)").code == 0)
        try machine.sync("b")
        #expect(try machine.difference == "")
    }

    @Test("FB-13, FI-03: names of any bytes make the round trip, and paths of the maximum length")
    func names() throws {
        // A path of 4,095 bytes, then names that were cut, hashed or not seen elsewhere.
        let machine = try Machine.pair(
            """
            cd a; long=$(printf 'n%.0s' $(seq 255))
            (for n in $(seq 15); do mkdir $long; cd $long; done; echo deep >$long)
            for n in 'FS1:x' ':' 'a:b:c' _lead -dash ' space ' 'back\\slash' CON '*?"<>|' .hidden '~' '#' \\
                "$(printf 'new\\nline')" "$(printf '\\377\\376')" "$(printf 'caf\\303\\251')" \\
                "$(printf 'cafe\\314\\201')" "$(printf '\\001\\033[31m')"
            do printf '%s' "$n" >"./$n"; done; cd ..
            """)
        // By descent, for a path of this length is longer than the system takes at once.
        let list = "find . -name .filesinki -prune -o -type f -execdir cksum {} + | sort"
        let sums = try machine.shell(
            "(cd a; \(list)) >la; (cd b; \(list)) >lb; cmp la lb; wc -l <la")
        #expect(sums.output == "19\n", "\(sums)")
        let deleted = try machine.shell(
            "filesinki delete --root b 'FS1:x' \"$(printf '\\377\\376')\" -- -dash && filesinki sync a"
        )
        #expect(deleted.code == 0, "\(deleted)")
        #expect(try machine.shell("(cd a; \(list)) | wc -l").output == "16\n")
    }

    @Test("FB-15: a received file keeps its time, and no clock decides which version stays")
    func times() throws {
        let machine = try Machine.pair("echo one >a/one; touch -d 2001-02-03T04:05:06Z a/one")
        #expect(try machine.shell("stat -c %Y b/one").output == "981173106\n")
        // The old copy looks newer by far.
        try machine.shell(
            "touch -d 2099-01-01 b/one; echo edited >a/one; touch -d 1999-01-01 a/one")
        try machine.sync("b", "a", "b")
        #expect(machine.read("a/one") == "edited\n")
        #expect(machine.read("b/one") == "edited\n")
    }

    @Test("FB-15: of two edits the committed one keeps the name, whatever their times")
    func timesOfEdits() throws {
        let machine = try Machine.pair("echo base >a/old; echo base >a/new")
        try machine.shell(
            """
            for n in old new; do echo of a >a/$n; echo of b >b/$n; done
            touch -d 1999-01-01 b/old; touch -d 2099-01-01 b/new
            """)
        try machine.sync("a")
        #expect(try machine.run("sync", "b").code == 3)
        try machine.sync("a")
        for name in ["old", "new"] {
            #expect(machine.read("a/\(name)") == "of a\n")
            #expect(try machine.shell("cat a/\(name)*conflict*").output == "of b\n")
        }
        #expect(try machine.difference == "")
    }

    @Test("FB-22: a file larger than memory makes the round trip")
    func memory() throws {
        let machine = try Machine.pair("echo one >a/one")
        let size = 80 << 20
        try machine.shell("truncate -s \(size) a/large; echo end >>a/large")
        for replica in ["a", "b"] {
            let peak = try peak(of: ["sync", replica], on: machine)
            #expect(peak > 0 && peak < size * 3 / 4, "\(peak) bytes")
        }
        #expect(try machine.shell("cmp a/large b/large").code == 0)
    }

    /// The most memory that the program held, in bytes. A small process starts it: the system counts
    /// the memory of whoever starts a program, as large as the tests, until the program begins.
    private func peak(of arguments: [String], on machine: Machine) throws -> Int {
        let script = """
            code = 0; import resource, subprocess, sys
            code = subprocess.call(sys.argv[1:], stdout=2); assert code == 0
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            """
        let command = ["python3", "-c", script, Machine.binary] + arguments
        let output = try machine.wait(for: machine.start(command, input: "")).output
        return (Int(output.filter(\.isNumber)) ?? 0) << 10
    }
}
