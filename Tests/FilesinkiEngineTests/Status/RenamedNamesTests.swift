import FilesinkiManifest
import FilesinkiModel
import Testing

@testable import FilesinkiEngine

/// Which names of the store's deletions are the old ones of renamed files.
@Suite struct RenamedNamesTests {
    private func path(_ text: String) -> RelativePath { RelativePath(unchecked: Array(text.utf8)) }

    private func file(_ name: String, _ version: UInt64) throws -> TombstoneRow {
        let content = try #require(ContentID([UInt8](repeating: 7, count: 32)))
        return TombstoneRow(path: path(name), version: version, contents: [content])
    }

    private func folder(_ name: String, _ version: UInt64) -> TombstoneRow {
        TombstoneRow(path: path(name), version: version, contents: [.none])
    }

    private func others(
        _ rows: [TombstoneRow], _ renames: [String: UInt64]
    ) -> [String] {
        RenamedNames(renames.map { (path($0.key), $0.value) }).others(of: rows)
            .map(\.path.description).sorted()
    }

    @Test func `a name counts as renamed by the commit that removed it`() throws {
        let rows = try [file("a", 5), file("b", 5), file("c", 5), file("p", 0)]
        #expect(others(rows, ["a": 5, "b": 4, "p": 0]) == ["b", "c", "p"])
    }

    @Test func `a folder was renamed with what was in it`() throws {
        let rows = try [folder("d", 5), folder("d/e", 5), file("d/e/f", 5), folder("x", 5)]
        #expect(others(rows, ["d/e/f": 5]) == ["x"])
    }

    @Test func `a folder in which something was deleted, or which was deleted later, is listed`()
        throws
    {
        let rows = try [folder("d", 5), file("d/f", 5), file("d/g", 4)]
        #expect(others(rows, ["d/f": 5]) == ["d", "d/g"])
        let later = try [folder("d", 6), file("d/f", 5)]
        #expect(others(later, ["d/f": 5]) == ["d"])
    }
}
