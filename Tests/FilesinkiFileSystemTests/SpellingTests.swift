import FilesinkiModel
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// How it is found out whether a folder takes two spellings for one name. `FileSystemTests` has folders
/// that do so.
@Suite struct SpellingTests {
    @Test(
        "E2.3 a folder is asked for a name with another spelling",
        arguments: [
            ("readme", "README"), ("README", "readme"), ("Ab1", "AB1"), ("\u{E9}", "\u{C9}"),
            ("2023", nil), ("\u{65E5}\u{672C}", nil),
        ])
    func respelling(_ name: String, _ other: String?) {
        #expect(respelled(Array(name.utf8)) == other.map { Array($0.utf8) })
    }

    @Test(
        "E2.3 two names of one folder may be one name to a file system",
        arguments: [
            ("a", "A", true), ("d/a", "d/A", true), ("d/\u{E9}", "d/e\u{301}", true),
            ("a", "a", true), ("a", "b", false), ("d/a", "D/a", false), ("d/a", "e/A", false),
            ("a", "d/A", false),
        ])
    func spellings(_ one: String, _ other: String, _ isOne: Bool) throws {
        #expect(try RelativePath(one).isSpelling(of: RelativePath(other)) == isOne)
        #expect(try RelativePath(other).isSpelling(of: RelativePath(one)) == isOne)
    }

    @Test("E2.3 bytes that are not text have one spelling")
    func bytes() { #expect(respelled([0xFF, 0x41]) == nil) }

    @Test("E2.3 two hard links whose names differ in case only are two files")
    func hardLinks() throws {
        let tree = try TemporaryTree()
        try tree.makeFolder("d")
        try tree.write("content", to: "d/name")
        #expect(link(tree.absolute("d/name"), tree.absolute("d/NAME")) == 0)
        for name in ["d/name", "d/NAME"] {
            let path = try RelativePath(name)
            #expect(try tree.root.twin(of: path) == nil)
            #expect(try tree.root.foldsNames(above: path) == false)
            #expect(try tree.root.status(path)?.kind == .file)
        }
    }

    @Test("E2.3 a missing name has no twin", arguments: ["d/name", "d", "f/name"])
    func absent(_ name: String) throws {
        let tree = try TemporaryTree()
        try tree.write("content", to: "f")
        #expect(try tree.root.twin(of: RelativePath(name)) == nil)
    }

    @Test("E2.3 a name behind a symlink has no twin", arguments: ["l/name", "l/e/name"])
    func behindSymlink(_ name: String) throws {
        let tree = try TemporaryTree()
        try tree.makeFolder("d")
        try tree.link("d", at: "l")
        #expect(try tree.root.twin(of: RelativePath(name)) == nil)
        #expect(try tree.root.foldsNames(above: RelativePath(name)) == false)
    }
}
