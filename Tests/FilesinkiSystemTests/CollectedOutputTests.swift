import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// Children that run to their end, and what they write.
@Suite("Collected output")
struct CollectedOutputTests {
    private func shell(_ line: String) -> ChildProcess {
        ChildProcess("/bin/sh", ["sh", "-c", line].map { Array($0.utf8) })
    }

    @Test(
        "a child's exit code is its own, or 128 plus the number of the signal that ended it",
        arguments: [
            ("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -KILL $$", 128 + SIGKILL),
            ("kill -TERM $$", 128 + SIGTERM),
        ] as [(String, Int32)])
    func codes(_ line: String, _ code: Int32) throws {
        #expect(ChildProcess.wait(for: try shell(line).start()) == code)
    }

    @Test(
        "output is collected up to the limit, and is nil beyond it",
        arguments: [(5, "hello"), (6, "hello"), (4, nil), (0, nil)] as [(Int, String?)])
    func limits(_ limit: Int, _ output: String?) throws {
        let ended = try shell("printf hello").collectOutput(limit: limit)
        #expect(ended.output == output.map { Array($0.utf8) })
    }

    @Test("a child that writes without an end is ended by the broken pipe", .timeLimit(.minutes(5)))
    func endless() throws {
        let ended = try shell("exec yes").collectOutput(limit: 1)
        #expect(ended.output == nil)
        #expect(ended.code == 128 + SIGPIPE)
    }

    @Test func `a program that cannot be started is an error of the system`() {
        let nowhere = ChildProcess("/nowhere/at/all", [Array("x".utf8)])
        #expect(throws: SystemError(ENOENT)) { try nowhere.collectOutput(limit: 1) }
    }

    @Test func `a stream can be a file, opened with the given flags and mode`() throws {
        let folder = try TemporaryFolder()
        try StateFile.replace(folder.path("in"), with: Array("from a file".utf8))
        var child = shell("cat; echo problem >&2")
        child.streams = [
            STDIN_FILENO: .file(folder.path("in"), flags: O_RDONLY, mode: 0),
            STDOUT_FILENO: .file(folder.path("out"), flags: O_WRONLY | O_CREAT, mode: 0o600),
            STDERR_FILENO: .file(folder.path("err"), flags: O_WRONLY | O_CREAT, mode: 0o400),
        ]
        #expect(ChildProcess.wait(for: try child.start()) == 0)
        #expect(
            try TreeFixture.read(folder.path) == [
                "in": .file("from a file", mode: 0o600), "out": .file("from a file", mode: 0o600),
                "err": .file("problem\n", mode: 0o400),
            ])
    }

    @Test func `input, output and messages of a child are kept apart`() throws {
        let ended = try shell("cat; echo problem >&2; exit 3")
            .collect(input: Array("text".utf8), limit: 100)
        #expect(ended.code == 3)
        #expect(ended.output == Array("text".utf8))
        #expect(ended.messages == Array("problem\n".utf8))
    }

    @Test func `input has any size, and no reader is needed for it or for the messages`() throws {
        let input = [UInt8](repeating: 7, count: 300_000)
        let ended = try shell("head -c 200000 /dev/zero >&2; wc -c | tr -d ' \\n'")
            .collect(input: input, limit: 100)
        #expect(ended.output == Array("300000".utf8))
        // The beginning of them.
        #expect(ended.messages == [UInt8](repeating: 0, count: 64 << 10))
        #expect(try shell("true").collect(input: input, limit: 100).code == 0)
    }

    @Test func `the messages of a child whose output is too large are kept`() throws {
        let ended = try shell("echo why >&2; printf hello").collect(input: [], limit: 4)
        #expect(ended.output == nil)
        #expect(ended.messages == Array("why\n".utf8))
    }

    @Test func `a program that cannot be started is a failure with path, cause and remedy`() {
        let failure = #expect(throws: Failure.self) {
            try ChildProcess("/nowhere/at/all", [Array("x".utf8)]).collect(input: [], limit: 1)
        }
        #expect(failure?.code == .io)
        #expect(failure?.path == Array("/nowhere/at/all".utf8))
        #expect(failure?.message == "Cannot run the program: no such file or directory.")
        #expect(failure?.cause as? SystemError == SystemError(ENOENT))
        #expect(failure?.remedy.isEmpty == false)
    }
}
