import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Testing

@testable import FilesinkiEngine

/// The note of what was written and not recorded; see also `MergeOnceTests`.
@Suite struct WrittenVersionsTests {
    private func item(_ path: String, _ version: UInt64) throws -> WrittenVersions.Item {
        let entry = Entry.file(
            ContentHasher.hash(Array(path.utf8)), size: 5, mode: 0o640,
            modified: Timestamp(nanoseconds: -7))
        return .init(
            path: try RelativePath(path), committed: VersionedEntry(entry, version: version))
    }

    @Test func `what is noted is read back in order, and a cut line is skipped`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("written")
        let items = [try item("a", 3), try item("b c\nd", 4)]
        let note = WrittenVersions(path: path)
        for item in items { note.add(item) }
        let bytes = try #require(try StateFile.read(path))
        #expect(WrittenVersions.items(bytes) == items)
        #expect(WrittenVersions.items(Array(bytes.dropLast(10))) == [items[0]])
        // The next run goes on behind the rest of a line.
        try StateFile.replace(path, with: Array(bytes.dropLast(10)))
        WrittenVersions(path: path).add(try item("e", 5))
        let read = try #require(try StateFile.read(path))
        #expect(try WrittenVersions.items(read) == [items[0], item("e", 5)])
    }

    @Test func `a run that records what it has written leaves no note`() async throws {
        let world = try World()
        let (a, b) = try await world.pair(["f": .file("1")])
        try a.write(["f": .file("2")])
        try await a.sync()
        try await b.sync()
        #expect(b.text("f") == "2")
        #expect(try StateFile.names(in: b.root + "/.filesinki").contains("written") == false)
    }
}
