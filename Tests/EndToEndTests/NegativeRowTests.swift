import Testing

/// Deletions, saves after them, and a remote that is away: what another tool of this kind got wrong,
/// row by row. `Docs/Rows.md` says what became of each row.
@Suite("Negative rows: deletions and an unavailable remote", .onOwnThreads)
struct NegativeRowTests {
    private static let files = "echo one >a/one; echo two >a/two"

    @Test(
        "FB-01: an offline delete is a delete on both devices, also after a restart",
        arguments: ["filesinki delete --root a one", "rm a/one"])
    func offlineDelete(_ line: String) throws {
        let machine = try Machine.pair(Self.files)
        try #require(try machine.shell("mv store gone; \(line)").code == 0)
        // Each run is a process of its own; a load is what brought the file back elsewhere.
        #expect(try machine.run("load", "--root", "a", "one").code == 75)
        #expect(try machine.run("sync", "a").code == 75)
        #expect(machine.read("a/one") == nil)
        #expect(try machine.shell("mv gone store; filesinki load --root a one").code == 1)
        try machine.sync("a", "b", "a")
        #expect(try machine.paths(in: "a") == ["two"])
        #expect(try machine.paths(in: "b") == ["two"])
    }

    @Test(
        "FB-02: a save after a delete brings the file back, also with the deleted content",
        arguments: [("one", "a"), ("one", "b"), ("other", "b")])
    func saveAfterDelete(_ content: String, _ replica: String) throws {
        let machine = try Machine.pair(Self.files)
        try machine.run("delete", "--root", "a", "one")
        try machine.sync("b")
        try #require(machine.read("b/one") == nil)
        let save = try machine.run("save", "--root", replica, "one", input: content + "\n")
        #expect(save.code == 0)
        for reader in ["a", "b"] {
            let load = try machine.run("load", "--root", reader, "one")
            #expect(load.output == content + "\n", "\(load)")
        }
        try machine.sync("a", "b", "a")
        #expect(machine.read("a/one") == content + "\n")
        #expect(machine.read("b/one") == content + "\n")
    }

    @Test(
        "FB-02: a save brings a file back whose deletion was not yet received",
        arguments: ["one", "other"])
    func saveOverUnknownDelete(_ content: String) throws {
        let machine = try Machine.pair(Self.files)
        try machine.run("delete", "--root", "a", "one")
        let save = try machine.run(
            "save", "--root", "b", "--json", "one", input: content + "\n")
        #expect(save.code == 0)
        #expect(save.output.contains(#""queued":false"#), "\(save.output)")
        #expect(machine.read("b/one") == content + "\n")
        try machine.sync("a", "b")
        #expect(machine.read("a/one") == content + "\n")
        #expect(machine.read("b/one") == content + "\n")
    }

    @Test("FB-03: absent is 1, unreachable is 75, and local content is still printed")
    func absentOrUnreachable() throws {
        let machine = try Machine.pair(Self.files)
        let absent = try machine.run("load", "--root", "a", "none")
        #expect(absent.code == 1)
        try machine.shell("echo new >b/new; filesinki sync b; mv store gone")
        let unknown = try machine.run("load", "--root", "a", "new")
        #expect(unknown.code == 75)
        #expect(unknown.output.isEmpty)
        #expect(unknown.talk != absent.talk)
        let here = try machine.run("load", "--root", "a", "one")
        #expect(here.code == 0)
        #expect(here.output == "one\n")
        #expect(here.talk.contains("store"), "\(here.talk)")
        #expect(try machine.run("sync", "a").code == 75)
        #expect(try machine.paths(in: "a") == ["one", "two"])
        #expect(try machine.shell("mv gone store; filesinki load --root a new").output == "new\n")
    }

    @Test(
        "FB-19: undelete restores the file on both devices, although its content was deleted before"
    )
    func undelete() throws {
        let machine = try Machine.pair(Self.files)
        // Once by who deleted, once by the other.
        for replica in ["a", "b"] {
            try machine.run("delete", "--root", "a", "one")
            try machine.sync("b")
            try #require(machine.read("b/one") == nil)
            #expect(try machine.run("undelete", "--root", replica, "one").code == 0)
            try machine.sync("a", "b", "a")
            #expect(machine.read("a/one") == "one\n")
            #expect(machine.read("b/one") == "one\n")
            #expect(try machine.run("ls", "--root", "b").output == "one\ntwo\n")
        }
    }

    @Test(
        "FB-20: a deleted file is gone at once, and files of similar names stay",
        arguments: [("one", true), ("one.xz", false), ("one.lzfse", true)])
    func deleteIsAtOnce(_ name: String, _ isAway: Bool) throws {
        let names = ["one", "one.lzfse", "one.xz"]
        let machine = try Machine.pair(
            "for n in \(names.joined(separator: " ")); do echo $n >a/$n; done")
        if isAway { try machine.shell("mv store gone") }
        #expect(try machine.run("delete", "--root", "a", name).code == 0)
        #expect(try machine.paths(in: "a") == names.filter { $0 != name })
        if isAway { try machine.shell("mv gone store; filesinki sync a") }
        try machine.sync("b")
        #expect(try machine.paths(in: "b") == names.filter { $0 != name })
    }
}
