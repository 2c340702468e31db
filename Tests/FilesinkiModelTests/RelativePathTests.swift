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
}
