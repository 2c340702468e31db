import FilesinkiCommands
import Glibc
import Testing

/// `diff --commit` without a path: what a commit changed.
@Suite struct CommitDiffTests {
    /// Commit 1 adds `one` and `sub/two`; 2 edits, deletes and adds; 3 renames one and changes the mode of another; 4
    /// makes a folder.
    private func world() async throws -> World {
        let world = try World()
        try await world.makeStore("store")
        try world.write("1\n", to: "a/one")
        chmod(world.folder + "/a/one", 0o644)
        try world.write("a longer text, so that a rename is found\n", to: "a/sub/two")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try world.write("1\n2\n", to: "a/one")
        try world.write("3\n", to: "a/three")
        try world.write([0, 1], to: "a/zero")
        world.remove("a/sub/two")
        try await world.done("sync", "a")
        world.rename("a/three", to: "a/four")
        chmod(world.folder + "/a/one", 0o755)
        try await world.done("sync", "a")
        try world.makeFolder("a/empty")
        try await world.done("sync", "a")
        return world
    }

    @Test func `the differences of a commit are those to the commit before it, of all paths`()
        async throws
    {
        let world = try await world()
        let second = try await world.run("diff", "--root", "a", "--commit", "2")
        #expect(second.code == .negative)
        #expect(
            second.lines == [
                "--- one@1", "+++ one@2", "@@ -1 +1,2 @@", " 1", "+2",
                "--- sub/two@1", "+++ /dev/null", "@@ -1 +0,0 @@",
                "-a longer text, so that a rename is found",
                "--- /dev/null", "+++ three@2", "@@ -0,0 +1 @@", "+3",
                "/dev/null and zero@2 differ",
            ], "\(second)")
        let stat = try await world.run("diff", "--root", "a", "--commit", "2", "--stat")
        #expect(stat.lines.first?.hasPrefix("one@2") == true, "\(stat.text)")
        #expect(stat.lines.dropFirst().first?.hasPrefix("sub/two@1") == true, "\(stat.text)")
        #expect(stat.lines.last?.hasSuffix("binary") == true, "\(stat.text)")
    }

    @Test func `what has the same content is told in words`() async throws {
        let world = try await world()
        let third = try await world.run("diff", "--root", "a", "--commit", "3")
        #expect(third.code == .negative)
        #expect(
            third.lines == ["four@3: renamed from three", "one@3: mode 644 -> 755"], "\(third)")
        let json = try await world.run("diff", "--root", "a", "--commit", "3", "--json")
        #expect(
            json.lines.first
                == #"{"type":"difference","path":"four","old":"three@2","new":"four@3","#
                + #""diff":"four@3: renamed from three\n"}"#)
    }

    @Test("a rename names what it has replaced, and files that swap names replace nothing")
    func replaced() async throws {
        let world = try await world()
        try world.write("another text\n", to: "a/five")
        try await world.done("sync", "a")
        world.remove("a/one")
        world.rename("a/four", to: "a/one")
        try await world.done("sync", "a")
        let sixth = try await world.run("diff", "--root", "a", "--commit", "6")
        #expect(sixth.lines == ["one@6: renamed from four, in place of one@3"], "\(sixth)")
        world.rename("a/one", to: "a/between")
        world.rename("a/five", to: "a/one")
        world.rename("a/between", to: "a/five")
        try await world.done("sync", "a")
        let seventh = try await world.run("diff", "--root", "a", "--commit", "7")
        #expect(
            seventh.lines == ["five@7: renamed from one", "one@7: renamed from five"], "\(seventh)")
    }

    @Test("an edit and another device's mode of the file are a merge")
    func mergedMode() async throws {
        let world = try await world()
        try await world.done("clone", "store", "b", "--device", "b")
        chmod(world.folder + "/a/one", 0o700)
        try await world.done("sync", "a")
        try world.write("1\n2\n3\n", to: "b/one")
        let run = try await world.run("sync", "b")
        #expect(
            run.text + run.talk
                == "  received  merged     one  edited here, mode changed there\nMerged 1 file.\n",
            "\(run)")
        let after = try await world.run("sync", "a")
        #expect(after.text.hasPrefix("  received  edited     one  6 B"), "\(after)")
    }

    @Test func `a mode that changed alone is told by diff, log and explain`() async throws {
        let world = try await world()
        let versions = try await world.run("diff", "--root", "a", "one", "2", "3")
        #expect(versions.code == .negative)
        #expect(versions.lines == ["one@3: mode 644 -> 755"], "\(versions)")
        for command in ["log", "explain"] {
            let told = try await world.run(command, "--root", "a", "one").lines
            let changed = told.filter { $0.hasSuffix("  4 B  mode 644 -> 755") }
            #expect(changed.count == 1, "\(told)")
            #expect(told.count { $0.contains("->") } == 1, "\(told)")
        }
        #expect(try await world.run("diff", "--root", "a", "one").code == .done)
        chmod(world.folder + "/a/one", 0o700)
        let here = try await world.run("diff", "--root", "a", "one")
        #expect(here.code == .negative)
        #expect(here.lines == ["one: mode 755 -> 700"], "\(here)")
        let json = try await world.run("diff", "--root", "a", "one", "--json")
        #expect(
            json.lines == [
                #"{"type":"difference","path":"one","old":"one@3","new":"one","#
                    + #""diff":"one: mode 755 -> 700\n"}"#
            ], "\(json)")
    }

    @Test func `a time that changed alone is told of sent versions`() async throws {
        let world = try await world()
        let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        utimensat(AT_FDCWD, world.folder + "/a/one", times, 0)
        let unsent = try await world.run("diff", "--root", "a", "one")
        #expect(unsent.code == .done && unsent.lines.isEmpty, "\(unsent)")
        try await world.done("sync", "a")
        for arguments in [["one", "3", "5"], ["--commit", "5"]] {
            let line = ["diff", "--root", "a"] + arguments
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .negative)
            #expect(outcome.lines == ["one@5: only the time differs"], "\(outcome)")
        }
        let log = try await world.run("log", "--root", "a", "one").lines
        #expect(log.first?.hasSuffix("  4 B  only the time differs") == true, "\(log)")
    }

    @Test func `the first commit has no parent, and one without contents no difference`()
        async throws
    {
        let world = try await world()
        let first = try await world.run("diff", "--root", "a", "--commit", "1")
        #expect(first.lines.prefix(4) == ["--- /dev/null", "+++ one@1", "@@ -0,0 +1 @@", "+1"])
        let last = try await world.run("diff", "--root", "a", "--commit", "4")
        #expect(last.code == .done && last.output.isEmpty, "\(last)")
        let told = "Commit 4 changed no content in place; filesinki log"
        #expect(last.talk.hasPrefix(told), "\(last.talk)")
    }

    @Test(
        "without a path, a commit of the store is needed",
        arguments: [
            (
                ["--commit", "5"], ExitCode.negative,
                "Commit 5 was not found. The last commit is 4."
            ),
            (["--commit", "0"], .negative, "Commit 0 was not found. The last commit is 4."),
            (["--at", "today"], .usage, "Missing expected argument '<path>'"),
            ([], .usage, "and with --commit N shows what a commit changed"),
            (["--commit", "2", "--conflict"], .usage, "Missing expected argument '<path>'"),
        ])
    func refused(_ options: [String], _ code: ExitCode, _ words: String) async throws {
        let world = try await world()
        let line = ["diff", "--root", "a"] + options
        let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
        #expect(outcome.code == code)
        #expect(outcome.talk.contains(words), "\(outcome.talk)")
    }
}
