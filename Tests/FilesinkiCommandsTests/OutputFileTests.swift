import FilesinkiCommands
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

@Suite("Files that commands write")
struct OutputFileTests {
    /// Each way to write one content with `-o`: the content `1\n` for all.
    static let commands: [[String]] = [
        ["load", "--root", "r", "one"], ["show", "--root", "r", "one@1"],
        ["decompress", "one.xz"], ["merge", "one", "one", "one"],
    ]

    private func world() async throws -> World {
        let world = try await World.withStore()
        try world.write("1\n", to: "r/one")
        try world.write("1\n", to: "one")
        #expect(try await world.run("init", "r", "--remote", "store").code == .done)
        #expect(try await world.run("sync", "r").code == .done)
        #expect(try await world.run("compress", "one", "-o", "one.xz").code == .done)
        return world
    }

    private func run(_ command: [String], to file: String, in world: World) async throws -> ExitCode
    {
        let line = (command + ["-o", file]).map { Array($0.utf8) }
        return try await world.run(bytes: line).code
    }

    private func status(_ world: World, _ name: String) -> stat {
        var record = stat()
        #expect(lstat(world.folder + "/" + name, &record) == 0)
        return record
    }

    @Test("E7.1 -o follows a symlink, also to a missing file", arguments: commands)
    func symlinks(_ command: [String]) async throws {
        let world = try await world()
        try world.makeFolder("far")
        try world.write("old", to: "far/file")
        for (link, target) in [("link", "far/file"), ("again", "link"), ("new", "far/new")] {
            #expect(symlink(target, world.folder + "/" + link) == 0)
        }
        for (link, file) in [("again", "far/file"), ("new", "far/new")] {
            #expect(try await run(command, to: link, in: world) == .done)
            #expect(status(world, link).st_mode & S_IFMT == S_IFLNK)
            #expect(world.readText(file) == "1\n")
        }
        #expect(world.names(in: "far") == ["file", "new"])
        #expect(symlink("loop", world.folder + "/loop") == 0)
        #expect(try await run(command, to: "loop", in: world) != .done)
    }

    @Test("E7.1 -o keeps the mode of the file that it replaces", arguments: commands)
    func mode(_ command: [String]) async throws {
        let world = try await world()
        for mode in [0o600, 0o640, 0o755] as [mode_t] {
            try world.write("old", to: "out")
            #expect(chmod(world.folder + "/out", mode) == 0)
            #expect(try await run(command, to: "out", in: world) == .done)
            #expect(status(world, "out").st_mode & 0o7777 == mode)
            #expect(world.readText("out") == "1\n")
        }
    }

    @Test(
        "E7.1 -o keeps owner and group where permitted",
        .enabled(if: geteuid() == 0, "needs root"))
    func owner() async throws {
        let world = try await world()
        try world.write("old", to: "out")
        #expect(chown(world.folder + "/out", 1234, 5678) == 0)
        #expect(chmod(world.folder + "/out", 0o640) == 0)
        #expect(try await run(Self.commands[0], to: "out", in: world) == .done)
        let found = status(world, "out")
        #expect((found.st_uid, found.st_gid, found.st_mode & 0o7777) == (1234, 5678, 0o640))
    }

