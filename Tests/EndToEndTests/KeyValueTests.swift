import Glibc
import Testing

/// The key-value store as scripts use it: processes, exit codes, kills, two machines in one folder.
@Suite("The key-value store in scripts", .onOwnThreads)
struct KeyValueTests {
    private func pair() throws -> Machine {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            filesinki init a --remote store --device a; filesinki init b --remote store --device b
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    @Test func `KV-02 every type makes the round trip, data too`() throws {
        let machine = try pair()
        let run = try machine.shell(
            #"""
            set -e; kv() { filesinki kv "$@"; }
            kv set --root a i=9223372036854775807 --type int
            kv set --root a d=-0.0 --type double
            kv set --root a t=2024-05-01T09:30:00.250Z --type date
            kv set --root a b=false --type bool
            kv set --root a u=https://example.org/x --type url
            kv set --root a j='{"a":[1,2.5,null,"é"]}' --type json
            printf 'a\000\377b' >bytes; kv set --root a x - --type data <bytes
            kv sync --root b
            for key in i d t b u j; do kv get --root b $key; done
            kv get --root b x --raw | cmp - bytes
            kv export --root a >one; kv export --root b >two; cmp one two
            """#)
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.output.split(separator: "\n") == [
                "9223372036854775807", "-0.0", "2024-05-01T09:30:00.250Z", "false",
                "https://example.org/x", "{\"a\":[1,2.5,null,\"é\"]}",
            ])
    }

    @Test func `KV-03 CS-05 FL-02 absent is 1 or the default, and another type is 2`() throws {
        let machine = try pair()
        #expect(try machine.run("kv", "get", "--root", "a", "none").code == 1)
        let fallback = try machine.run(
            "kv", "get", "--root", "a", "none", "--default", "7", "--type", "int")
        #expect(fallback.code == 0 && fallback.output == "7\n")
        try machine.run("kv", "set", "--root", "a", "zero=0", "--type", "int")
        let zero = try machine.run("kv", "get", "--root", "a", "zero", "--default", "7")
        #expect(zero.output == "0\n")
        #expect(try machine.run("kv", "get", "--root", "a", "zero", "--type", "bool").code == 2)
        #expect(try machine.run("kv", "set", "--root", "a", "n=nan", "--type", "double").code == 2)
    }

    @Test func `FL-01 FL-03 a prefix is part of the key, an empty key is 2, null removes`() throws {
        let machine = try pair()
        try machine.run("kv", "set", "--root", "a", "--prefix", "flutter.", "score", "5")
        #expect(try machine.run("kv", "get", "--root", "a", "flutter.score").output == "5\n")
        let listed = try machine.run("kv", "list", "--root", "a", "--prefix", "flutter.")
        #expect(listed.output == "score\t5\n")
        #expect(try machine.run("kv", "set", "--root", "a", "", "x").code == 2)
        #expect(
            try machine.run("kv", "set", "--root", "a", "flutter.score", "null", "--type", "json")
                .code == 0)
        #expect(try machine.run("kv", "get", "--root", "a", "flutter.score").code == 1)
        #expect(try machine.run("kv", "unset", "--root", "a", "flutter.score").code == 1)
    }

    @Test func `KV-05 a value persists when the process is killed right after kv set`() throws {
        let machine = try pair()
        try machine.shell("mv store away")
        let run = try machine.shell(
            """
            filesinki kv set --root a k 1 & wait $!; kill -9 $! 2>/dev/null
            filesinki kv get --root a k
            """)
        #expect(run.output == "1\n")
        #expect(try machine.run("kv", "sync", "--root", "a").code == 75)
        #expect(try machine.run("kv", "set", "--root", "a", "l", "2", "--wait").code == 75)
        #expect(try machine.run("kv", "set", "--root", "a", "m", "3").code == 0)
        try machine.shell("mv away store; filesinki kv sync --root a; filesinki kv sync --root b")
        #expect(try machine.run("kv", "list", "--root", "b").output == "k\t1\nl\t2\nm\t3\n")
    }

    @Test func `KV-15 values set while the store is off are uploaded after kv on`() throws {
        let machine = try pair()
        let run = try machine.shell(
            """
            filesinki kv off --root a; filesinki kv set --root a k 1
            filesinki kv sync --root a; echo $?; filesinki kv sync --root b
            filesinki kv get --root b k; echo $?
            filesinki kv on --root a; filesinki kv sync --root b; filesinki kv get --root b k
            """)
        #expect(run.output == "1\n1\n1\n", "\(run.talk)")
    }

    @Test func `KV-07 a set that would exceed a limit exits with 6 and changes nothing`() throws {
        let machine = try pair()
        try machine.run("kv", "quota", "--root", "a", "--max-keys", "2", "--max-value", "10")
        #expect(try machine.run("kv", "set", "--root", "a", "x=1", "y=2", "z=3").code == 6)
        #expect(try machine.run("kv", "set", "--root", "a", "x", "12345678901").code == 6)
        #expect(try machine.run("kv", "list", "--root", "a").output == "")
    }

    @Test func `KV-09 KV-10 FL-04 a watch reports what another machine sets and removes`() throws {
        let machine = try pair()
        let watch = try machine.start(
            [Machine.binary, "kv", "watch", "--root", "b", "--once", "--values"], input: "")
        try machine.run("kv", "set", "--root", "a", "k", "1")
        let told = try machine.wait(for: watch)
        #expect(told.code == 0, "\(told.talk)")
        #expect(told.output.contains("\"keys\":[\"k\"],\"values\":{\"k\":\"1\"}"))
        let token = try #require(
            told.output.components("\"token\":\"").last?.components("\"").first)
        try machine.shell("filesinki kv unset --root a k; filesinki kv sync --root b")
        let later = try machine.run(
            "kv", "watch", "--root", "b", "--since", token, "--once", "--values")
        #expect(
            later.output.contains("\"reason\":\"server\",\"keys\":[\"k\"],\"values\":{\"k\":null}"))
    }

    @Test func `KV-13 another store in place of the known one is 7`() throws {
        let machine = try pair()
        let run = try machine.shell(
            """
            filesinki kv set --root a k old
            filesinki init c --remote other --device c; filesinki kv set --root c k new
            mv store gone; mv other store
            filesinki kv sync --root a; echo $?; filesinki kv get --root a k
            filesinki kv sync --root a --accept-account; echo $?; filesinki kv get --root a k
            ls a/.filesinki/kv | grep -c 'archive.*sqlite$'
            """)
        #expect(run.output == "7\nold\n0\nnew\n1\n", "\(run.talk)")
    }

    @Test func `KV-04 export and import create an equal store, as JSON and as a property list`()
        throws
    {
        let machine = try pair()
        let run = try machine.shell(
            """
            set -e; kv() { filesinki kv "$@"; }
            kv set --root a 's=<&>"' ; kv set --root a n=1 --type int --merge sum
            kv set --root a 'l=["x",true,1.5]' --type json; kv set --root a d=AAH/ --type data
            kv set --root a t=2024-05-01T09:30:00.250Z --type date
            for format in json plist; do
                kv export --root a --format $format >one
                kv import --root a --store $format --format $format one
                kv export --root a --store $format --format $format >two; cmp one two
            done
            echo '{"s":null,"new":5}' | kv import --root a
            kv list --root a
            """)
        #expect(run.code == 0, "\(run.talk)")
        #expect(
            run.output
                == "d\tAAH/\nl\t[\"x\",true,1.5]\nn\t1\nnew\t5\nt\t2024-05-01T09:30:00.250Z\n")
    }

    @Test(
        "ZE-01 ZE-02 ZE-03 ZE-06 a bridge syncs a settings file, deletions too, and leaves the rest alone",
        arguments: [
            (
                "json", #"{ "theme": "dark",  "size":7, "mine": [1,  2] }"#,
                #"{ "theme": "light",  "mine": [1,  2] }"#
            ),
            (
                "env", "# mine\nexport theme=dark\nsize=7\nmine='x y'",
                "# mine\nexport theme=light\nmine='x y'"
            ),
            (
                "ini", "; mine\ntheme = dark\nsize=7\n[s]\nmine=1",
                "; mine\ntheme = light\n[s]\nmine=1"
            ),
            (
                // As Windows writes it.
                "env", "mine=1\r\ntheme=dark\r\nsize=7\r", "mine=1\r\ntheme=light\r"
            ),
            (
                "plist",
                "<plist><dict><key>theme</key><string>dark</string><key>size</key>"
                    + "<integer>7</integer><key>mine</key><true/></dict></plist>",
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
                "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <dict>
                \t<key>mine</key>
                \t<true/>
                \t<key>theme</key>
                \t<string>light</string>
                </dict>
                </plist>
                """
            ),
        ])
    func bridge(_ format: String, _ before: String, _ after: String) throws {
        let machine = try pair()
        try machine.write(before + "\n", to: "one.\(format)")
        let run = try machine.shell(
            """
            set -e
            one() { filesinki kv bridge --root a one.\(format) --keys theme,size; }
            two() { filesinki kv bridge --root b two.\(format); }
            one; two; filesinki kv list --root b; cp one.\(format) same; one; cmp one.\(format) same
            filesinki kv set --root b theme light; filesinki kv unset --root b size
            one; two; one; cat one.\(format)
            rm two.\(format); two; filesinki kv sync --root a; filesinki kv list --root a
            one; grep -c mine one.\(format)
            """)
        #expect(run.code == 0, "\(run.talk)")
        let expected = "size\t7\ntheme\tdark\n" + after + "\n"
        #expect(run.output.hasPrefix(expected), "\(run.output)")
        // The other file was gone, which is no deletion.
        let rest = run.output.dropFirst(expected.count)
        #expect(rest.hasPrefix("theme\tlight\n") && !rest.hasSuffix("\n0\n"), "\(rest)")
    }

