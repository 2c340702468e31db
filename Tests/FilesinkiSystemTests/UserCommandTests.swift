import FilesinkiModel
import FilesinkiSystem
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
}
