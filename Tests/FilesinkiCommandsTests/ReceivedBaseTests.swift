import FilesinkiCommands
import FilesinkiTesting
import Testing

/// Device `b` finds the conflict with `a`; `c` has written neither version.
@Suite("The base of a conflict on a device that did not find it")
struct ReceivedBaseTests {
    private func world(base: String? = "1\nbase\n3\n") async throws -> World {
        let world = try await World.withStore()
        try world.write("other\n", to: "a/other")
        if let base { try world.write(base, to: "a/f.txt") }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        // The version in place is not the first one after the base.
        for text in ["1\nearly\n3\n", "1\nby a\n3\n"] {
            try world.write(text, to: "a/f.txt")
            try await world.done("sync", "a")
        }
        try world.write("1\nby b\n3\n", to: "b/f.txt")
        #expect(try await world.run("sync", "b").code == .conflict)
        for name in ["a", "c"] { _ = try await world.run("sync", name) }
        return world
    }

    @Test("it is shown, compared with, taken and merged with", arguments: ["a", "c"])
    func known(_ device: String) async throws {
        let world = try await world()
        let list = try await world.run("conflicts", "--root", device).text
        #expect(list.contains("base 9 B"), "\(list)")
        let shown = try await world.run("show", "--root", device, "f.txt", "--conflict", "base")
        #expect(shown.text == "1\nbase\n3\n", "\(shown)")
        let diff = try await world.run("diff", "--root", device, "--conflict", "f.txt").text
        #expect(diff.contains("--- f.txt base\n"), "\(diff)")
        let tool = #"cat "$BASE" > "$MERGED"; echo tool >> "$MERGED""#
        try await world.done("resolve", "--root", device, "f.txt", "--tool", tool)
        #expect(world.readText("\(device)/f.txt") == "1\nbase\n3\ntool\n")
        _ = try await world.run("resolve", "--root", device, "--undo", "f.txt")
        try await world.done("resolve", "--root", device, "f.txt", "--take", "base")
        #expect(world.readText("\(device)/f.txt") == "1\nbase\n3\n")
    }

    @Test("it is nothing only where the path was new on both sides")
    func nothing() async throws {
        let world = try await World.withStore()
        try world.write("other\n", to: "a/other")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        try await world.done("clone", "store", "b", "--device", "b")
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        let list = try await world.run("conflicts", "--root", "a").text
        #expect(list.contains("base nothing"), "\(list)")
    }

    @Test(
        "it is nothing also after an undo, whichever device does that",
        arguments: ["a", "b", "c"], ["here", "there"])
    func nothingAfterUndo(_ device: String, _ side: String) async throws {
        let world = try await newWorld()
        try await world.done("resolve", "--root", "b", "f.txt", "--take", side)
        _ = try await world.run("sync", device)
        _ = try await world.run("resolve", "--root", device, "--undo", "f.txt")
        for name in ["a", "b", "c"] {
            _ = try await world.run("sync", name)
            let list = try await world.run("conflicts", "--root", name).text
            #expect(list.contains("base nothing"), "\(name): \(list)")
        }
    }

    @Test("it is nothing also after an edit of the file in place")
    func nothingAfterEdit() async throws {
        let world = try await newWorld()
        try world.write("edited\n", to: "c/f.txt")
        for name in ["c", "a"] { _ = try await world.run("sync", name) }
        let list = try await world.run("conflicts", "--root", "a").text
        #expect(list.contains("base nothing"), "\(list)")
    }

    /// Devices `a` and `b` have created the file.
    private func newWorld() async throws -> World {
        let world = try await World.withStore()
        try world.write("other\n", to: "a/other")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for name in ["a", "b"] { try world.write("by \(name)\n", to: "\(name)/f.txt") }
        for name in ["a", "b", "a", "c"] { _ = try await world.run("sync", name) }
        return world
    }

    @Test("it is the folder whose place a file took")
    func folder() async throws {
        let world = try await World.withStore()
        try world.write("k\n", to: "a/e/k")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        world.rename("b/e", to: "gone")
        try world.write("file\n", to: "b/e")
        try world.write("k2\n", to: "a/e/k")
        for name in ["a", "b", "a", "c"] { _ = try await world.run("sync", name) }
        for name in ["a", "b", "c"] {
            let list = try await world.run("conflicts", "--root", name).text
            #expect(list.contains("    base folder    "), "\(name): \(list)")
        }
    }

