import FilesinkiCommands
import Glibc
import Testing

@Suite("undelete where something else is in the place")
struct UndeleteInPlaceTests {
    @Test(
        "what is below a file that took a folder's place is refused alike, sent or not",
        arguments: [false, true])
    func inPlace(_ isSent: Bool) async throws {
        let world = try await World.withStore()
        for name in ["q/1", "q/2", "kept"] { try world.write("1", to: "a/" + name) }
        for line in [["init", "a", "--remote", "store"], ["sync", "a"]] {
            #expect(try await world.run(bytes: line.map { Array($0.utf8) }).code == .done)
        }
        world.rename("a/q", to: "gone")
        try world.write("file", to: "a/q")
        if isSent { #expect(try await world.run("sync", "a").code == .done) }
        for paths in [["q"], ["q/1"], ["q/1", "q/2"], ["q/*"]] {
            let line = ["undelete", "--root", "a"] + paths
            let outcome = try await world.run(bytes: line.map { Array($0.utf8) })
            #expect(outcome.code == .negative, "\(paths): \(outcome.talk)")
            #expect(outcome.talk.contains("Cannot be restored: "))
            #expect(!outcome.talk.contains("Restored 0"), "\(paths): \(outcome.talk)")
        }
        world.remove("a/kept")
        let some = try await world.run("undelete", "--root", "a", "q/1", "kept")
        #expect(some.code == .partial && some.talk.contains("Restored 1 file."), "\(some.talk)")
    }

    @Test("a symlink that was brought back can be deleted again")
    func symlink() async throws {
        let world = try await World.withStore()
        try world.write("1", to: "a/d/1")
        #expect(Glibc.symlink("1", world.folder + "/a/d/link") == 0)
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        world.rename("a/d", to: "gone")
        try await world.done("undelete", "--root", "a", "d")
        try await world.done("delete", "--root", "a", "-r", "d")
        #expect(!world.names(in: "a").contains("d"))
    }

    @Test("the only path that a pattern has found is named", arguments: [false, true])
    func found(_ isSent: Bool) async throws {
        let world = try await World.withStore()
        for name in ["d/x", "d/y", "z"] { try world.write(name, to: "a/" + name) }
        try await world.done("init", "a", "--remote", "store")
        try await world.done("sync", "a")
        for pattern in ["d/*", "d/x"] {
            world.remove("a/d/x")
            if isSent { try await world.done("sync", "a") }
            let outcome = try await world.run("undelete", "--root", "a", pattern)
            let isNamed = outcome.text.contains("  restored  d/x")
            #expect(isNamed == (pattern == "d/*"), "\(outcome)")
            #expect(outcome.talk.contains("Restored 1 file."), "\(outcome.talk)")
        }
    }

    /// `b` has deleted the folder `d`, which `a` has received, and `c` has written a file of that name since, which it has not.
    private static func fileOfAnotherDevice() async throws -> World {
        let world = try await World.withStore()
        for name in ["d/x y.txt", "kept"] { try world.write(name, to: "a/" + name) }
        try await world.expect("init a --remote store --device a")
        try await world.expect("sync a")
        for name in ["b", "c"] { try await world.expect("clone store \(name) --device \(name)") }
        try await world.expect("rm -q --root b -r d")
        for name in ["a", "c"] { try await world.expect("sync \(name)") }
        try world.write("file2\n", to: "c/d")
        try await world.expect("sync c")
        return world
    }

    @Test(
        "a file that another device wrote in a folder's place is refused alike, received or not",
        arguments: ["", "sync a"])
    func fromElsewhere(_ first: String) async throws {
        let world = try await Self.fileOfAnotherDevice()
        if !first.isEmpty { try await world.expect(first) }
        let root = "--root \(world.folder)/a"
        for options in ["-n ", "-v ", "-v "] {
            let refused = try await world.expect("undelete \(options)--root a d", .negative)
            #expect(
                refused.talk
                    == "filesinki: d: Cannot be restored: a folder was here, and a file is here now. Move that away first "
                    + "with filesinki mv \(root) d NEW, then run filesinki restore \(root) d --commit 1; or write what was here "
                    + "into another folder with filesinki restore \(root) d --commit 1 -o DIR.\n",
                "\(options)")
            #expect(refused.text.isEmpty, "\(options): \(refused.text)")
        }
        try await world.expect("restore --root a d --commit 1 -o out")
        #expect(world.readText("out/d/x y.txt") == "d/x y.txt")
        #expect(world.readText("a/d") == "file2\n")
    }

    @Test("a file that another device has brought back is restored, also where a folder was before")
    func folderBeforeTheFile() async throws {
        let world = try await Self.fileOfAnotherDevice()
        try await world.expect("sync a")
        try await world.expect("rm -q --root a d")
        try await world.expect("sync c")
        try await world.expect("undelete -q --root c d")
        let plan = try await world.expect("undelete -n --root a d")
        #expect(plan.text == "  restore  d\n", "\(plan.text)")
        #expect(plan.talk == "Would restore 1 file.\nNothing was changed.\n", "\(plan.talk)")
        #expect(try await world.expect("undelete --root a d").talk == "Restored 1 file.\n")
        #expect(world.readText("a/d") == "file2\n")
    }

    @Test(
        "the commit that is named has what the folder held when it was deleted",
        arguments: ["rm -q --root a -r q", "sync -q a", ""])
    func commitBefore(_ deletion: String) async throws {
        let world = try await World.withStore()
        for name in ["q/1", "kept"] { try world.write("1", to: "a/" + name) }
        try await world.expect("init a --remote store")
        try await world.expect("sync a")
        try world.write("2", to: "a/q/2")
        try await world.expect("sync a")
        if !deletion.hasPrefix("rm") { world.rename("a/q", to: "gone") }
        if !deletion.isEmpty { try await world.expect(deletion) }
        try world.write("file", to: "a/q")
        let refused = try await world.expect("undelete --root a q", .negative)
        let root = "--root \(world.folder)/a"
        #expect(
            refused.talk
                == "filesinki: q: Cannot be restored: a folder was here, and a file is here now. Move that away first with "
                + "filesinki mv \(root) q NEW, then run filesinki restore \(root) q --commit 2; or write what was here into "
                + "another folder with filesinki restore \(root) q --commit 2 -o DIR.\n")
        try await world.expect("restore --root a q --commit 2 -o out")
        #expect(world.names(in: "out/q") == ["1", "2"])
    }
}
