import FilesinkiEngine
import FilesinkiModel
import FilesinkiSQLite
import FilesinkiText

/// Reads the present tree, and what is gone from it, in pages whose cost depends on their length.
struct TreePages {
    let database: IndexDatabase

    init(_ database: IndexDatabase) { self.database = database }

    /// The entries of a folder behind a path, in the order of paths. Folders have the sums of the files below them.
    ///
    /// - Parameter folder: Empty for the root.
    func entries(of folder: [UInt8], after: [UInt8]?, limit: Int) throws(Failure) -> [JSONObject] {
        let rows = try database.rows(
            """
            SELECT entry.path, kind, size, modified, entry.sequence, folder.files, folder.bytes
            FROM entry LEFT JOIN folder ON folder.path = entry.path
            WHERE entry.folder = ? AND entry.path > ? ORDER BY entry.path LIMIT ?
            """, [.blob(folder), .blob(after ?? []), .integer(Int64(limit))])
        return rows.map { row in
            var object: JSONObject = ["type": "entry"]
            object.add("path", bytes: row.bytes(0))
            row.describe(kind: 1, size: 2, modified: 3, in: &object)
            object.add("version", row.number(4))
            guard row.kind(1) == .directory else { return object }
            object.add("files", row.number(5))
            object.add("bytes", row.number(6))
            return object
        }
    }

    /// What takes most of a folder: the largest files and folders in it.
    func largest(in folder: [UInt8], limit: Int) throws(Failure) -> [JSONObject] {
        let count = SQLiteValue.integer(Int64(limit))
        let folders = try database.rows(
            """
            SELECT path, files, bytes, 1 FROM folder
            WHERE parent = ? AND bytes > 0 ORDER BY bytes DESC LIMIT ?
            """, [.blob(folder), count])
        let files = try database.rows(
            """
            SELECT path, 1, size, 0 FROM entry
            WHERE folder = ? AND kind = 1 AND size > 0 ORDER BY size DESC LIMIT ?
            """, [.blob(folder), count])
        let rows = (folders + files).sorted { $0.number(2) > $1.number(2) }
        return rows.prefix(limit).map { row in
            var object: JSONObject = ["type": "usage"]
            object.add("path", bytes: row.bytes(0))
            object.add("kind", row.number(3) == 1 ? "directory" : "file")
            object.add("files", row.number(1))
            object.add("bytes", row.number(2))
            return object
        }
    }

    /// Deleted files, the last deletion first.
    ///
    /// - Parameter before: The deletion and the path behind which the page begins; nil for the first page.
    func deleted(
        before: (sequence: UInt64, path: [UInt8])?, limit: Int
    ) throws(Failure) -> [JSONObject] {
        let rows = try database.rows(
            """
            SELECT path, deleted.sequence, last, size, commits.time, name
            FROM deleted JOIN commits ON commits.sequence = deleted.sequence
                JOIN device ON device.id = commits.device
            WHERE (deleted.sequence, path) < (?, ?) ORDER BY deleted.sequence DESC, path DESC LIMIT ?
            """,
            [
                .integer(Int64(clamping: before?.sequence ?? .max)), .blob(before?.path ?? []),
                .integer(Int64(limit)),
            ])
        return rows.map { row in
            var object: JSONObject = ["type": "deleted"]
            object.add("path", bytes: row.bytes(0))
            object.add("sequence", row.number(1))
            object.add("version", row.number(2))
            object.add("size", row.number(3))
            object.add("time", Timestamp(nanoseconds: row.number(4)))
            object.add("device", row.text(5))
            return object
        }
    }

    /// The devices that have published, the last one first.
    func devices(limit: Int) throws(Failure) -> [JSONObject] {
        let rows = try database.rows(
            """
            SELECT identity, name, sequence, time, commits, stored FROM device
            ORDER BY sequence DESC LIMIT ?
            """, [.integer(Int64(limit))])
        let names = Device.names(of: rows.map { Device(id: $0.bytes(0), name: $0.text(1)) })
        return rows.map { row in
            var object: JSONObject = ["type": "device"]
            object.add("device", names[row.bytes(0)] ?? row.text(1))
            object.add("device_id", hexadecimal(row.bytes(0)))
            object.add("sequence", row.number(2))
            object.add("time", Timestamp(nanoseconds: row.number(3)))
            object.add("commits", row.number(4))
            object.add("stored_bytes", row.number(5))
            return object
        }
    }

    /// The store in numbers.
    func summary() throws(Failure) -> JSONObject {
        let root = try database.rows("SELECT files, bytes FROM folder WHERE path = x''").first
        var object: JSONObject = ["type": "store"]
        object.add("commits", try database.number("sequence"))
        object.add("files", root?.number(0) ?? 0)
        object.add("bytes", root?.number(1) ?? 0)
        object.add("versions", try database.number("versions"))
        object.add("stored_bytes", try database.number("stored"))
        return object
    }

    /// What each of the last days with commits has added and freed, the oldest first.
    func growth(limit: Int) throws(Failure) -> JSONObject {
        let rows = try database.rows(
            "SELECT day, commits, stored, freed FROM growth ORDER BY day DESC LIMIT ?",
            [.integer(Int64(limit))])
        let days: [JSONValue] = rows.reversed().map { row in
            var day: JSONObject = [:]
            day.add("day", StoreGrowth.text(ofDay: row.number(0)))
            day.add("commits", row.number(1))
            day.add("stored_bytes", row.number(2))
            day.add("freed_bytes", row.number(3))
            return .object(day)
        }
        var object: JSONObject = ["type": "growth"]
        object.add("stored_bytes", try database.number("stored"))
        object.add("days", .array(days))
        return object
    }
}
