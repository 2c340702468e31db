import FilesinkiCommands
import FilesinkiTesting
import Glibc
import Testing

/// How `status` shows what was renamed here and is not sent. `b` has received its files, so it knows their inodes.
@Suite("status of what was renamed")
struct UnsentTextTests {
    @Test("a renamed file is one change, with its former name")
    func file() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("b/one", to: "b/uno")
        let status = try await world.run("status", "b")
        #expect(status.lines.last == "1 renamed here, not yet sent:  uno", "\(status.text)")
        let all = try await world.run("status", "b", "-v")
        #expect(
            all.lines.suffix(2) == ["1 renamed here, not yet sent:", "  renamed  uno  from one"],
            "\(all.text)")
        let json = try await world.run("status", "b", "--json")
        let renames = #""renames":[{"path":"uno","moved_from":"one"}],"#
        #expect(
            json.text.contains(#""pending":[],"changed":["uno"],"# + renames + #""incoming":"#),
            "\(json.text)")
    }

    @Test("the former name of a folder is no deletion, and what was deleted is counted by itself")
    func folder() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("b/sub", to: "b/new")
        world.remove("b/one")
        let status = try await world.run("status", "b", "-v")
        #expect(
            status.lines.suffix(4) == [
                "3 changed here, 1 of them deleted and 1 renamed, not yet sent:",
                "  new      new", "  renamed  new/two  from sub/two", "  deleted  one",
            ], "\(status.text)")
        let json = try await world.run("status", "b", "--json")
        let changed = #""changed":["new","new/two","one"],"new":["new"],"deleted":["one"],"#
        #expect(json.text.contains(changed), "\(json.text)")
        world.remove("b/new/two")
        let gone = try await world.run("status", "b", "-v")
        #expect(gone.text.contains("  deleted  sub/two"), "\(gone.text)")
        #expect(!gone.text.contains("renamed"), "\(gone.text)")
    }

    @Test("a rename that a run could not send is one pending change, also while another run works")
    func recorded() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        world.rename("b/one", to: "b/uno")
        #expect(try await world.run("sync", "b").code == .away)
        #expect(try await world.run("status", "b", "--short").lines == ["1 pending"])
        let json = try await world.run("status", "b", "--json")
        #expect(json.text.contains(#""pending":["uno"],"changed":["uno"],"#), "\(json.text)")
        try world.write("A run is in progress.\n", to: "b/.filesinki/lock")
        let status = try await world.run("status", "b", "-v")
        #expect(status.lines.last == "  renamed  uno  from one", "\(status.text)")
    }

    @Test("a new path that a run could not send, and that is gone again, is no change")
    func renamedAgain() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        world.rename("b/sub", to: "b/new")
        try world.write("more\n", to: "b/more")
        #expect(try await world.run("sync", "b").code == .away)
        world.rename("b/new", to: "b/newer")
        world.remove("b/more")
        let status = try await world.run("status", "b", "-v")
        #expect(
            status.lines.suffix(3) == [
                "2 changed here, 1 of them renamed, not yet sent:", "  new      newer",
                "  renamed  newer/two  from sub/two",
            ], "\(status.text)")
        let json = try await world.run("status", "b", "--json")
        let changed = #""pending":[],"changed":["newer","newer/two"],"new":["newer"],"renames":"#
        #expect(json.text.contains(changed), "\(json.text)")
    }

    @Test("a deletion that a run could not send is none when the file is back")
    func broughtBack() async throws {
        let world = try await ReplicaTests.pair()
        world.rename("store", to: "gone")
        world.rename("b/one", to: "one")
        world.rename("b/sub", to: "b/new")
        #expect(try await world.run("sync", "b").code == .away)
        world.rename("one", to: "b/one")
        world.rename("b/new", to: "b/sub")
        let status = try await world.run("status", "b", "-v")
        #expect(!status.text.contains("not yet sent"), "\(status.text)")
        let json = try await world.run("status", "b", "--json")
        #expect(json.text.contains(#""pending":[],"changed":[],"incoming":"#), "\(json.text)")
        #expect(try await world.run("ls", "--deleted", "--root", "b").lines.isEmpty)
    }

    @Test("what was renamed over another file or symlink is one change, as for the next run")
    func replacing() async throws {
        let world = try await Self.pair(["x": "from x\n", "y": "what was in y\n"])
        #expect(symlink("one", world.folder + "/a/l") == 0)
        #expect(symlink("sub", world.folder + "/a/m") == 0)
        for replica in ["a", "b"] { try await world.expect("sync \(replica)") }
        world.rename("b/x", to: "b/y")
        world.rename("b/l", to: "b/m")
        let status = try await world.run("status", "b", "-v")
        #expect(
            status.lines.suffix(3) == [
                "2 renamed here, not yet sent:", "  renamed  m  from l", "  renamed  y  from x",
            ], "\(status.text)")
        let json = try await world.run("status", "b", "--json")
        let changed = #""changed":["m","y"],"renames":[{"path":"m","moved_from":"l"},"#
        #expect(json.text.contains(changed), "\(json.text)")
        let plan = try await world.run("sync", "b", "-n")
        #expect(plan.talk.contains("Would rename 2 files."), "\(plan)")
    }

    @Test(
        "what may not be as it was under its former name is changed, and that name deleted",
        arguments: ["x", "z"])
    func replacingOther(_ edited: String) async throws {
        let world = try await Self.pair(["x": "from x\n", "y": "what was in y\n", "z": "z\n"])
        world.rename("b/x", to: "b/y")
        // The other file has the size of the renamed one now.
        let path = edited == "x" ? "b/y" : "b/z"
        try world.write(edited == "x" ? "from x, edited\n" : "from z\n", to: path)
        let status = try await world.run("status", "b", "-v")
        var expected = ["  deleted  x", "  changed  y"]
        if edited == "z" { expected.append("  changed  z") }
        #expect(Array(status.lines.suffix(expected.count)) == expected, "\(status.text)")
        #expect(!status.text.contains("renamed"), "\(status.text)")
    }

    /// Two replicas that have files of these contents.
    private static func pair(_ files: [String: String]) async throws -> World {
        let world = try await ReplicaTests.pair()
        for (name, text) in files { try world.write(text, to: "a/" + name) }
        for replica in ["a", "b"] { try await world.expect("sync \(replica)") }
        return world
    }

    @Test("files of one size and time that swap names are changed, and renamed where one is gone")
    func sameTime() async throws {
        let world = try await ReplicaTests.pair()
        let time = timespec(tv_sec: 1_700_000_000, tv_nsec: 0)
        for name in ["x", "y"] {
            try world.write(name, to: "a/" + name)
            utimensat(AT_FDCWD, world.folder + "/a/" + name, [time, time], 0)
        }
        for replica in ["a", "b"] { #expect(try await world.run("sync", replica).code == .done) }
        func swap() {
            world.rename("b/x", to: "b/z")
            world.rename("b/y", to: "b/x")
            world.rename("b/z", to: "b/y")
        }
        swap()
        let swapped = try await world.run("status", "b", "-v")
        #expect(
            swapped.lines.suffix(3) == [
                "2 changed here, not yet sent:", "  changed  x", "  changed  y",
            ], "\(swapped.text)")
        swap()
        let back = try await world.run("status", "b")
        #expect(back.text.contains("Up to date."), "\(back.text)")
        world.rename("b/x", to: "b/y")
        let replaced = try await world.run("status", "b", "-v")
        #expect(
            replaced.lines.suffix(2) == [
                "1 renamed here, not yet sent:", "  renamed  y  from x",
            ], "\(replaced.text)")
    }
}
