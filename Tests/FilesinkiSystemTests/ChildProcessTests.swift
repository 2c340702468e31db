import FilesinkiSystem
import Glibc
import Testing

@Suite("Child processes")
struct ChildProcessTests {
    /// What a line of shell says, started with one of the settings.
    private func says(
        _ line: String, _ change: (inout ChildProcess) -> Void = { _ in }
    ) throws -> (said: String, status: Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var process = ChildProcess(
            "/bin/sh", ["sh", "-c", line].map { Array($0.utf8) },
            streams: [STDOUT_FILENO: .descriptor(ends[1])])
        change(&process)
        let child = try process.start()
        close(ends[1])
        var said: [UInt8] = []
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) == 1 { said.append(byte) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return (String(decoding: said, as: UTF8.self), status)
    }

    @Test("a child blocks no signal, although its parent's thread does")
    func signals() throws {
        var all = sigset_t()
        var before = sigset_t()
        sigemptyset(&all)
        sigaddset(&all, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        #expect(try says("kill -TERM $$; echo survived").status & 0x7F == SIGTERM)
    }

    @Test("a child inherits only its streams")
    func files() throws {
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(try says("[ -e /proc/$$/fd/\(file) ] || echo closed").said == "closed\n")
    }

    @Test(
        "a child ends on a broken pipe, or inherits its parent's disposition",
        arguments: [true, false])
    func brokenPipe(_ dies: Bool) throws {
        let before = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, before) }
        let ended = try says("kill -PIPE $$; echo survived") { $0.diesOfBrokenPipe = dies }
        #expect(ended.said == (dies ? "" : "survived\n"))
    }

    @Test("a child has the requested process group")
    func group() throws {
        // The fifth and sixth fields of proc(5)'s stat are the group and the session.
        let line = "read -r a b c d group session rest < /proc/$$/stat; echo $$ $group $session"
        func numbers(_ group: ChildProcess.Group) throws -> [Int32] {
            try says(line) { $0.group = group }.said.split { " \n".contains($0) }
                .compactMap { Int32($0) }
        }
        let shared = try numbers(.shared)
        #expect(shared.dropFirst() == [getpgrp(), getsid(0)])
        let own = try numbers(.own)
        #expect(own.dropFirst() == [own[0], getsid(0)])
        let session = try numbers(.session)
        #expect(session.dropFirst() == [session[0], session[0]])
    }

    @Test("a child has the given environment, with any bytes, or its parent's")
    func environment() throws {
        let given = try says("echo \"$A\"") { $0.environment = [Array("A=b\n c".utf8)] }
        #expect(given.said == "b\n c\n")
        #expect(try says("echo \"${PATH:+set}\"").said == "set\n")
    }

    @Test("a child that cannot be started reports why")
    func missing() {
        let process = ChildProcess("/nowhere/at/all", [Array("x".utf8)])
        let error = #expect(throws: ChildProcess.NotStarted.self) { try process.start() }
        #expect(error?.error == ENOENT)
    }
}
