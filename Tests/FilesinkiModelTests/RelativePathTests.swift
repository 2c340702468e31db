import FilesinkiModel
import Testing

@Suite struct RelativePathTests {
    @Test(
        "accepts every path below a root",
        arguments: [
            "a", "a/b", "...", "a b/c\n", ".filesinkiignore", ".filesinki.toml", "x/.filesinkis",
        ])
    func takes(_ text: String) throws {
        #expect(try RelativePath(text).bytes == Array(text.utf8))
    }

    @Test(
        "refuses every other path",
        arguments: [
            "", "/", "/etc/x", "../x", "a/../x", "a//b", "./a", ".", "..", "a/", "a\0b",
            ".filesinki", ".filesinki/x", ".FILESINKI/x", ".filesinki ", ".filesinki./x",
            "x/.filesinki", "x/.FileSinki/config.toml",
            ".filesınki/x", ".file\u{200B}sinki", String(repeating: "n", count: 256),
            String(repeating: "abc/", count: 1024) + "d",
        ])
    func refuses(_ text: String) {
        #expect(throws: Failure.self) { try RelativePath(text) }
    }

    @Test func `keeps bytes that are not UTF-8`() throws {
        let path = try RelativePath([0x66, 0xFF, 0x2F, 0x80])
        #expect(path.bytes == [0x66, 0xFF, 0x2F, 0x80])
        #expect(path.description == "f\\xff/\\x80")
    }

    @Test func `contains the paths inside it`() throws {
        let folder = try RelativePath("a")
        #expect(try RelativePath("a/b").isInside(folder))
        #expect(try !RelativePath("ab").isInside(folder))
        #expect(try !RelativePath("a").isInside(folder))
        #expect(
            try RelativePath("a/b/c").moved(from: folder, to: RelativePath("x/y"))
                == RelativePath("x/y/b/c"))
        #expect(try RelativePath("ab").moved(from: folder, to: RelativePath("x")) == nil)
        #expect(try RelativePath("a/b/c").ancestors.map(\.description) == ["a/b", "a"])
    }

    private static func path(_ text: String) -> RelativePath {
        RelativePath(unchecked: Array(text.utf8))
    }

    @Test(
        "has a name, a folder, and names from the root on",
        arguments: [
            ("a", "a", nil, ["a"], []), ("a/b", "b", "a", ["a", "b"], ["a"]),
            ("a/b/c.d", "c.d", "a/b", ["a", "b", "c.d"], ["a/b", "a"]),
        ] as [(String, String, String?, [String], [String])])
    func parts(
        _ text: String, _ name: String, _ parent: String?, _ names: [String],
        _ ancestors: [String]
    ) {
        let path = Self.path(text)
        #expect(String(decoding: path.name, as: UTF8.self) == name)
        #expect(path.parent?.description == parent)
        #expect(path.names.map { String(decoding: $0, as: UTF8.self) } == names)
        #expect(path.ancestors.map(\.description) == ancestors)
        #expect(parent.map { Self.path($0).appending(Array(name.utf8)) } ?? path == path)
    }

    @Test(
        "is at or inside a set of paths by whole names",
        arguments: [
            ("a", ["a"], true), ("a/b", ["a"], true), ("a/b/c", ["a/b", "x"], true),
            ("ab", ["a"], false), ("a", ["a/b"], false), ("a", [], false), ("b/a", ["a"], false),
        ] as [(String, [String], Bool)])
    func within(_ text: String, _ paths: [String], _ isInside: Bool) {
        #expect(Self.path(text).isAtOrInside(Set(paths.map(Self.path))) == isInside)
    }

    @Test(
        "moves with its folder",
        arguments: [
            ("a", "a", "b", "b"), ("a/x", "a", "b/c", "b/c/x"), ("a/x/y", "a/x", "z", "z/y"),
            ("b/x", "a", "c", nil), ("a", "a/x", "c", nil), ("ab/x", "a", "c", nil),
        ] as [(String, String, String, String?)])
    func moves(_ text: String, _ old: String, _ new: String, _ moved: String?) {
        let found = Self.path(text).moved(from: Self.path(old), to: Self.path(new))
        #expect(found?.description == moved)
    }

    @Test func `paths are ordered by their bytes`() {
        let ordered = ["B", "a", "a-", "a/b", "a0", "b", "é"].map(Self.path)
        #expect(ordered.reversed().sorted() == ordered)
        #expect(!(ordered[1] < ordered[1]))
    }

    @Test(
        "says why it refuses a path",
        arguments: [
            ("", "The path is empty."), ("/a", "The path is absolute."),
            ("a//b", "The path has an empty name in it."),
            ("a/../b", "The path has . or .. in it."), ("a\0", "The path holds a NUL byte."),
            (String(repeating: "n", count: 256), "A name in the path is longer than 255 bytes."),
            (
                String(repeating: "abc/", count: 1024) + "d",
                "The path is longer than 4096 bytes."
            ),
            (
                "a/.filesinki/b",
                "The path leads into .filesinki, where a replica keeps its own state."
            ),
        ])
    func reasons(_ text: String, _ reason: String) {
        let failure = #expect(throws: Failure.self) { try RelativePath(text) }
        #expect(failure?.code == .badPath)
        #expect(failure?.message == reason)
        #expect(failure?.path == Array(text.utf8))
        #expect(failure?.remedy == "Use a path below the root, such as notes/a.txt.")
    }

    @Test func `takes a name and a path of exactly the longest length`() throws {
        let name = String(repeating: "n", count: 255)
        #expect(try RelativePath(name).bytes.count == 255)
        let path = Array(repeating: name, count: 16).joined(separator: "/")
        #expect(try RelativePath(path).bytes.count == 4095)
        #expect(try RelativePath(path.dropLast() + "/x").bytes.count == 4096)
    }

    @Test(
        "knows each spelling of the state folder that some file system takes for it",
        arguments: [
            (".filesinki", true), (".FileSinki", true), (".filesinki. .", true),
            (".filesınki", true), (".fİlesinki", true), (".fileſinki", true),
            (".filesin\u{212A}i", true), (".file\u{FEFF}sinki", true),
            (".\u{200C}filesinki", true), (".filesinki\u{206F}", true),
            (".filesink", false), ("filesinki.", false), (".filesinkis", false),
            (".files\u{301}inki", false), ("..filesinki", false), (" .filesinki", false),
            ("", false),
        ])
    func stateFolder(_ name: String, _ isOne: Bool) {
        #expect(RelativePath.isStateFolder(Array(name.utf8)) == isOne)
    }
}