    @Test(
        "it is known after an undo, too, and whose version is whose", arguments: ["here", "there"])
    func undone(_ side: String) async throws {
        let world = try await world()
        try await world.done("resolve", "--root", "b", "f.txt", "--take", side)
        _ = try await world.run("resolve", "--root", "b", "f.txt", "--undo")
        for name in ["a", "c"] {
            _ = try await world.run("sync", name)
            let list = try await world.run("conflicts", "--root", name).text
            #expect(list.contains("base 9 B"), "\(list)")
            #expect(list.contains(name == "a" ? "--take here|there" : "--take b|a"), "\(list)")
        }
    }

    @Test(
        "it is known after the files were deleted and brought back, too",
        arguments: [["d"], ["d/f.txt", "COPY"], ["COPY"]])
    func broughtBack(_ paths: [String]) async throws {
        let world = try await World.withStore()
        for name in ["f.txt", "g.txt"] { try world.write("1\nbase\n3\n", to: "a/d/\(name)") }
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        for device in ["a", "b"] {
            for name in ["f.txt", "g.txt"] {
                try world.write("1\nby \(device)\n3\n", to: "\(device)/d/\(name)")
            }
        }
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        let copy = try #require(world.names(in: "a/d").first { $0.hasPrefix("f (conflict b") })
        let named = paths.map { $0 == "COPY" ? "d/\(copy)" : $0 }
        _ = try await world.run(
            bytes: (["delete", "-r", "--root", "a"] + named).map { Array($0.utf8) })
        #expect(!world.names(in: "a").contains("d") || !world.names(in: "a/d").contains(copy))
        let back = try await world.run(
            bytes: (["undelete", "--root", "a"] + named).map { Array($0.utf8) })
        #expect(world.names(in: "a/d").contains(copy), "\(back.talk)")
        #expect(!back.talk.contains("d: the other content"), "\(back.talk)")
        _ = try await world.run("sync", "c")
        for device in ["a", "c"] {
            let list = try await world.run("conflicts", "--root", device).text
            #expect(list.contains("d/f.txt   "), "\(device): \(list)")
            #expect(list.contains("base 9 B"), "\(device): \(list)")
            #expect(!list.contains("base unknown"), "\(device): \(list)")
        }
    }

    @Test("it is known after an undo that renames the file to the copy, as a folder gets its name")
    func undoneBesideFolder() async throws {
        let world = try await World.withStore()
        try world.write("base\n", to: "a/d/f")
        try await world.done("init", "a", "--remote", "store", "--device", "a")
        try await world.done("sync", "a")
        for name in ["b", "c"] { try await world.done("clone", "store", name, "--device", name) }
        world.remove("a/d/f")
        try world.write("x\n", to: "a/d/f/sub")
        try world.write("base\nby b\n", to: "b/d/f")
        for name in ["a", "b", "a"] { _ = try await world.run("sync", name) }
        try await world.done("resolve", "--root", "b", "d/f", "--take", "here")
        #expect(world.readText("b/d/f") == "base\nby b\n")
        _ = try await world.run("resolve", "--root", "b", "--undo", "d/f")
        for device in ["a", "c"] {
            _ = try await world.run("sync", device)
            let list = try await world.run("conflicts", "--root", device).text
            #expect(list.contains("base 5 B"), "\(device): \(list)")
        }
        try await world.done("resolve", "--root", "c", "d/f", "--take", "base")
        #expect(world.readText("c/d/f") == "base\n")
    }

    @Test("without the store it is unknown, and the conflict is listed nevertheless")
    func away() async throws {
        let world = try await world()
        world.rename("store", to: "gone")
        let list = try await world.run("conflicts", "--root", "a")
        #expect(list.code == .conflict)
        #expect(list.text.contains("base unknown here"), "\(list)")
        let json = try await world.run("conflicts", "--root", "a", "--json").text
        #expect(json.contains(#""base_unknown":true"#) && !json.contains(#""base":"#), "\(json)")
    }
}
