import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiFileSystem

/// An inode number alone does not say that a file was renamed.
@Suite("Whether a path has the inode of a former one")
struct BirthTimeTests {
    @Test("a renamed file is it, also edited")
    func renamed() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let root = try RootFolder(path: folder.path)
        try (["old": .file("text"), "other": .file("text")] as TreeFixture).write(to: folder.path)
        let before = try #require(try root.status(RelativePath("old")))
        #expect(rename(folder.path("old"), folder.path("new")) == 0)
        #expect(try root.has("new", before.stamp))
        let file = try #require(fopen(folder.path("new"), "a"))
        fputs(" and more", file)
        fclose(file)
        #expect(try root.has("new", before.stamp))
        #expect(try !root.has("other", before.stamp))
    }

    @Test("a file that was made after the stamp is another one, with the number of a deleted one")
    func reused() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let root = try RootFolder(path: folder.path)
        try (["new": .file("text")] as TreeFixture).write(to: folder.path)
        var stamp = try #require(try root.status(RelativePath("new"))).stamp
        stamp.size += 1
        #expect(try root.has("new", stamp))
        stamp.changed = Timestamp(nanoseconds: stamp.changed.nanoseconds - 1_000_000_000)
        #expect(try !root.has("new", stamp))
    }

    @Test("a file may be made by the time of its stamp, and not before")
    func made() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let root = try RootFolder(path: folder.path)
        try (["new": .file("text")] as TreeFixture).write(to: folder.path)
        let path = try RelativePath("new")
        let changed = try #require(try root.status(path)).stamp.changed
        #expect(root.mayBeMade(path, by: changed))
        let before = Timestamp(nanoseconds: changed.nanoseconds - 1_000_000_000)
        #expect(!root.mayBeMade(path, by: before))
    }
}

extension RootFolder {
    fileprivate func has(_ path: String, _ stamp: FileStamp) throws -> Bool {
        let path = try RelativePath(path)
        let status = try #require(try status(path))
        return isSameFile(path, status, as: stamp, named: Array("old".utf8)[...])
    }
}
