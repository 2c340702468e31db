import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

@Suite("User commands")
struct UserCommandTests {
    private func run(
        _ text: String, input: [UInt8]? = nil, limit: Duration = .seconds(600)
    ) throws -> UserCommand.Outcome {
        try UserCommand(text: text, limit: limit, input: input).run()
    }

    @Test("its output and exit code are returned")
    func outcome() throws {
        #expect(
            try run("printf hello; exit 3") == .ended(code: 3, output: Array("hello".utf8)))
        #expect(try run("kill -9 $$") == .ended(code: 128 + SIGKILL, output: []))
    }

    @Test("without input it reads nothing")
    func noInput() throws {
        #expect(
            try run("cat | wc -c | tr -d ' \\n'") == .ended(code: 0, output: [UInt8(ascii: "0")]))
    }

    @Test("its input has any size, and can be read again by name")
    func input() throws {
        let bytes = [UInt8](repeating: 0xFF, count: 1 << 20)
        #expect(
            try run("cat | wc -c | tr -d ' \\n'", input: bytes)
                == .ended(code: 0, output: Array("1048576".utf8)))
        #expect(
            try run("cat /dev/stdin", input: Array("again".utf8))
                == .ended(code: 0, output: Array("again".utf8)))
    }

    @Test func `a command blocks no signal, whatever the thread that starts it blocks`() throws {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let none = "SigBlk:\t0000000000000000\n"
        #expect(
            try run("grep SigBlk /proc/self/status") == .ended(code: 0, output: Array(none.utf8)))
    }

    @Test("unread input does no harm")
    func unread() throws {
        let bytes = [UInt8](repeating: 0x61, count: 1 << 20)
        #expect(try run("exec <&-; exit 0", input: bytes) == .ended(code: 0, output: []))
    }

    @Test("its output goes where it is directed")
    func output() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let command = UserCommand(text: "printf there", limit: .seconds(600), output: ends[1])
        #expect(try command.run() == .ended(code: 0, output: []))
        close(ends[1])
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(read(ends[0], &buffer, 64) == 5)
    }

    @Test("it ends at its time limit, also when it prints nothing or has closed its output")
    func limit() throws {
        #expect(try run("sleep 1000", limit: .milliseconds(50)) == .ranOutOfTime)
        #expect(try run("exec >&-; sleep 1000", limit: .milliseconds(50)) == .ranOutOfTime)
    }

    @Test("its collected output is cut at 64 KiB, and it can go on writing")
    func longOutput() throws {
        let outcome = try run(
            "head -c 65535 /dev/zero; printf abc; head -c 300000 /dev/zero; exit 5")
        let zeros = [UInt8](repeating: 0, count: 65_535)
        #expect(outcome == .ended(code: 5, output: zeros + [UInt8(ascii: "a")]))
    }

    /// A named pipe is at its end when nobody has it open for writing any more.
    @Test(
        "what it has started ends with it, at its own end and at the time limit",
        arguments: [("exit 0", Duration.seconds(600)), ("wait", .milliseconds(50))])
    func left(_ end: String, _ limit: Duration) throws {
        let folder = try TemporaryFolder()
        mkfifo(folder.path("fifo"), 0o600)
        let pipe = try FileHandle(folder.path("fifo"), O_RDONLY | O_NONBLOCK)
        let command = "exec 9>'\(folder.path("fifo"))'; sleep 1000 & \(end)"
        #expect(try (run(command, limit: limit) == .ranOutOfTime) == (end == "wait"))
        #expect(pollUntil { (try? pipe.read(upTo: 1)) == [] })
    }

    @Test("its environment has few variables of this process, and the given ones as bytes")
    func environment() throws {
        let allowed = [
            "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ", "NAME", "PWD",
            "OLDPWD", "SHLVL", "_",
        ]
        let command = UserCommand(
            text: "env | cut -d= -f1",
            variables: [("NAME", [0x61, 0xFF, 0x20, 0x24])], limit: .seconds(600))
        guard case .ended(0, let output) = try command.run() else {
            Issue.record("not ended")
            return
        }
        let names = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(names.contains("NAME"))
        #expect(names.filter { !allowed.contains($0) } == [])
        let value = UserCommand(
            text: "printf '%s' \"$NAME\"", variables: [("NAME", [0x61, 0xFF, 0x20, 0x24])],
            limit: .seconds(600))
        #expect(try value.run() == .ended(code: 0, output: [0x61, 0xFF, 0x20, 0x24]))
        let path = UserCommand(text: "printf '%s' \"$PATH\"", limit: .seconds(600))
        #expect(
            try path.run() == .ended(code: 0, output: Array("/usr/local/bin:/usr/bin:/bin".utf8)))
    }

    @Test("a command that looks up secrets has all variables, and the given ones")
    func wholeEnvironment() throws {
        let command = UserCommand(
            text: "printf '%s' \"$PATH|$NAME\"", variables: [("NAME", [0x62])],
            limit: .seconds(600), inheritance: .all)
        let path = try #require(getenv("PATH").map { String(cString: $0) })
        #expect(try command.run() == .ended(code: 0, output: Array("\(path)|b".utf8)))
    }
}

/// Commands by git's convention.
@Suite("Merge drivers")
struct MergeDriverTests {
    @Test(
        "a placeholder is a quoted variable, and nothing else changes",
        arguments: [
            (
                "merge %O %A %B",
                "merge \"$FILESINKI_BASE\" \"$FILESINKI_HERE\" \"$FILESINKI_THERE\""
            ),
            ("m -L %L %P", "m -L 7 \"$FILESINKI_PATH\""), ("100%%", "100%"), ("%%O", "%O"),
            ("%x %o", "%x %o"), ("a%", "a%"), ("%%%A", "%\"$FILESINKI_HERE\""), ("", ""),
            ("'%é'", "'%é'"),
        ])
    func expansion(_ command: String, _ expanded: String) {
        #expect(MergeDriver(command).expanded == expanded)
    }

    @Test func `a driver reads its three files by any name, and writes over ours`() throws {
        let folder = try TemporaryFolder()
        let tree: TreeFixture = [
            "b $x": .file("base"), "o'urs": .file("ours"), "th\"eirs": .file("theirs"),
        ]
        try tree.write(to: folder.path)
        let command = UserCommand(
            text: MergeDriver("cat %B %O > %A; printf '%%s' %P; exit 1").expanded,
            variables: MergeDriver.variables(
                base: folder.path("b $x"), here: folder.path("o'urs"),
                there: folder.path("th\"eirs"), path: [0x70, 0xFF]),
            limit: .seconds(600))
        #expect(try command.run() == .ended(code: 1, output: [0x70, 0xFF]))
        #expect(try StateFile.read(folder.path("o'urs")) == Array("theirsbase".utf8))
    }
}
