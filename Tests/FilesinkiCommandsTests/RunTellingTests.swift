import FilesinkiTesting
import Testing

@testable import FilesinkiCommands

@Suite("sync --summary and --on-conflict")
struct RunTellingTests {
    /// Replicas `a` and `b`; `a` has edited `one`, deleted `two` and made `new`, and `b` has something to
    /// send and another edit of `one`.
    private static func world() async throws -> World {
        let world = try await GoldenTests.pair()
        world.wait(seconds: 60)
        try world.write("from a\n", to: "a/one")
        try world.write("new\n", to: "a/new")
        world.remove("a/two")
        try world.write("from b\n", to: "b/one")
        try world.write("mine\n", to: "b/mine")
        return world
    }

    @Test("the summary says which device changed what, and how to look at conflicts")
    func summary() async throws {
        let world = try await Self.world()
        let first = try await world.run("sync", "a", "--summary")
        #expect(first.code == .done)
        #expect(
            first.lines.dropFirst() == [
                "Changed here:", "  new      new  4 B", "  edited   one  7 B", "  deleted  two",
                "History:  filesinki log --root \(world.folder)/a",
            ], "\(first.text)")
        #expect(first.talk.isEmpty, "\(first.talk)")
        let second = try await world.run("sync", "b", "--summary")
        #expect(second.code == .conflict)
        let lines = second.lines
        #expect(lines[0].hasPrefix("\(world.folder)/b  <->  \(world.folder)/store    as \"b\", "))
        #expect(lines.contains("Changed here:") && lines.contains("  new  mine  5 B"))
        #expect(lines.contains("Changed by a:") && lines.contains("  deleted  two"))
        #expect(
            lines.contains(
                "    resolve:  filesinki resolve --root \(world.folder)/b one --take here|there"))
        #expect(!lines.contains { $0.hasPrefix("  resolved") || $0.hasPrefix("  copy") })
        #expect(!second.talk.contains("Sent"), "\(second.talk)")
        let third = try await world.run("sync", "--all", "--summary").lines
        #expect(third.count(where: { $0.contains("  <->  ") }) == 1, "\(third)")
        #expect(third.contains("Changed by b:") && third.contains("Conflicts to resolve:"))
        #expect(!third.contains { $0.contains("(conflict") }, "\(third)")
    }

    @Test("an edit and a deletion of one file are reported with the side that did each")
    func editAndDeletion() async throws {
        let world = try await GoldenTests.pair()
        for (name, removed) in [("one", "a"), ("two", "b")] {
            try world.write("edited\n", to: "\(removed == "a" ? "b" : "a")/\(name)")
            world.remove("\(removed)/\(name)")
        }
        #expect(try await world.run("sync", "a").code == .done)
        let text = try await world.run("sync", "b").text
        #expect(text.contains("one  edited here, deleted there; the edit was kept"), "\(text)")
        #expect(text.contains("two  deleted here, edited there; the edit was kept"), "\(text)")
        let explained = try await world.run("explain", "--root", "b", "one").text
        #expect(explained.contains("edited here, deleted there"), "\(explained)")
    }

    @Test("what was deleted here, and brought back there as it was, is not called edited")
    func broughtBack() async throws {
        let world = try await GoldenTests.pair()
        try await world.done("delete", "--root", "a", "one")
        try await world.done("undelete", "--root", "a", "one")
        world.remove("b/one")
        let text = try await world.run("sync", "b").text
        #expect(text.contains("one  deleted here, brought back there; it was kept"), "\(text)")
        #expect(world.read("b/one") != nil)
        let explained = try await world.run("explain", "--root", "b", "one").text
        #expect(explained.contains("deleted here, brought back there"), "\(explained)")
    }

    @Test("a new file at the old name of a renamed one is new where nobody did anything")
    func newAtOldName() async throws {
        let world = try await GoldenTests.pair()
        try await world.done("mv", "--root", "a", "one", "three")
        try world.write("another\n", to: "a/one")
        try await world.done("sync", "a")
        let received = try await world.run("sync", "b").text
        #expect(received.contains("  received  new        one    8 B\n"), "\(received)")
        #expect(!received.contains("deleted here"), "\(received)")
        // What is new needs no action of this replica: the versions say it.
        let explained = try await world.run("explain", "--root", "b", "one").lines
        #expect(explained.first == "one: synced, version 3, a file.", "\(explained)")
        #expect(!explained.contains { $0.contains("deleted here") }, "\(explained)")
    }

    @Test("a change has its device, also if a command about other paths has read its commit")
    func earlierCommit() async throws {
        let world = try await GoldenTests.pair()
        try world.write("x", to: "a/early")
        _ = try await world.run("sync", "a")
        _ = try await world.run("sync", "--root", "b", "one")
        #expect(world.readText("b/early") == nil)
        try world.write("x", to: "a/late")
        _ = try await world.run("sync", "a")
        let lines = try await world.run("sync", "b", "--summary").lines
        #expect(lines.contains { $0.hasPrefix("  new  early") }, "\(lines)")
        #expect(lines.count { $0.hasPrefix("Changed by ") } == 1 && lines.contains("Changed by a:"))
    }

    @Test("nothing is printed if nothing happened, and a failure is a message as ever")
    func nothing() async throws {
        let world = try await GoldenTests.pair()
        let idle = try await world.run("sync", "a", "--summary")
        #expect(idle.code == .done && idle.output.isEmpty && idle.talk.isEmpty, "\(idle)")
        world.rename("store", to: "gone")
        let away = try await world.run("sync", "a", "--summary")
        #expect(away.code == .away && away.output.isEmpty)
        #expect(!away.talk.isEmpty)
    }

    @Test("of many changes by a device the first are listed, and the number of the others")
    func many() async throws {
        let world = try await GoldenTests.pair()
        for number in 0..<60 { try world.write("x", to: "a/f\(number)") }
        let lines = try await world.run("sync", "--all", "--summary").lines
        #expect(lines.count(where: { $0 == "  and 10 more" }) == 2, "\(lines)")
        #expect(lines.contains("Changed by a:"))
    }

    @Test("files that both sides renamed are counted once, and said at the end")
    func renamedTwice() async throws {
        let world = try await GoldenTests.pair()
        for number in 0..<3 { try world.write("\(number)", to: "a/d/\(number)") }
        for root in ["a", "b"] { #expect(try await world.run("sync", root).code == .done) }
        world.rename("a/d", to: "a/d1")
        world.rename("b/d", to: "b/d2")
        let first = try await world.run("sync", "a")
        #expect(!first.talk.contains("Both sides"), "\(first)")
        let text = "Both sides renamed the folder d, to d1 and d2: both names "
        let plan = try await world.run("sync", "b", "-n")
        #expect(plan.talk.contains(text + "would be kept, with 3 files in each."), "\(plan)")
        let second = try await world.run("sync", "b")
        #expect(second.talk.contains(text + "were kept, with 3 files in each."), "\(second)")
        // The other device learns it from the commit.
        let third = try await world.run("sync", "a")
        #expect(
            third.talk.contains(
                "Both sides renamed the same 3 files, to different names: both names were kept."),
            "\(third)")
        #expect(third.lines.count { $0.contains("renamed") && $0.contains("d2/") } == 3, "\(third)")
    }

    @Test("it is for people and for what was done", arguments: ["-n", "--json", "-0"])
    func usage(_ option: String) async throws {
        #expect(try await World().run("sync", "--summary", option).code == .usage)
    }

    @Test("the command is run once for each new conflict, with its path in the environment")
    func conflicts() async throws {
        let world = try await Self.world()
        try world.write("a\n", to: "a/x $(exit 7);y")
        try world.write("b\n", to: "b/x $(exit 7);y")
        let command =
            "printf '%s|%s|%s\\n' \"$FILESINKI_ROOT\" \"$FILESINKI_PATH\" \"$FILESINKI_COPY\""
            + " >>\(world.folder)/log"
        #expect(try await world.run("sync", "a", "--on-conflict", command).code == .done)
        #expect(world.readText("log") == nil)
        let run = try await world.run("sync", "b", "--on-conflict", command)
        #expect(run.code == .conflict)
        let lines = try #require(world.readText("log")).split(separator: "\n").sorted()
        try #require(lines.count == 2, "\(lines)")
        #expect(lines[0].hasPrefix("\(world.folder)/b|one|one (conflict b "))
        #expect(lines[1].hasPrefix("\(world.folder)/b|x $(exit 7);y|x "))
        try world.write("more\n", to: "b/mine")
        _ = try await world.run("sync", "b", "--on-conflict", command)
        #expect(world.readText("log")?.split(separator: "\n").count == 2)
    }

    @Test("a conflict that another device found is new here, too; one that stays open is not")
    func fromElsewhere() async throws {
        let world = try await Self.world()
        #expect(try await world.run("sync", "a").code == .done)
        #expect(try await world.run("sync", "b").code == .conflict)
        let command = "echo \"$FILESINKI_PATH\" >>\(world.folder)/log"
        for _ in 0..<2 {
            _ = try await world.run("sync", "a", "--on-conflict", command)
            #expect(world.readText("log") == "one\n")
        }
    }

    @Test("there is a notification only where there is a desktop")
    func desktop() throws {
        let world = try World()
        let folder = world.folder
        #expect(DesktopNotification.command([:]) == nil)
        #expect(DesktopNotification.command(["XDG_RUNTIME_DIR": folder]) == nil)
        #expect(DesktopNotification.command(["DBUS_SESSION_BUS_ADDRESS": ""]) == nil)
        try world.write("", to: "bus")
        let found = [["XDG_RUNTIME_DIR": folder], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]]
        for environment in found {
            #expect(DesktopNotification.command(environment)?.contains("notify-send") == true)
        }
    }

    @Test("a command that fails is a warning")
    func failing() async throws {
        let world = try await Self.world()
        #expect(try await world.run("sync", "a").code == .done)
        let failed = try await world.run("sync", "b", "--on-conflict", "exit 3")
        #expect(failed.code == .conflict)
        #expect(failed.talk.contains("The --on-conflict command ended with 3."), "\(failed.talk)")
    }
}
