import Testing

@Suite("Two replicas and a directory remote", .onOwnThreads)
struct TwoReplicasTests {
    @Test("the demo ends with both replicas equal")
    func demo() throws {
        let machine = try Machine()
        let demo = try machine.shell("sh '\(Machine.package)/Scripts/demo.sh' \"$FILESINKI\"")
        #expect(demo.code == 0, "\(demo.output)\n\(demo.talk)")
        #expect(demo.output.contains("laptop and desktop are equal"))
    }

    private func pair() throws -> Machine {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            mkdir a && echo one >a/one && mkdir a/sub && echo two >a/sub/two
            filesinki init a --remote store --device a
            filesinki sync a
            filesinki clone store b --device b
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    @Test("contents, modes, times, symlinks and unusual names are synced exactly")
    func metadata() throws {
        let machine = try pair()
        let synced = try machine.shell(
            """
            set -e
            chmod 640 a/one; touch -d '2001-02-03 04:05:06.123456789' a/one
            ln -s nowhere a/link; mkdir a/empty; printf x >"a/$(printf 'new\\nline \\377')"
            filesinki sync a; filesinki sync b
            list() { (cd $1 && find . -path ./.filesinki -prune -o ! -type d -printf '%p %m %s %T@ %l\\n' | sort); }
            list a >list.a; list b >list.b; cmp list.a list.b
            test -d b/empty
            """)
        #expect(synced.code == 0, "\(synced.talk)")
    }

    @Test("two edits of one file are both kept, and sync exits with 3")
    func conflict() throws {
        let machine = try pair()
        try machine.write("from a", to: "a/one")
        try machine.write("from b, longer", to: "b/one")
        #expect(try machine.run("sync", "a").code == 0)
        let second = try machine.run("sync", "b")
        #expect(second.code == 3)
        #expect(try machine.run("sync", "a").code == 0)
        #expect(try machine.shell("diff -r -x .filesinki a b").output == "")
        let contents = try machine.shell("cat b/one*").output
        #expect(contents == "from b, longerfrom a" || contents == "from afrom b, longer")
        #expect(machine.read("b/one") == "from a")
    }

    @Test("a second sync has nothing to do and writes nothing to the store")
    func quiet() throws {
        let machine = try pair()
        let line = "find store a/one b/one -printf '%p %T@\\n' | sort | cksum"
        let before = try machine.shell(line).output
        #expect(try machine.shell("filesinki sync a && filesinki sync b").code == 0)
        #expect(try machine.shell(line).output == before)
    }

    @Test("an unavailable remote is never treated as empty: 75, and nothing is deleted")
    func away() throws {
        let machine = try pair()
        #expect(try machine.shell("mv store gone; filesinki sync a").code == 75)
        #expect(machine.read("a/one") == "one\n")
        try machine.write("edited", to: "a/one")
        #expect(try machine.shell("filesinki save --root a two/x one").code != 0)
        #expect(try machine.shell("echo x | filesinki save --root a two/x").code == 0)
        #expect(try machine.shell("echo x | filesinki save --root a --wait two/x").code == 75)
        #expect(try machine.shell("mv gone store; filesinki sync a && filesinki sync b").code == 0)
        #expect(machine.read("b/one") == "edited")
        #expect(machine.read("b/two/x") == "x\n")
    }

    @Test("an emptied root stops the run with 6, and --approve carries out the plan")
    func guarded() throws {
        let machine = try pair()
        try machine.shell("rm -r a/one a/sub")
        let stopped = try machine.run("sync", "a")
        #expect(stopped.code == 6)
        #expect(machine.read("b/one") == "one\n")
        let words = stopped.talk.split { " \n.".contains($0) }
        let plan = words.firstIndex(of: "--approve").map { String(words[words.index(after: $0)]) }
        let approved = try machine.run("sync", "a", "--approve", plan ?? "none")
        #expect(approved.code == 0, "\(approved.talk)")
        #expect(try machine.run("sync", "b").code == 0)
        #expect(machine.read("b/one") == nil)
    }
}
