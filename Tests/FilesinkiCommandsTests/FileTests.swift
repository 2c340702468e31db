import FilesinkiCommands
import Glibc
import Testing

@Suite("save, load, delete and ls")
struct FileTests {
    @Test(
        "save and load work at once on a new account, without a remote, and tell a person where",
        arguments: [false, true])
    func firstUse(isTerminal: Bool) async throws {
        let world = try World()
        world.terminals = Console.Terminals(talk: isTerminal, columns: { 1000 })
        let saved = try await world.run("save", "notes/a", input: Array("hi\n".utf8))
        #expect(saved.code == .done)
        #expect(saved.output.isEmpty)
        let told = "Created the default replica \(world.folder)/data/filesinki: "
        #expect(isTerminal ? saved.talk.hasPrefix(told) : saved.talk.isEmpty, "\(saved.talk)")
        #expect(try await world.run("load", "notes/a").text == "hi\n")
        #expect(world.readText("data/filesinki/notes/a") == "hi\n")
    }

    @Test("an absent path exits with 1, an invalid one with 2")
    func absent() async throws {
        let world = try World()
        #expect(try await world.run("load", "absent").code == .negative)
        #expect(try await world.run("delete", "absent").code == .negative)
        #expect(try await world.run("load", "../etc/passwd").code == .usage)
        #expect(try await world.run("save", "a/../b", input: []).code == .usage)
        #expect(try await world.run("save", ".filesinki/x", input: []).code == .usage)
        #expect(try await world.run("save", "x", "no-such-file").code == .negative)
    }

    @Test("--if-version saves only at that version")
    func compareAndSet() async throws {
        let world = try await ReplicaTests.pair()
        let first = try await world.run(
            "save", "--root", "a", "x", "--if-version", "0", "--json", input: [1])
        #expect(first.code == .done, "\(first.talk)")
        #expect(first.text.contains(#""type":"saved","exit":0,"path":"x","version":2,"#))
        let again = try await world.run("save", "--root", "b", "x", "--if-version", "0", input: [2])
        #expect(again.code == .negative)
        #expect(again.talk.contains("version 2"))
        let next = try await world.run("save", "--root", "b", "x", "--if-version", "2", input: [3])
        #expect(next.code == .done)
        #expect(try await world.run("load", "--root", "a", "x").output == [3])
    }

    @Test("load -o writes the file atomically, --version an older one, --wait-newer times out")
    func load() async throws {
        let world = try await ReplicaTests.pair()
        _ = try await world.run("save", "--root", "a", "one", input: Array("new".utf8))
        #expect(try await world.run("load", "--root", "b", "one", "-o", "out").code == .done)
        #expect(world.readText("out") == "new")
        #expect(try await world.run("load", "--root", "b", "one", "--version", "1").text == "one\n")
        let newer = try await world.run("load", "--root", "b", "one", "--wait-newer", "1")
        #expect(newer.text == "new")
        let late = try await world.run(
            "load", "--root", "b", "one", "--wait-newer", "2", "--timeout", "5s")
        #expect(late.code == .negative)
        let both = try await world.run("load", "--root", "b", "one", "--offline", "--version", "1")
        #expect(both.code == .usage)
    }

    @Test(
        "an unavailable remote: save succeeds with a message, 75 with --wait; a load without an answer is 75"
    )
    func away() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        #expect(try await world.run("save", "--root", "a", "x", input: [1]).code == .done)
        #expect(try await world.run("save", "--root", "a", "x", "--wait", input: [2]).code == .away)
        let here = try await world.run("load", "--root", "a", "x")
        #expect(here.code == .done)
        #expect(here.output == [2])
        #expect(here.talk.contains("Printed the local version."))
        #expect(try await world.run("load", "--root", "a", "unknown").code == .away)
        let sync = try await world.run("sync", "a", "--json")
        #expect(sync.code == .away)
        #expect(sync.lines.last?.contains(#""queued":true"#) == true)
        world.rename("gone", to: "store")
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("load", "--root", "b", "x").output == [2])
    }

    @Test("delete and undelete; a folder needs -r")
    func delete() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("delete", "--root", "a", "sub").code == .usage)
        #expect(try await world.run("delete", "--root", "a", "-r", "sub").code == .done)
        #expect(try await world.run("sync", "b").code == .done)
        #expect(world.names(in: "b") == [".filesinki", "one"])
        #expect(try await world.run("undelete", "--root", "b", "sub/two").code == .done)
        #expect(world.readText("b/sub/two") == "two\n")
        #expect(try await world.run("undelete", "--root", "b", "one").code == .negative)
    }

    @Test("a FIFO is not replaced by a save, and not deleted with its folder")
    func special() async throws {
        let world = try await ReplicaTests.pair()
        try world.makeFolder("a/d")
        try world.write("x", to: "a/d/file")
        #expect(mkfifo(world.folder + "/a/d/pipe", 0o600) == 0)
        let saved = try await world.run("save", "--root", "a", "d/pipe", input: Array("hello".utf8))
        #expect(saved.code == .negative, "\(saved)")
        #expect(saved.talk.contains("A FIFO, a socket or a device is there."), "\(saved.talk)")
        let deleted = try await world.run("delete", "--root", "a", "-r", "d")
        #expect(deleted.code == .partial || deleted.code == .notAllowed, "\(deleted)")
        #expect(deleted.talk.contains("was not deleted"), "\(deleted.talk)")
        #expect(!deleted.talk.contains("changed while"), "\(deleted.talk)")
        #expect(world.names(in: "a/d") == ["pipe"])
    }

    @Test("undelete of a folder that is there says how to bring back what was in it")
    func undeleteInside() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("delete", "--root", "a", "sub/two").code == .done)
        try world.makeFolder("a/sub")
        let outcome = try await world.run("undelete", "--root", "a", "sub")
        #expect(outcome.code == .negative)
        #expect(outcome.talk.contains("'sub/*'"), "\(outcome.talk)")
        #expect(try await world.run("undelete", "--root", "a", "sub/*").code == .done)
    }

    @Test("ls prints text, JSON and NUL-separated names, and exits with 1 when there is nothing")
    func list() async throws {
        let world = try await ReplicaTests.pair()
        #expect(try await world.run("ls", "--root", "b").lines == ["one", "sub/", "sub/two"])
        #expect(try await world.run("ls", "--root", "b", "-0", "sub").text == "sub\0sub/two\0")
        let json = try await world.run("ls", "--root", "b", "--json", "one")
        #expect(
            json.text.hasPrefix(
                #"{"type":"entry","path":"one","version":1,"kind":"file","mode":"0644","modified":""#
            ))
        #expect(try await world.run("ls", "--root", "b", "absent").code == .negative)
    }
}
