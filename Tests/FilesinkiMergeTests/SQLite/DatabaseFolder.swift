import CSQLite
import FilesinkiMerge
import FilesinkiModel
import Glibc
import Testing

/// A temporary folder of databases, removed at the end.
final class DatabaseFolder {
    let path: String
    private var count = 0

    init() {
        var template = Array("/tmp/filesinki-merge-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nowhere"
        }
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// What is in the folder.
    var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func freePath() -> String {
        count += 1
        return "\(path)/\(count).db"
    }

    /// A new database that the SQL makes, or a changed copy of another.
    func database(_ sql: String, from other: String? = nil) -> String {
        let made = freePath()
        if let other { write(bytes(of: other), to: made) }
        query(made, sql)
        return made
    }

    func write(_ bytes: [UInt8], to path: String) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(file) }
        #expect(Glibc.write(file, bytes, bytes.count) == bytes.count)
    }

    func bytes(of path: String) -> [UInt8] {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var status = stat()
        fstat(file, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let got = read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, got)))
    }

    /// Runs SQL; the rows, their columns joined by `|`.
    @discardableResult
    func query(_ path: String, _ sql: String) -> [String] {
        var handle: OpaquePointer?
        #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close_v2(handle) }
        let rows = Rows()
        var message: UnsafeMutablePointer<CChar>?
        sqlite3_exec(
            handle, sql,
            { context, count, values, _ in
                guard let context, let values else { return 0 }
                let cells = (0..<Int(count)).map {
                    values[$0].map { String(cString: $0) } ?? "NULL"
                }
                Unmanaged<Rows>.fromOpaque(context).takeUnretainedValue()
                    .all.append(cells.joined(separator: "|"))
                return 0
            }, Unmanaged.passUnretained(rows).toOpaque(), &message)
        if let message {
            Issue.record("\(sql): \(String(cString: message))")
            sqlite3_free(message)
        }
        return rows.all
    }

    /// All that the database says: its schema, its numbers and its rows, sorted.
    func dump(_ path: String) -> [String] {
        var all = query(
            path,
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_autoindex%'")
        all += query(path, "PRAGMA user_version") + query(path, "PRAGMA application_id")
        for table in query(path, "SELECT name FROM sqlite_schema WHERE type = 'table'").sorted() {
            let columns = query(path, "SELECT name FROM pragma_table_xinfo('\(table)')")
            let cells = columns.map { "quote(\"\($0)\")" }.joined(separator: ", ")
            all += query(path, "SELECT \(cells) FROM \"\(table)\"").map { "\(table): \($0)" }
                .sorted()
        }
        return all
    }
}

private final class Rows {
    var all: [String] = []
}

/// One merge and its mirror image.
struct MergeTrial {
    let folder = DatabaseFolder()
    var settings = MergeSettings()
    var oursModified = Timestamp(nanoseconds: 1)
    var theirsModified = Timestamp(nanoseconds: 1)

    /// Merges what two edits make of a base.
    func merge(base: String, ours: String, theirs: String) throws -> Answer {
        let known = folder.database(base)
        return try merge(
            known, folder.database(ours, from: known), folder.database(theirs, from: known))
    }

    /// Merges files; both ways must come to the same bytes or the same reasons.
    func merge(_ base: String?, _ ours: String, _ theirs: String) throws -> Answer {
        let (result, mirrored) = (folder.freePath(), folder.freePath())
        let outcome = try SQLiteMerge(
            settings: settings, oursModified: oursModified, theirsModified: theirsModified
        ).merge(base: base, ours: ours, theirs: theirs, into: result)
        var turned = settings
        if settings.fieldChoice == .ours { turned.fieldChoice = .theirs }
        if settings.fieldChoice == .theirs { turned.fieldChoice = .ours }
        let mirror = try SQLiteMerge(
            settings: turned, oursModified: theirsModified, theirsModified: oursModified
        ).merge(base: base, ours: theirs, theirs: ours, into: mirrored)
        #expect(outcome == Self.turned(mirror))
        let isSame = folder.bytes(of: result) == folder.bytes(of: mirrored)
        #expect(isSame, "The mirrored merge makes other bytes.")
        guard case .declined(let conflicts) = outcome else {
            #expect(folder.query(result, "PRAGMA integrity_check") == ["ok"])
            #expect(folder.query(result, "PRAGMA foreign_key_check").isEmpty)
            return Answer(path: result, conflicts: [])
        }
        #expect(!folder.names.contains { "\(folder.path)/\($0)" == result })
        return Answer(path: nil, conflicts: conflicts.map(\.description))
    }

    /// The outcome with what is ours and what is theirs exchanged.
    private static func turned(_ outcome: FileMergeOutcome) -> FileMergeOutcome {
        guard case .declined(let conflicts) = outcome else { return outcome }
        return .declined(
            conflicts.map { conflict in
                guard var cell = conflict.cell else { return conflict }
                swap(&cell.ours, &cell.theirs)
                return MergeConflict(conflict.place, conflict.reason, cell: cell)
            })
    }

    struct Answer {
        /// The result; nil when declined.
        var path: String?
        var conflicts: [String]
    }

    /// The rows of a query over the result, or the reasons for having none.
    func rows(_ query: String, _ answer: Answer) -> [String] {
        answer.path.map { folder.query($0, query) } ?? answer.conflicts
    }
}