    @Test(
        "E7.1 -o writes into a device or a FIFO without replacing it",
        arguments: commands)
    func special(_ command: [String]) async throws {
        let world = try await world()
        let fifo = world.folder + "/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        // Open for reading and writing, so that neither end blocks.
        let reader = open(fifo, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        defer { close(reader) }
        #expect(try await run(command, to: "fifo", in: world) == .done)
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = read(reader, &buffer, buffer.count)
        #expect(Array(buffer.prefix(max(count, 0))) == Array("1\n".utf8))
        #expect(status(world, "fifo").st_mode & S_IFMT == S_IFIFO)
        #expect(try await run(command, to: "/dev/null", in: world) == .done)
        var null = stat()
        #expect(lstat("/dev/null", &null) == 0)
        #expect(null.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("E7.1 kv export and save --final write in the same way")
    func others() async throws {
        let world = try await world()
        try world.write("old", to: "out")
        #expect(chmod(world.folder + "/out", 0o640) == 0)
        #expect(symlink("out", world.folder + "/link") == 0)
        #expect(try await world.run("kv", "set", "--root", "r", "a=1").code == .done)
        #expect(try await world.run("kv", "export", "--root", "r", "-o", "link").code == .done)
        #expect(world.readText("out")?.contains("\"a\"") == true)
        #expect(status(world, "out").st_mode & 0o7777 == 0o640)
        #expect(status(world, "link").st_mode & S_IFMT == S_IFLNK)
        // What was saved in another replica meanwhile is larger, so it stays and is what --final gets.
        try world.write("larger\n", to: "large")
        try world.write("s\n", to: "small")
        #expect(try await world.run("clone", "store", "s").code == .done)
        #expect(try await world.run("save", "--root", "s", "one", "large").code == .done)
        let final = ["--strategy", "larger", "--final", "link"]
        let line = ["save", "--root", "r", "one", "small"] + final
        #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .done)
        #expect(world.readText("out") == "larger\n")
        #expect(status(world, "out").st_mode & 0o7777 == 0o640)
        #expect(status(world, "link").st_mode & S_IFMT == S_IFLNK)
    }

    @Test("E7.3 restore --at restores a folder as of that time")
    func folderAtMoment() async throws {
        let world = try await world()
        for (content, file) in [("2\n", "r/d/two"), ("edited\n", "r/d/two"), ("3\n", "r/d/three")] {
            try world.write(content, to: file)
            #expect(try await world.run("sync", "r").code == .done)
        }
        world.wait(seconds: 1000)
        #expect(try await world.run("delete", "--root", "r", "-r", "d").code == .done)
        let back = try await world.run("restore", "--root", "r", "--at", "@1700000500", "d")
        #expect(back.code == .done, "\(back.talk)")
        #expect(world.readText("r/d/two") == "edited\n")
        #expect(world.readText("r/d/three") == "3\n")
    }

    @Test("E7.3 ls --deleted lists deleted paths in each form")
    func deleted() async throws {
        let world = try await world()
        try world.write("2\n", to: "r/d/two")
        #expect(try await world.run("sync", "r").code == .done)
        #expect(try await world.run("ls", "--root", "r", "--deleted").code == .negative)
        #expect(try await world.run("delete", "--root", "r", "-r", "d").code == .done)
        let plain = try await world.run("ls", "--root", "r", "--deleted")
        #expect(plain.code == .done)
        #expect(plain.lines == ["d", "d/two"])
        #expect(try await world.run("ls", "--root", "r", "--deleted", "-0").text == "d\0d/two\0")
        let long = try await world.run("ls", "--root", "r", "--deleted", "-l", "d/two")
        #expect(long.lines.count == 1 && long.text.hasPrefix("@3  20"), "\(long.text)")
        #expect(long.text.hasSuffix("  2 B  d/two\n"), "\(long.text)")
        let json = try await world.run("ls", "--root", "r", "--deleted", "-l", "--json")
        #expect(json.lines.count == 2 && json.text.contains(#""size":2,"#), "\(json.text)")
        try world.makeFolder("r/e")
        world.currentFolder = world.folder + "/r/e"
        let below = try await world.run("ls", "--deleted")
        #expect(below.code == .negative && below.output.isEmpty)
        #expect(below.talk.hasSuffix(": filesinki ls --deleted ..\n"), "\(below.talk)")
        world.currentFolder = world.folder
        let back = try await world.run("undelete", "--root", "r", "d", "--json")
        #expect(back.code == .done)
        #expect(back.lines.first == #"{"type":"restored","path":"d/two"}"#)
        #expect(world.readText("r/d/two") == "2\n")
        #expect(try await world.run("ls", "--root", "r", "--deleted").code == .negative)
    }
}
