import FilesinkiCommands
import Glibc
import Testing

/// `undelete` of what was in a folder whose place something else has.
@Suite("undelete below what is no folder any more")
struct TakenFolderTests {
    /// A replica where `p/d/x` and `p/y` were deleted with `p`, and `p` is a symlink.
    private static func world(isSent: Bool = true) async throws -> World {
        let world = try await World.withStore()
        for name in ["p/d/x", "p/y", "kept"] { try world.write(name, to: "a/" + name) }
        for line in ["init a --remote store", "sync a"] { try await world.expect(line) }
        world.rename("a/p", to: "gone")
        if isSent { try await world.expect("sync a") }
        symlink("kept", world.folder + "/a/p")
        if isSent { try await world.expect("sync a") }
        return world
    }

    @Test(
        "of a folder the printed step writes what was in it, of a file the step prints it",
        arguments: [["p/d"], ["p/d", "p/y"]], [true, false])
    func steps(_ paths: [String], _ isSent: Bool) async throws {
        let world = try await Self.world(isSent: isSent)
        let root = "--root \(world.folder)/a"
        let move = "p is a symlink now. Move that away first with filesinki mv \(root) p NEW, or "
        for dry in [["-n"], []] {
            // A plan without a failure of the command itself has problems only.
            let code: ExitCode = isSent || dry.isEmpty ? .negative : .partial
            let folder = try await world.expect(["undelete", "--root", "a"] + paths + dry, code)
            let write = "write what was here into another folder with filesinki restore"
            let told = "p/d: Cannot be restored: \(move)\(write) \(root) p/d --commit 1 -o DIR."
            #expect(folder.talk.contains(told), "\(folder.talk)")
            let file = try await world.expect(["undelete", "--root", "a", "p/y"] + dry, code)
            let show = "print what was here with filesinki show \(root) p/y@1."
            #expect(file.talk.contains("p/y: Cannot be restored: \(move)\(show)"), "\(file.talk)")
        }
        try await world.expect("restore --root a p/d --commit 1 -o out")
        #expect(world.readText("out/p/d/x") == "p/d/x")
        #expect(try await world.expect("show --root a p/y@1").text == "p/y")
    }

    @Test(
        "restore prints the step of a folder, for a commit need not be a version of a file",
        arguments: ["p/d", "p/y"])
    func restored(_ path: String) async throws {
        let world = try await Self.world()
        let outcome = try await world.expect("restore --root a \(path)@1", .negative)
        #expect(outcome.talk.contains("/a \(path) --commit 1 -o DIR."), "\(outcome.talk)")
        try await world.expect("restore --root a \(path) --commit 1 -o out")
    }

    @Test(
        "what never had a version below a symlink is like any other unknown path",
        arguments: ["undelete --root a link/x", "undelete --root a link/x link/y"], ["", " -n"])
    func neverStored(_ line: String, _ option: String) async throws {
        let world = try await World.withStore()
        try world.write("1", to: "a/kept/x")
        symlink("kept", world.folder + "/a/link")
        for line in ["init a --remote store", "sync a"] { try await world.expect(line) }
        let outcome = try await world.expect(line + option, .negative)
        let told = "link/x: No deleted file with this name was found."
        #expect(outcome.talk.contains(told), "\(outcome.talk)")
        #expect(!outcome.talk.contains("filesinki show"), "\(outcome.talk)")
        #expect(!outcome.talk.contains("Cannot be restored"), "\(outcome.talk)")
    }
}
