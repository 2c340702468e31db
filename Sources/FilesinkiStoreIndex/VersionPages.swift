import FilesinkiModel
import FilesinkiSQLite
import FilesinkiText

/// Reads commits and versions from the index, in pages whose cost depends on their length.
struct VersionPages {
    let database: IndexDatabase

    init(_ database: IndexDatabase) { self.database = database }

    /// Commits before a number, newest first, as `log --json` prints them.
    func commits(before: UInt64?, limit: Int) throws(Failure) -> [JSONObject] {
        let rows = try rows(
            """
            SELECT commits.sequence, commits.time, name, identity, operation, added, modified, deleted, renamed,
                superseded, paths
            FROM (SELECT * FROM commits WHERE sequence < ? ORDER BY sequence DESC LIMIT ?) AS commits
                JOIN device ON device.id = commits.device
            ORDER BY commits.sequence DESC
            """, [.integer(Int64(clamping: before ?? .max)), .integer(Int64(limit))])
        return rows.map { row in
            var object: JSONObject = ["type": "commit"]
            object.add("sequence", row.number(0))
            object.add("time", Timestamp(nanoseconds: row.number(1)))
            object.add("device", row.text(2))
            object.add("device_id", hexadecimal(row.bytes(3)))
            object.add("operation", row.text(4))
            for (index, name) in Self.counts.enumerated() {
                object.add(name, row.number(5 + index))
            }
            object.add("paths", .written(row.bytes(10)))
            return object
        }
    }

    private static let counts = ["added", "modified", "deleted", "renamed", "superseded"]

    /// The changes of a commit behind a path, in the order of paths.
    func changes(of sequence: UInt64, after: [UInt8]?, limit: Int) throws(Failure) -> [JSONObject] {
        try versions(
            "version.sequence = ? AND path > ? ORDER BY path, version.superseded LIMIT ?",
            [
                .integer(Int64(clamping: sequence)), .blob(after ?? []), .integer(Int64(limit)),
            ])
    }

    /// The versions of a path before a commit, newest first, as `log --json PATH` prints them.
    func versions(of path: [UInt8], before: UInt64?, limit: Int) throws(Failure) -> [JSONObject] {
        try versions(
            """
            path = ? AND version.sequence < ?
            ORDER BY version.sequence DESC, version.superseded LIMIT ?
            """,
            [.blob(path), .integer(Int64(clamping: before ?? .max)), .integer(Int64(limit))])
    }

    private func versions(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(Failure) -> [JSONObject] {
        let rows = try rows(
            """
            SELECT path, version.sequence, commits.time, name, version.superseded, kind, size,
                version.modified, content, target, based_on, moved_from, reason
            FROM version JOIN commits ON commits.sequence = version.sequence
                JOIN device ON device.id = commits.device
            WHERE \(condition)
            """, values)
        return rows.map { row in
            var object: JSONObject = ["type": "version"]
            object.add("path", bytes: row.bytes(0))
            object.add("version", row.number(1))
            object.add("time", Timestamp(nanoseconds: row.number(2)))
            object.add("device", row.text(3))
            object.add("superseded", row.number(4) != 0)
            row.describe(kind: 5, size: 6, modified: 7, in: &object)
            if row.kind(5) == .file { object.add("content", hexadecimal(row.bytes(8))) }
            if row.kind(5) == .symlink { object.add("target", bytes: row.bytes(9)) }
            object.add("based_on", row.number(10))
            if !row.isNull(11) { object.add("moved_from", bytes: row.bytes(11)) }
            object.add("reason", row.text(12).isEmpty ? nil : row.text(12))
            return object
        }
    }

    /// The file that a version of a path is; nil for a folder, a link or no version.
    func file(
        _ path: RelativePath, _ version: UInt64
    ) throws(Failure) -> (content: ContentID, size: Int64)? {
        // A commit may have both a version of the tree and one that lost against it.
        let row = try rows(
            """
            SELECT content, size FROM version WHERE path = ? AND sequence = ? AND kind = 1
            ORDER BY superseded LIMIT 1
            """, [.blob(path.bytes), .integer(Int64(clamping: version))]
        ).first
        guard let row, let content = ContentID(row.bytes(0)) else { return nil }
        return (content, row.number(1))
    }

    private func rows(_ sql: String, _ values: [SQLiteValue]) throws(Failure) -> [IndexRow] {
        try database.rows(sql, values)
    }
}
