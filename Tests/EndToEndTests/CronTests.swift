import Testing

@Suite("An environment as cron gives it", .onOwnThreads)
struct CronTests {
    /// No HOME, no terminal, the least PATH, no locale, and standard input closed.
    private static func cron(_ line: String) -> String {
        "env -i PATH=/usr/bin:/bin \"$FILESINKI\" \(line) <&-"
    }

    @Test(
        "a command that names its replica works",
        arguments: [
            ("sync \"$PWD/a\"", 0), ("status \"$PWD/a\" --max-age 2h", 0),
            ("ls --root \"$PWD/a\"", 0), ("save --root \"$PWD/a\" x \"$PWD/a/one\"", 0),
            ("load --root \"$PWD/a\" one", 0), ("delete --root \"$PWD/a\" one", 0),
            ("check --root \"$PWD/a\"", 0), ("doctor \"$PWD/a\"", 0),
            ("clone \"$PWD/store\" \"$PWD/c\"", 0),
        ])
    func works(_ line: String, _ code: Int32) throws {
        let machine = try Machine.pair("echo one >a/one")
        let run = try machine.shell(Self.cron(line))
        #expect(run.code == code, "\(run)")
    }

    @Test func `a run with nothing to do prints nothing`() throws {
        let machine = try Machine.pair("echo one >a/one; mkfifo a/fifo")
        try machine.sync("a")
        let run = try machine.shell(Self.cron("sync \"$PWD/a\""))
        #expect(run.code == 0)
        #expect(run.output.isEmpty)
        #expect(run.talk.isEmpty)
    }

    @Test func `missing settings are reported`() throws {
        let machine = try Machine.pair("echo one >a/one")
        let home = try machine.shell("cd /; " + Self.cron("save notes/a /etc/hostname"))
        #expect(home.code == 2)
        #expect(home.talk.contains("HOME is not set"))
        #expect(home.talk.contains("--root"))
    }

    @Test func `a closed standard input is not an empty one`() throws {
        let machine = try Machine.pair("echo one >a/one")
        let save = try machine.shell(Self.cron("save --root \"$PWD/a\" one"))
        #expect(save.code == 4)
        #expect(save.talk.contains("standard input"))
        #expect(machine.read("a/one") == "one\n")
    }

    @Test func `a closed standard output is reported, and no file is written in its place`() throws
    {
        let machine = try Machine.pair("echo one >a/one")
        let list = try machine.shell("filesinki ls --root a >&-")
        #expect(list.code == 4)
        #expect(list.talk.contains("standard output"))
        #expect(try machine.shell("filesinki sync -v a >&- 2>&-").code == 0)
        #expect(try machine.run("check", "--root", "a", "--read-data").code == 0)
    }
}
