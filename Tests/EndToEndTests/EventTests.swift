import Glibc
import Testing

/// `observe` and `changes` as processes that end, are ended, and begin again.
@Suite("Events of observe and changes as a process", .onOwnThreads)
struct EventTests {
    private static let files = "mkdir a/sub; echo one >a/one; echo two >a/sub/two"
    /// A shell function that takes the token out of a line.
    private static let token =
        #"token() { sed 's/.*"token":"\(fsk1[^"]*\)".*/\1/'; }; "#

    private func member(_ name: String, of line: Substring) -> String? {
        let parts = line.split(separator: "\"\(name)\":\"", maxSplits: 1)
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }

    private func events(_ output: String) -> [String] {
        output.split(separator: "\n").compactMap { line in
            guard let type = member("type", of: line), let path = member("path", of: line) else {
                return nil
            }
            return "\(type) \(path)"
        }
    }

    @Test(
        "FB-10, FB-08: two observers both report a change and a deletion, and the files are synced"
    )
    func two() throws {
        let machine = try Machine.pair(Self.files)
        let since = try machine.shell(Self.token + "filesinki changes --root b | token").output
            .filter { !$0.isWhitespace }
        let started = try ["", "sub/"].map { prefix in
            try machine.start(
                [
                    "/bin/sh", "-c",
                    "exec \"$FILESINKI\" observe --root b --once --since \(since) \(prefix)",
                ], input: "")
        }
        try machine.shell("rm a/one; echo more >>a/sub/two; filesinki sync a")
        let ended = try started.map { try machine.wait(for: $0) }
        #expect(ended.map(\.code) == [0, 0])
        #expect(events(ended[0].output) == ["changed sub/two", "deleted one"])
        #expect(events(ended[1].output) == ["changed sub/two"])
        #expect(ended.map(\.talk) == ["", ""])
        try machine.sync("b")
        #expect(try machine.difference == "")
    }

    @Test("FB-07: an observed change leaves one file, and a following sync finds nothing to do")
    func noStrays() throws {
        let machine = try Machine.pair(Self.files)
        try machine.shell("filesinki compress a/one -o a/one.xz; filesinki sync a")
        let told = try machine.run("observe", "--root", "b", "--since", "0", "--once")
        #expect(events(told.output).contains("changed one.xz"))
        #expect(try machine.paths(in: "b") == ["one", "one.xz", "sub", "sub/two"])
        let sync = try machine.run("sync", "b")
        #expect(sync.code == 0 && sync.output.isEmpty)
    }

    @Test("KV-09: observe with a token reports what it missed, and never own changes")
    func missed() throws {
        let machine = try Machine.pair(Self.files)
        let line = try machine.shell(
            Self.token
                + """
                t=$(filesinki changes --root b | token)
                echo new | filesinki save --root a new >talk
                echo mine | filesinki save --root b mine >talk
                filesinki changes --root b --since "$t"
                t=$(filesinki changes --root b --since "$t" | tail -n 1 | token)
                echo --; filesinki changes --root b --since "$t"
                """)
        #expect(line.code == 0, "\(line.talk)")
        #expect(events(line.output) == ["changed new"])
        #expect(line.output.split(separator: "\n").count == 5)
    }

    @Test("observe killed after any line resumes from the last token and repeats no event")
    func killed() throws {
        let machine = try Machine.pair("for i in 1 2 3 4 5 6 7 8 9; do echo $i >a/$i; done")
        let all = try machine.run("changes", "--root", "b", "--since", "0")
        #expect(events(all.output).count == 9)
        // A reader that dies after so many lines; the observer is killed by hand.
        let pieces = try machine.shell(
            Self.token
                + """
                t=0; mkfifo pipe
                for lines in 3 2 4; do
                    "$FILESINKI" observe --root b --since "$t" >pipe & process=$!
                    exec 3<pipe; read -r first <&3
                    while [ $lines -gt 0 ]; do
                        read -r line <&3; echo "$line"; lines=$((lines - 1))
                        t=$(echo "$line" | token)
                    done
                    kill -KILL $process; wait $process; exec 3<&-
                done
                filesinki changes --root b --since "$t"
                """)
        #expect(events(pieces.output) == events(all.output), "\(pieces.talk)")
    }

    @Test(
        "a signal ends observe between two lines, with the exit code of the signal",
        arguments: [SIGINT, SIGTERM])
    func signals(_ signal: Int32) throws {
        let machine = try Machine.pair(Self.files)
        try machine.shell("mkfifo lines ready")
        let observer = try machine.start(
            ["/bin/sh", "-c", "exec \"$FILESINKI\" observe --root b >lines"], input: "")
        let reader = try machine.start(
            ["/bin/sh", "-c", "exec 3<lines; read -r first <&3; echo >ready; cat <&3"], input: "")
        try machine.shell("read -r word <ready")
        #expect(kill(observer.process, signal) == 0)
        #expect(try machine.wait(for: observer).code == 128 + signal)
        #expect(try machine.wait(for: reader).output.isEmpty)
    }

    @Test("observe ends at once and silently when its reader closes the pipe")
    func closedPipe() throws {
        let machine = try Machine.pair(Self.files)
        let ended = try machine.shell(
            "{ timeout 300 \"$FILESINKI\" observe --root b; echo $? >code; } | head -n 1; cat code")
        #expect(ended.output.split(separator: "\n").last == "0")
        #expect(ended.talk.isEmpty)
    }

    @Test("observe ends although its reader does not read")
    func blockedPipe() throws {
        let machine = try Machine.pair("seq 400 | while read i; do echo $i >a/$i; done")
        let ended = try machine.shell(
            """
            mkfifo pipe
            "$FILESINKI" observe --root b --since 0 >pipe & process=$!
            exec 3<pipe; read -r first <&3
            kill -TERM $process; wait $process; echo $?
            """)
        #expect(ended.output == "143\n", "\(ended.talk)")
    }

    @Test("--timeout ends observe: 1 when nothing was printed, else 0")
    func timeout() throws {
        let machine = try Machine.pair(Self.files)
        let quiet = try machine.run("observe", "--root", "b", "--timeout", "1")
        #expect(quiet.code == 1)
        #expect(quiet.output.split(separator: "\n").count == 1)
        let told = try machine.run("observe", "--root", "b", "--timeout", "1", "--since", "0")
        #expect(told.code == 0)
        let alive = try machine.run(
            "observe", "--root", "b", "--timeout", "3", "--heartbeat", "1")
        #expect(alive.output.split(separator: "\n").count >= 2)
        #expect(Set(alive.output.split(separator: "\n")).count == 1)
    }

    @Test("observe reports an unavailable remote once and retries")
    func away() throws {
        let machine = try Machine.pair(Self.files)
        let ended = try machine.shell(
            Self.token
                + """
                t=$(filesinki changes --root b | token)
                echo more >>a/one; filesinki sync -q a >said
                mv store gone; mkfifo talk
                "$FILESINKI" observe --root b --once --since "$t" 2>talk & process=$!
                exec 3<talk; read -r said <&3
                mv gone store; wait $process; echo $?; cat <&3 >&2
                """)
        #expect(events(ended.output) == ["changed one"])
        #expect(ended.output.hasSuffix("\n0\n"))
        #expect(ended.talk == "filesinki: Connected again.\n")
    }
}
