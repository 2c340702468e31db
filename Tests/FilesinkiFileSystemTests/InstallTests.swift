import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import Glibc
import Testing

@testable import FilesinkiFileSystem

@Suite struct InstallTests {
    let tree: TemporaryTree

    init() throws { tree = try TemporaryTree() }

    @Test func `a new file has its content, mode and time, and no other file is left`() throws {
        let outcome = try tree.writer.install(
            tree.staged("new", mode: 0o640, modified: 1_234_567_890_123_456_789),
            at: RelativePath("a"), expecting: .absent)
        guard case .done(let status) = outcome else { throw SystemError(EEXIST) }
        #expect(status.mode == 0o640)
        #expect(status.stamp.modified.nanoseconds == 1_234_567_890_123_456_789)
        #expect(try status.stamp == tree.stamp("a"))
        #expect(try tree.read("a") == "new")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `setuid, setgid and sticky bits are never installed`() throws {
        let outcome = try tree.writer.install(
            tree.staged("x", mode: 0o4755), at: RelativePath("a"), expecting: .absent)
        #expect(try tree.root.status(RelativePath("a"))?.mode == 0o755)
        var record = stat()
        #expect(stat(tree.absolute("a"), &record) == 0 && record.st_mode & 0o7000 == 0)
        #expect(outcome != .surprised)
    }

    @Test func `an existing file is not replaced when none was expected`() throws {
        try tree.write("theirs", to: "a")
        let outcome = try tree.writer.install(
            tree.staged("ours"), at: RelativePath("a"), expecting: .absent)
        #expect(outcome == .surprised)
        #expect(try tree.read("a") == "theirs")
        #expect(try tree.leftovers().isEmpty)
    }

    enum Seen: String, CaseIterable { case stamp, content, any }

    @Test("replaces the expected file", arguments: Seen.allCases)
    func replaces(_ seen: Seen) throws {
        try tree.write("old", to: "a")
        let outcome = try tree.writer.install(
            tree.staged("new"), at: RelativePath("a"), expecting: try expectation(seen, "old"))
        #expect(outcome != .surprised)
        #expect(try tree.read("a") == "new")
        #expect(try tree.leftovers().isEmpty)
    }

    /// What SQLite keeps beside a database is looked for beside every file: `NAME-wal` and `NAME-journal`.
    @Test("names without room for a suffix are replaced and removed", arguments: 247...255)
    func longNames(_ length: Int) throws {
        let name = String(repeating: "x", count: length)
        try tree.write("old", to: name)
        let outcome = try tree.writer.install(
            tree.staged("new"), at: RelativePath(name), expecting: .stamp(tree.stamp(name)))
        #expect(outcome != .surprised)
        #expect(try tree.read(name) == "new")
        let seen = try tree.root.status(RelativePath(name))?.stamp
        let removed = try tree.writer.remove(
            RelativePath(name), expecting: .stamp(#require(seen)))
        #expect(removed != .surprised)
        #expect(try tree.names().isEmpty)
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("keeps an unexpected file", arguments: [Seen.stamp, .content])
    func keeps(_ seen: Seen) throws {
        try tree.write("old", to: "a")
        let expected = try expectation(seen, "old")
        try tree.save("sly", to: "a")
        let outcome = try tree.writer.install(
            tree.staged("new"), at: RelativePath("a"), expecting: expected)
        #expect(outcome == .surprised)
        #expect(try tree.read("a") == "sly")
        #expect(try tree.names() == ["a"])
        #expect(try tree.leftovers().isEmpty)
    }

    @Test func `an edit in place with the old time is detected by its change time`() throws {
        try tree.write("old", to: "a")
        let before = try tree.stamp("a")
        try tree.write("sly", to: "a")
        let times = [before.modified.timespec, before.modified.timespec]
        #expect(utimensat(AT_FDCWD, tree.absolute("a"), times, 0) == 0)
        let outcome = try tree.writer.install(
            tree.staged("new"), at: RelativePath("a"), expecting: .stamp(before))
        #expect(outcome == .surprised)
        #expect(try tree.read("a") == "sly")
    }

    @Test func `a directory is never replaced`() throws {
        try tree.makeFolder("a")
        for expected in [Expected.any, .absent, .stamp(try tree.stamp("a"))] {
            let outcome = try tree.writer.install(
                tree.staged("new"), at: RelativePath("a"), expecting: expected)
            #expect(outcome == .surprised)
        }
        #expect(try tree.names("a").isEmpty)
    }

    @Test func `a symlink replaces a file, and a file a symlink`() throws {
        try tree.write("old", to: "a")
        let link = try tree.writer.makeSymlink(
            target: Array("b\n".utf8), at: RelativePath("a"),
            modified: Timestamp(nanoseconds: 5), expecting: .stamp(tree.stamp("a")))
        #expect(link != .surprised)
        #expect(try tree.root.readLink(RelativePath("a")) == Array("b\n".utf8))
        #expect(try tree.stamp("a").modified.nanoseconds == 5)
        let file = try tree.writer.install(
            tree.staged("new"), at: RelativePath("a"), expecting: .link(Array("b\n".utf8)))
        #expect(file != .surprised)
        #expect(try tree.read("a") == "new")
        #expect(try tree.leftovers().isEmpty)
    }

    @Test("the staging folder is a folder", arguments: ["file", "link", "none/below"])
    func staging(_ name: String) throws {
        try tree.write("x", to: "file")
        try tree.makeFolder("d")
        try tree.link("d", at: "link")
        #expect(throws: Failure.self) {
            _ = try Staging(root: tree.root, folder: tree.absolute(name))
        }
    }

    @Test func `a file that is not installed leaves nothing`() throws {
        _ = try tree.staged("unused")
        #expect(try tree.leftovers().isEmpty)
    }

    private func expectation(_ seen: Seen, _ text: String) throws -> Expected {
        switch seen {
        case .stamp: .stamp(try tree.stamp("a"))
        case .content:
            .content(ContentHasher.hash(Array(text.utf8)), size: Int64(text.utf8.count))
        case .any: .any
        }
    }
}
