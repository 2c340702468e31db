import Glibc
import Testing

@Suite("The program as a process", .onOwnThreads)
struct ProcessTests {
    @Test("data goes to stdout, messages to stderr, and the exit code to the shell")
    func streams() throws {
        let machine = try Machine()
        let version = try machine.run("--version")
        #expect(version.code == 0)
        #expect(version.output.hasPrefix("filesinki "))
        #expect(version.talk.isEmpty)
        let mistake = try machine.run("sync", "--no-such-flag")
        #expect(mistake.code == 2)
        #expect(mistake.output.isEmpty)
        #expect(mistake.talk.contains("--no-such-flag"))
    }

    @Test("on a new account, load prints what save stored")
    func newAccount() throws {
        let machine = try Machine()
        let both = try machine.shell("echo hi | filesinki save notes/a && filesinki load notes/a")
        #expect(both.talk.isEmpty)
        #expect(both.output == "hi\n")
        #expect(both.code == 0)
        #expect(machine.read("data/filesinki/notes/a") == "hi\n")
    }

    @Test("compress and decompress work in a pipe, together with xz")
    func filters() throws {
        let machine = try Machine()
        let line =
            "seq 100000 | filesinki compress | xz -dc | xz | filesinki decompress | cksum; seq 100000 | cksum"
        let sums = try machine.shell(line).output.split(separator: "\n")
        #expect(sums.count == 2)
        #expect(sums.first == sums.last)
    }

    @Test("a full disk behind stdout is reported, with 6")
    func fullDisk() throws {
        let machine = try Machine()
        let full = try machine.shell("filesinki --help > /dev/full")
        #expect(full.code == 6)
        #expect(full.talk.contains("standard output"))
    }

    @Test("a closed pipe ends the program silently")
    func closedPipe() throws {
        let machine = try Machine()
        let closed = try machine.shell(
            "seq 2000000 | filesinki compress --format zstd -l 1 | head -c 1 | wc -c")
        #expect(closed.talk.isEmpty)
        #expect(closed.output.contains("1"))
    }

    @Test(
        "a signal ends the program with the exit code of the signal", arguments: [SIGINT, SIGTERM])
    func signals(_ signal: Int32) throws {
        let machine = try Machine()
        // A pipe without a writer's data keeps the program reading.
        #expect(mkfifo(machine.folder + "/never", 0o600) == 0)
        let running = try machine.start(
            ["/bin/sh", "-c", "exec 3<>never; exec \"$FILESINKI\" compress never"], input: "")
        #expect(kill(running.process, signal) == 0)
        #expect(try machine.wait(for: running).code == 128 + signal)
    }

    @Test("Ctrl-C ends a sync with a line that says what became of its work")
    func interruptedSync() throws {
        let machine = try Machine()
        // What is run in place of ssh ends the sync that waits for it.
        try machine.write("#!/bin/sh\nexit 255\n", to: "away")
        try machine.write("#!/bin/sh\nkill -INT $(cat process)\nexec cat >/dev/null\n", to: "stop")
        try machine.shell(
            """
            chmod +x away stop; export FILESINKI_SSH_COMMAND=./away
            filesinki init a --remote ssh://host.invalid/store
            """)
        let ended = try machine.shell(
            """
            export FILESINKI_SSH_COMMAND=./stop
            exec /bin/sh -c 'echo $$ >process; exec "$FILESINKI" sync a'
            """)
        #expect(ended.code == 130)
        let told = "filesinki: Interrupted. What was done is kept: the next filesinki sync "
        #expect(ended.talk.hasPrefix(told), "\(ended.talk)")
        #expect(ended.talk.split(separator: "\n").count == 1, "\(ended.talk)")
        let status = try machine.run("status", "a")
        #expect(status.output.contains("interrupted"), "\(status.output)")
    }
}
