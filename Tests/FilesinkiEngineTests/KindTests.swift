import FilesinkiEngine
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@Suite("Kinds, names and attributes")
struct KindTests {
    @Test("every kind of entry is synced exactly")
    func kinds() async throws {
        let world = try World()
        let odd = TreeFixture.Name([0x66, 0xFF, 0x0A, 0xFE])
        let time = Timestamp(seconds: 981_173_106, nanoseconds: 123_456_789)
        let early = Timestamp(seconds: -5, nanoseconds: 1)
        var tree: TreeFixture = [
            "f": .file("x", mode: 0o640, modified: time), "x": .file("run", mode: 0o755),
            "before 1970": .file("old", modified: early), "none": .file("", mode: 0o400),
            "empty": .directory(), "closed": .directory(["in": .file("y")], mode: 0o700),
            "l": .symlink("f"), "dangling": .symlink("../../nowhere"), "loop": .symlink("loop"),
            "e\u{301}": .file("NFD"), "\u{e9}": .file("NFC"),
        ]
        tree[odd] = .file("odd name")
        tree[TreeFixture.Name([UInt8](repeating: 0x61, count: 255))] = .file("long name")
        let (a, b) = try await world.pair(tree)
        #expect(try b.tree(times: true) == a.tree(times: true))
        #expect(try b.tree()[odd] == .file("odd name"))
        try await world.converge()
    }

    @Test("a folder that may not be written to arrives with all that is in it")
    func readOnlyFolder() async throws {
        let world = try World()
        let tree: TreeFixture = [
            "d": .directory(
                ["f": .file("x"), "s": .directory(["g": .file("y")], mode: 0o500)],
                mode: 0o555)
        ]
        let (a, b) = try await world.pair(tree)
        #expect(try b.tree() == tree)
        // A folder that takes the place of a file, too.
        try a.write(["e": .file("file")])
        try await world.converge()
        a.remove("e")
        try a.write(["e": .directory(["f": .file("z")], mode: 0o550)])
        try await world.converge()
        #expect(try b.tree()["e"] == .directory(["f": .file("z")], mode: 0o550))
    }

    @Test("mode and content changed on different sides are both applied", arguments: [true, false])
    func modeAndContent(_ modeFirst: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        a.setMode("f", 0o755)
        try b.write(["f": .file("edited")])
        try await (modeFirst ? a : b).sync()
        try await (modeFirst ? b : a).sync()
        try await world.converge()
        #expect(try a.tree() == ["f": .file("edited", mode: 0o755)])
    }

    @Test("of two modes the committed one is kept")
    func twoModes() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        a.setMode("f", 0o755)
        b.setMode("f", 0o600)
        try await a.sync()
        try await b.sync()
        try await world.converge()
        #expect(try b.tree() == ["f": .file("base", mode: 0o755)])
    }

    @Test("two different times only: no conflict, the later one")
    func twoTimes() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("base")])
        let late = Timestamp(seconds: 1_800_000_000, nanoseconds: 7)
        try a.write(["f": .file("base", modified: late)])
        try b.write(["f": .file("base", modified: Timestamp(seconds: 9, nanoseconds: 9))])
        try await a.sync()
        let report = try await b.sync()
        #expect(report.copies.isEmpty)
        try await world.converge()
        #expect(try b.tree(times: true) == ["f": .file("base", modified: late)])
    }

    @Test(
        "a file and a directory of one name: the directory keeps the name",
        arguments: [true, false])
    func fileAndDirectory(_ fileFirst: Bool) async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        try a.write(["n": .file("a file")])
        try b.write(["n": .directory(["in": .file("inside")])])
        try await (fileFirst ? a : b).sync()
        try await (fileFirst ? b : a).sync()
        try await world.converge()
        let tree = try a.tree()
        #expect(tree["n"] == .directory(["in": .file("inside")]))
        let others = tree.nodes.filter { $0.key != "n" && $0.key != "k" }
        #expect(others.values.map { $0 } == [.file("a file")])
    }

    @Test(
        "a kind changed on one side is applied on the other",
        arguments: ["file", "directory", "symlink"], ["file", "directory", "symlink"])
    func change(_ old: String, _ new: String) async throws {
        let kinds: [String: TreeFixture.Node] = [
            "file": .file("content"), "directory": .directory(["in": .file("y")]),
            "symlink": .symlink("k"),
        ]
        guard old != new, let before = kinds[old], let after = kinds[new] else { return }
        let world = try World()
        let (a, b) = try await world.pair(["n": before, "k": .file("keep")])
        a.remove("n")
        try a.write(["n": after])
        try await world.converge()
        #expect(try b.tree() == ["n": after, "k": .file("keep")])
    }

    @Test("two symlinks with different targets: one keeps the name, the other is a copy")
    func symlinks() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["l": .symlink("base"), "k": .file("keep")])
        a.remove("l")
        b.remove("l")
        try a.write(["l": .symlink("of a")])
        try b.write(["l": .symlink("of b")])
        try await a.sync()
        try await b.sync()
        try await world.converge()
        let tree = try a.tree()
        #expect(tree["l"] == .symlink("of a"))
        #expect(tree.nodes.values.contains(.symlink("of b")))
        #expect(tree.nodes.count == 3)
    }

    @Test("a symlink to a folder is a link: nothing is written through it")
    func throughLink() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["d": .directory(["f": .file("x")]), "k": .file("keep")])
        // Here the folder becomes a link to the outside, there it gets another file.
        let outside = world.folder.path("outside")
        try TreeFixture(["canary": .file("safe")]).write(to: outside)
        b.remove("d")
        try b.write(["d": .symlink(outside)])
        try a.write(["d": .directory(["new": .file("y"), "f": .file("edited")])])
        try await a.sync()
        try await b.sync()
        try await b.sync()
        #expect(try TreeFixture.read(outside) == ["canary": .file("safe")])
        try await world.converge()
        #expect(try TreeFixture.read(outside) == ["canary": .file("safe")])
        #expect(a.text("d/new") == "y")
        #expect(a.text("d/f") == "edited")
    }

    @Test("FIFOs are reported once in a run and skipped, without a failure")
    func special() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["k": .file("keep")])
        try a.write(["fifo": .special])
        let report = try await a.sync()
        #expect(report.notices.map(\.path.description) == ["fifo"])
        #expect(report.problems.isEmpty)
        try await b.sync()
        #expect(try b.names == ["k"])
    }

    @Test("an edit with the same size and a restored time is detected")
    func stealth() async throws {
        let world = try World()
        let time = Timestamp(seconds: 1_600_000_000, nanoseconds: 5)
        let (a, b) = try await world.pair(["f": .file("one", modified: time)])
        try a.write(["f": .file("two", modified: time)])
        try await world.converge()
        #expect(b.text("f") == "two")
    }

    @Test("an empty folder's mode is synced, and so is its deletion")
    func folders() async throws {
        let world = try World()
        let (a, b) = try await world.pair([
            "d": .directory(), "e": .directory(), "k": .file("keep"),
        ])
        a.setMode("d", 0o700)
        a.remove("e")
        try await world.converge()
        #expect(try b.tree() == ["d": .directory(mode: 0o700), "k": .file("keep")])
    }
}
