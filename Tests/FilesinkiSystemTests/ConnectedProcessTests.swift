import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Testing

/// A child at the other end of a socket.
@Suite("Connected processes", .timeLimit(.minutes(10)))
struct ConnectedProcessTests {
    private func start(
        _ line: String, _ group: ChildProcess.Group = .shared
    ) throws -> ConnectedProcess {
        let words = ["sh", "-c", line].map { Array($0.utf8) }
        return try ConnectedProcess(ChildProcess("/bin/sh", words, group: group))
    }

    @Test func `what is sent arrives, and so does the answer`() throws {
        let process = try start("exec cat")
        #expect(!process.isReady(within: .zero))
        try process.send(Array("hello".utf8))
        #expect(process.isReady(within: .seconds(300)))
        #expect(try process.receive(3) == Array("hel".utf8))
        #expect(try process.receive(atMost: 100) == Array("lo".utf8))
        #expect(!process.isReady(within: .zero))
        process.disconnect()
        #expect(process.end(within: .seconds(300)).code == 0)
    }

    @Test func `the end of a child is the end of what is received`() throws {
        let process = try start("printf abc; exit 4")
        #expect(try process.receive(10) == Array("abc".utf8))
        #expect(try process.receive(atMost: 10) == [])
        #expect(process.isReady(within: .zero))
        #expect(process.end(within: .seconds(300)).code == 4)
    }

    @Test func `sending to a child that has ended is an error, and no signal`() throws {
        let process = try start("exit 0")
        #expect(try process.receive(1) == [])
        #expect(throws: SystemError(EPIPE)) { try process.send([1]) }
        #expect(process.end(within: .seconds(300)).code == 0)
    }

    @Test func `a connection that was ended gives nothing more, and takes nothing`() throws {
        let process = try start("exec cat")
        process.disconnect()
        try #require(process.isReady(within: .seconds(300)))
        #expect(try process.receive(1) == [])
        #expect(throws: SystemError(EPIPE)) { try process.send([1]) }
        #expect(process.end(within: .seconds(300)).code == 0)
    }

    @Test func `a child that does not end in time is killed`() throws {
        let process = try start("exec sleep 1000")
        process.disconnect()
        #expect(process.end(within: .zero).code == 128 + SIGKILL)
    }

    /// A named pipe is at its end when nobody has it open for writing any more.
    @Test func `what a child with a group of its own has started is killed with it`() throws {
        let folder = try TemporaryFolder()
        mkfifo(folder.path("fifo"), 0o600)
        let pipe = try FileHandle(folder.path("fifo"), O_RDONLY | O_NONBLOCK)
        let line = "exec 9>'\(folder.path("fifo"))'; sleep 1000 & echo started; wait"
        let process = try start(line, .own)
        #expect(try process.receive(8) == Array("started\n".utf8))
        process.disconnect()
        #expect(process.end(within: .zero).code == 128 + SIGKILL)
        #expect(pollUntil { (try? pipe.read(upTo: 1)) == [] })
    }

    @Test(
        "the last 4096 bytes of a child's messages are kept",
        arguments: [(0, 3), (4_093, 4_096), (4_094, 4_096), (9_000, 4_096)])
    func messages(_ before: Int, _ kept: Int) throws {
        let process = try start("head -c \(before) /dev/zero >&2; printf end >&2; exit 3")
        #expect(try process.receive(1) == [])
        let ended = process.end(within: .seconds(300))
        #expect(ended.code == 3)
        #expect(ended.messages == [UInt8](repeating: 0, count: kept - 3) + Array("end".utf8))
    }

    @Test func `a program that cannot be started is a failure with path, cause and remedy`() {
        let failure = #expect(throws: Failure.self) {
            try ConnectedProcess(ChildProcess("/nowhere/at/all", [Array("x".utf8)]))
        }
        #expect(failure?.code == .io)
        #expect(failure?.path == Array("/nowhere/at/all".utf8))
        #expect(failure?.message == "Cannot start the program: no such file or directory.")
        #expect(failure?.cause as? SystemError == SystemError(ENOENT))
        #expect(failure?.remedy.isEmpty == false)
    }
}
