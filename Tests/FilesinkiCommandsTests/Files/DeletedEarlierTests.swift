import FilesinkiCommands
import Testing

/// `undelete` of a folder in which something had been deleted before it was deleted.
@Suite("undelete of a folder and what was deleted in it earlier")
struct DeletedEarlierTests {
    @Test(
        "what stays deleted is counted, with the command that brings it back",
        arguments: [["docs"], ["docs", "other"]], [true, false])
    func counted(_ paths: [String], _ isSent: Bool) async throws {
        for count in 1...2 {
            let world = try await World.withStore()
            for name in ["docs/a", "docs/b", "docs/c", "other", "kept"] {
                try world.write(name, to: "a/" + name)
            }
            for line in ["init a --remote store", "sync a"] { try await world.expect(line) }
            let earlier = ["docs/a", "docs/b"].prefix(count)
            try await world.expect("rm --root a " + earlier.joined(separator: " "))
            // Another commit in between: the deletions are not of one series.
            try world.write("edited", to: "a/kept")
            try await world.expect("sync a")
            if isSent {
                try await world.expect("rm --root a -r docs other")
            } else {
                world.rename("a/docs", to: "gone")
                world.remove("a/other")
            }
            let what =
                count == 1
                ? "docs/a was deleted in it earlier, and stays deleted."
                : "docs/a and 1 more were deleted in it earlier, and stay deleted."
            let back = "filesinki undelete --root \(world.folder)/a 'docs/*'"
            let told = "docs: \(what) To bring that back, too, run \(back).\n"
            let files = 2 + paths.count - count
            let number = files == 1 ? "1 file" : "\(files) files"
            let line = "undelete --root a " + paths.joined(separator: " ")
            let plan = try await world.expect(line + " -n")
            #expect(plan.talk == told + "Would restore \(number).\nNothing was changed.\n")
            let made = try await world.expect(line)
            #expect(made.talk == told + "Restored \(number).\n")
            try await world.expect("undelete --root a docs/*")
            #expect(world.names(in: "a/docs") == ["a", "b", "c"])
        }
    }

    @Test("what the same command brings back is listed, and not said to stay deleted")
    func broughtBackWithIt() async throws {
        let world = try await World.withStore()
        for name in ["docs/a", "docs/b", "docs/c", "kept"] {
            try world.write(name, to: "a/" + name)
        }
        for line in ["init a --remote store", "sync a", "rm --root a docs/a"] {
            try await world.expect(line)
        }
        try world.write("edited", to: "a/kept")
        try await world.expect("sync a")
        // Of the folder no commit tells yet, and of what was in it the last one but one.
        world.rename("a/docs", to: "gone")
        let plan = try await world.expect("undelete --root a * -n")
        #expect(plan.talk == "Would restore 3 files.\nNothing was changed.\n")
        let made = try await world.expect("undelete --root a *")
        #expect(made.talk == "Restored 3 files.\n")
        #expect(made.text.contains("  restored  docs/a\n"))
        #expect(world.names(in: "a/docs") == ["a", "b", "c"])
    }
}