    @Test func `ZE-04 ZE-05 a watching bridge writes what another machine sets into the file`()
        throws
    {
        let machine = try pair()
        try machine.write("{}", to: "b.json")
        let bridge = try machine.start(
            [Machine.binary, "kv", "bridge", "--root", "b", "b.json", "--watch"], input: "")
        try machine.run("kv", "set", "--root", "a", "k=5", "--type", "int")
        let came = try machine.shell(
            """
            for i in $(seq 600); do grep -q '"k": *5' b.json && break; sleep 0.1; done
            echo '{"k": 6}' >b.new; mv b.new b.json
            for i in $(seq 600); do
                filesinki kv sync --root a
                test "$(filesinki kv get --root a k)" = 6 && break; sleep 0.1
            done
            filesinki kv get --root a k
            """)
        #expect(came.output == "6\n")
        kill(bridge.process, SIGTERM)
        #expect(try machine.wait(for: bridge).code == 143)
    }

    @Test func `KV-14 concurrent increments of two machines add up, and arrays are united`() throws
    {
        let machine = try pair()
        let run = try machine.shell(
            """
            add() { root=$1; shift; filesinki kv set --root $root --type json --add "$@"; }
            add a n=5 d=0.5 'l=["x"]'; filesinki kv sync --root b
            mv store away; add a n=2 d=0.25 'l=["y","x"]'; add b n=-1 'l=["z"]'; mv away store
            filesinki kv sync --root a; filesinki kv sync --root b; filesinki kv sync --root a
            filesinki kv list --root a; filesinki kv list --root b
            """)
        let listed = "d\t0.75\nl\t[\"x\",\"y\",\"z\"]\nn\t6\n"
        #expect(run.output == listed + listed, "\(run)")
    }

