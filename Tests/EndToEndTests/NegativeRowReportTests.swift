import Testing

/// What is said, where it is done and what outlives a kill: what another tool of this kind got wrong,
/// row by row.
@Suite("Negative rows: reports", .onOwnThreads)
struct NegativeRowReportTests {
    @Test("FB-08: a received deletion is reported as a deletion, with its path")
    func toldDeletion() throws {
        let machine = try Machine.pair("echo one >a/one; echo two >a/two")
        try machine.shell("filesinki delete --root a one; echo edited >a/two; filesinki sync a")
        let told = try machine.run("sync", "b", "--json").output.split(separator: "\n")
        #expect(told.contains { $0.hasPrefix(#"{"type":"step","path":"one","action":"delete""#) })
        #expect(told.contains { $0.hasPrefix(#"{"type":"step","path":"two","action":"take""#) })
    }

    @Test("FB-14: --root overrides the current folder and the environment")
    func root() throws {
        let machine = try Machine.pair("echo one >a/one")
        let save = try machine.shell(
            "cd a && echo x | FILESINKI_ROOT=\"$PWD\" filesinki save --root ../b sub/x")
        #expect(save.code == 0, "\(save.talk)")
        #expect(try machine.paths(in: "a") == ["one"])
        #expect(try machine.paths(in: "b") == ["one", "sub", "sub/x"])
        let load = try machine.shell(
            "cd a && filesinki load --root ../b --offline '\(machine.folder)/b/sub/x'")
        #expect(load.output == "x\n", "\(load)")
        // The default replica was not made; the list of replicas is all that is in the home folder.
        #expect(try machine.shell("ls -d data config home/*").output == "")
        #expect(
            try machine.shell("ls -A home home/.local/state/filesinki").output == """
                home:
                .local

                home/.local/state/filesinki:
                replicas

                """)
    }

    @Test("FB-16: a load killed at any system call keeps every pending save")
    func killedLoad() throws {
        let machine = try Machine.pair("echo one >a/one; echo two >a/two")
        guard let injector = try Injector(machine) else { return }
        // One save waits, and something newer is there to load.
        let made = try machine.shell(
            """
            set -e
            echo newer >b/two; filesinki sync b
            mv store gone; echo waits | filesinki save --root a one; mv gone store
            mkdir fresh; mv a b store fresh/
            """)
        try #require(made.code == 0, "\(made.talk)")
        let begin = "rm -rf a b store; cp -a fresh/a fresh/b fresh/store ."
        let command = ["load", "--root", "a", "one"]
        try machine.shell(begin)
        let count = try injector.count(machine, command)
        try #require(count > 5, "\(count)")
        for point in Injector.spread(4, to: count) {
            try machine.shell(begin)
            let run = try injector.run(machine, at: point, .killBefore, command)
            #expect([137, 0, Injector.neverReached].contains(run.code), "\(run)")
            try machine.sync("a", "b")
            #expect(machine.read("a/one") == "waits\n", "\(point) of \(count)")
            #expect(machine.read("b/one") == "waits\n", "\(point) of \(count)")
            #expect(machine.read("a/two") == "newer\n", "\(point) of \(count)")
        }
    }

    /// What fails, its exit code, the failure's code in JSON, and a word that has to be said.
    static let failures: [(String, Int32, String, String)] = [
        ("delete --root a none", 1, "not-found", "none"),
        ("undelete --root a one", 1, "exists", "one"),
        ("save --root a --if-version 7 one", 1, "differs", "one"),
        ("save --root a ../out", 2, "bad-path", "../out"),
        ("sync a --strategy nonsense", 2, "usage", "nonsense"),
        ("restore --root a one@99", 1, "not-found", "one"),
        ("init a --remote elsewhere", 1, "exists", "elsewhere"),
        ("sync emptied", 6, "limit", "--approve"),
        ("sync swapped", 7, "wrong-store", "store"),
        ("sync cut", 8, "corrupt", "log"),
        ("save --root gone --wait one", 75, "away", "gone"),
        ("sync gone", 75, "away", "gone"),
    ]

    @Test("FB-18: every failure has an exit code, an event, a message and a remedy")
    func failures() throws {
        let machine = try Machine.pair("echo one >a/one; echo two >a/two")
        let made = try machine.shell(
            """
            set -e
            for kind in swapped cut gone; do
                mkdir $kind; filesinki init $kind --remote $kind.store; echo one >$kind/one
                filesinki sync $kind
            done
            filesinki clone store emptied; rm emptied/*
            rm -r swapped.store; mkdir other; filesinki init other --remote swapped.store
            log=$(find cut.store/zones -path '*/log/*' -type f); truncate -s 60 $log
            rm -r cut/.filesinki; filesinki init cut --remote cut.store
            mv gone.store away
            """)
        try #require(made.code == 0, "\(made.talk)")
        for (command, code, event, word) in Self.failures {
            let run = try machine.shell("echo x | filesinki \(command) --json")
            #expect(run.code == code, "\(command): \(run)")
            #expect(run.output.contains("\"code\":\"\(event)\""), "\(command): \(run)")
            #expect(run.output.contains("\"remedy\":\""), "\(command): \(run)")
            #expect((run.output + run.talk).contains(word), "\(command): \(run)")
        }
        // Pending changes are reported by later commands, too.
        let status = try machine.run("status", "gone", "--json").output
        #expect(status.contains(#""pending":["one"]"#), "\(status)")
    }

    @Test("FB-24: renames, folders, modes, ls and log are supported")
    func treeAndHistory() throws {
        let machine = try Machine.pair(
            "echo one >a/one; mkdir -p a/d/empty; echo two >a/d/two; filesinki init a")
        try machine.shell("mv a/one a/uno; mv a/d a/dir; chmod 600 a/uno; echo more >>b/one")
        try machine.sync("a", "b", "a")
        let list = "find . -path ./.filesinki -prune -o -printf '%P %y %m\\n' | sort | sed 1d"
        #expect(try machine.shell("(cd a; \(list)) >la; (cd b; \(list)) | cmp la -").output == "")
        #expect(try machine.paths(in: "b") == ["dir", "dir/empty", "dir/two", "uno"])
        #expect(machine.read("b/uno") == "one\nmore\n")
        #expect(try machine.shell("stat -c %a b/uno").output == "600\n")
        let listing = try machine.run("ls", "--root", "b").output
        #expect(listing == "dir/\ndir/empty/\ndir/two\nuno\n")
        #expect(try machine.run("log", "--root", "b", "uno").output.contains("renamed from one"))
        #expect(try machine.run("show", "--root", "b", "one@1").output == "one\n")
    }

    @Test("FB-24: state of one store is not pushed into another store in its place")
    func otherStore() throws {
        let machine = try Machine.pair("echo one >a/one")
        let made = try machine.shell(
            """
            set -e
            mv store first; mkdir c; echo other >c/other
            filesinki init c --remote store --device c; filesinki sync c
            echo private >a/private; rm a/one; find store | sort >before
            """)
        try #require(made.code == 0, "\(made.talk)")
        for command in ["sync a", "save --root a saved before", "load --root a other"] {
            #expect(try machine.shell("filesinki \(command)").code == 7, "\(command)")
        }
        #expect(try machine.shell("find store | sort | cmp before -").code == 0)
        #expect(machine.read("a/private") == "private\n")
        #expect(machine.read("a/other") == nil)
        try machine.shell("rm -r store; mv first store")
        try machine.sync("a", "b")
        #expect(try machine.paths(in: "b") == ["private", "saved"])
    }
}
