import FilesinkiCommands
import Testing

/// `explain` of what another device has sent, and a rule ignores here.
@Suite("explain of ignored paths that are not here")
struct ExplainIgnoredTests {
    /// The replica `a` ignores `p/` and `*.iso`, and has nothing of what `b` has sent there.
    private func scene() async throws -> World {
        let world = try await ReplicaTests.pair()
        try world.write("p/\n*.iso\n", to: "a/.filesinki/ignore")
        try world.write("by b\n", to: "b/p/new")
        try world.write("by b\n", to: "b/x.iso")
        try await world.expect("sync b")
        try await world.expect("sync a")
        return world
    }

    @Test("it names what prints a file and what receives it", arguments: ["p/new", "x.iso"])
    func file(_ path: String) async throws {
        let world = try await scene()
        let found = try await world.expect("explain --root a \(path)")
        #expect(found.lines.first == "\(path): not synced here, but version 2 is in the store.")
        let root = "--root \(world.folder)/a"
        #expect(
            found.text.contains(
                " To print it, use filesinki show \(root) \(path)@2; to write it here, too, "
                    + "filesinki load \(root) \(path). To receive it, take that line out and "
                    + "run filesinki sync \(root)."), "\(found.text)")
        #expect(!found.text.contains("delete --keep"), "\(found.text)")
        #expect(try await world.expect("show --root a \(path)@2").text == "by b\n")
        #expect(try await world.expect("load --root a \(path)").text == "by b\n")
        let here = try await world.expect("explain --root a \(path)")
        #expect(here.text.contains("keep it here, use filesinki delete"), "\(here.text)")
    }

    @Test("of a folder it names what receives it")
    func folder() async throws {
        let world = try await scene()
        let found = try await world.expect("explain --root a p")
        #expect(
            found.text.contains(", line 1. To receive it, take that line out and run "),
            "\(found.text)")
        #expect(!found.text.contains("filesinki load"), "\(found.text)")
        try world.write("*.iso\n", to: "a/.filesinki/ignore")
        try await world.expect("sync a")
        #expect(world.readText("a/p/new") == "by b\n")
    }

    @Test("of another kind than what is here, it names what prints it, and no deletion")
    func otherKind() async throws {
        let world = try await scene()
        try world.write("here\n", to: "a/x.iso/file")
        try world.write("here\n", to: "a/p")
        try world.write("p\n*.iso\n", to: "a/.filesinki/ignore")
        let root = "--root \(world.folder)/a"
        for (path, told) in [
            (
                "x.iso",
                "The store has a file, and a folder is here. To print that file, use filesinki show \(root) "
                    + "x.iso@2."
            ),
            (
                "p",
                "The store has a folder, and a file is here. To list what is in that folder, use "
                    + "filesinki ls \(root) p."
            ),
        ] {
            let found = try await world.expect("explain --root a \(path)")
            #expect(found.text.contains(told), "\(found.text)")
            #expect(!found.text.contains("keep it here"), "\(found.text)")
        }
        #expect(try await world.expect("show --root a x.iso@2").text == "by b\n")
        #expect(try await world.expect("ls --root a p").text.contains("p/new"))
    }

    @Test("it has one line for a version that was not received, however often a run met it")
    func once() async throws {
        let world = try await scene()
        for _ in 1...2 { try await world.expect("sync a") }
        try world.write("by b, again\n", to: "b/x.iso")
        try await world.expect("sync b")
        for _ in 1...2 { try await world.expect("sync a") }
        let found = try await world.expect("explain --root a x.iso")
        let skipped = found.lines.filter { $0.contains("  skipped") }
        #expect(skipped.count == 2, "\(found.text)")
        for (line, version) in zip(skipped, [3, 2]) {
            let told = "  skipped version \(version): ignored here: not received"
            #expect(line.hasSuffix(told), "\(line)")
        }
    }

    @Test("a path whose rule has ended in the run is said to come with the next one")
    func endedRule() async throws {
        let world = try await ReplicaTests.pair()
        try world.write("*.env\n", to: "a/.filesinkiignore")
        for replica in ["a", "b"] { try await world.expect("sync \(replica)") }
        world.remove("a/.filesinkiignore")
        try world.write("1\n", to: "a/x.env")
        try await world.expect("sync a")
        let run = try await world.expect("sync b")
        let line = run.lines.first { $0.hasPrefix("  skipped ") && $0.contains(" x.env ") }
        #expect(
            line?.hasSuffix("  not ignored any more: comes with the next run") == true,
            "\(run.text)")
        #expect(try await world.expect("sync b").text.contains("received"))
        #expect(world.readText("b/x.env") == "1\n")
    }
}