    @Test func `KV-14 adding to a value of another type exits with 2 and changes nothing`() throws {
        let machine = try pair()
        let run = try machine.shell(
            """
            add() { filesinki kv set --root a --add --type "$@" >&2; echo $?; }
            filesinki kv set --root a n=1 'l=["x"]' --type json; filesinki kv set --root a s=text
            add int n=9223372036854775807; add double n=0.5; add json 'n=["x"]'; add json l=1
            add int s=1; add string s=x; add string new=x; add int new=1 s=1
            filesinki kv list --root a
            """)
        let codes = String(repeating: "2\n", count: 8)
        #expect(run.output == codes + "l\t[\"x\"]\nn\t1\ns\ttext\n", "\(run)")
    }

    @Test func `KV-14 ten processes that count at once lose no key`() throws {
        let machine = try pair()
        let run = try machine.shell(
            """
            for n in 1 2 3 4 5; do
                filesinki kv set --root a a$n=$n & filesinki kv set --root b b$n=$n &
            done
            wait; filesinki kv sync --root a; filesinki kv sync --root b
            filesinki kv export --root a >one; filesinki kv export --root b >two; cmp one two
            filesinki kv list --root a | wc -l
            """)
        #expect(run.output == "10\n", "\(run.talk)")
    }
}

extension String {
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
