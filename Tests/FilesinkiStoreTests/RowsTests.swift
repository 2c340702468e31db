import FilesinkiModel
import Testing

@testable import FilesinkiStore

/// The columns of commits and checkpoints.
@Suite("rows in columns")
struct RowsTests {
    private static let paths = ["abc", "abd", "b"].map { Array($0.utf8) }

    @Test(
        "Paths are read within a limit for all of them, each counted as a whole",
        arguments: [(7, 0), (8, 1), (1000, 993)])
    func pathLimit(limit: Int, rest: Int) {
        var left = limit
        let column = PathColumn.encode(Self.paths)
        #expect(column.shared == [0, 2, 0])
        #expect(column.rest == [3, 1, 1])
        #expect(PathColumn.decode(column, count: 3, limit: &left) == Self.paths)
        #expect(left == rest)
    }

    @Test("Paths beyond the limit are not read", arguments: 0..<7)
    func pathsBeyondLimit(limit: Int) {
        var left = limit
        #expect(PathColumn.decode(PathColumn.encode(Self.paths), count: 3, limit: &left) == nil)
        #expect(left >= 0)
    }

    @Test(
        "Rows are read up to their maximum number", arguments: [(2, false), (3, true), (4, true)])
    func maximumCount(maximum: Int, isRead: Bool) {
        let columns = RowsEncoder.encode(
            Self.paths.map { Row(path: $0, entry: .tombstone, version: 1) })
        var limit = 100
        let decoder = RowsDecoder(columns, maximumCount: maximum, pathLimit: &limit)
        #expect(decoder?.count == (isRead ? 3 : nil))
    }
}
