import FilesinkiModel
import FilesinkiSQLite
import FilesinkiSystem
import Glibc

/// One merge of two databases, from the choice of the skeleton to the check of the result.
struct DatabaseMerge {
    let sides: SQLiteMerge.Sides
    /// The path to create.
    let result: String
    let rules: SQLiteMerge

    /// Creates the result.
    func merge() throws(SQLiteMergeError) {
        let isSkeletonOurs = try SkeletonChoice(sides: sides, size: size).isOurs()
        let (skeleton, other) =
            isSkeletonOurs ? (sides.ours, sides.theirs) : (sides.theirs, sides.ours)
        // The skeleton's own damage shows in the result, which is checked as a whole.
        for content in [sides.base, other].compactMap(\.self) { try checkWhole(content) }
        let mode = try copy(skeleton)
        rules.trace?.add("", isSkeletonOurs ? .ours : .theirs, .copied)
        try apply(other, CellRules(rules, isSkeletonOurs: isSkeletonOurs))
        try setMode(mode)
    }

    private var size: Int {
        [sides.base?.size ?? 0, sides.ours.size, sides.theirs.size].reduce(0) {
            let (sum, isTooLarge) = $0.addingReportingOverflow($1)
            return isTooLarge ? Int.max : sum
        }
    }

    private func checkWhole(_ content: FileContent) throws(SQLiteMergeError) {
        try MergeConnection(content.path, .merging(isWritable: false, size)).checkStructure()
    }

    private func apply(_ other: FileContent, _ cells: CellRules) throws(SQLiteMergeError) {
        let connection = try MergeConnection(result, .merging(isWritable: true, size))
        if let base = sides.base { try connection.attach(base.path, as: "base") }
        try connection.attach(other.path, as: "other")
        try connection.transaction { () throws(SQLiteMergeError) in
            let conflicts = ConflictList()
            let schemas = try SchemaTriple(hasBase: sides.base != nil, on: connection)
            if let trace = rules.trace, trace.isComparison {
                try DeclarationChanges(schemas, cells, trace).note(on: connection)
            }
            for table in schemas.other.tables {
                try TableMerge(table, schemas, connection, cells, conflicts)?.merge()
            }
            try HeaderMerge(schemas: schemas, connection: connection, conflicts: conflicts).merge()
            try conflicts.throwIfAny()
        }
        // The result of a comparison is not kept.
        if rules.trace?.isComparison == true { return }
        try connection.checkIntegrity("The merged content would be damaged")
        try connection.checkForeignKeys()
    }

    /// The bytes of the header that say whether the file keeps a write-ahead log (fileformat2.html,
    /// section 1.3.3).
    private static let journalModeOffset = 18

    /// Makes the result a copy of the skeleton that needs no log beside it.
    ///
    /// - Returns: The bytes that the skeleton had there.
    private func copy(_ skeleton: FileContent) throws(SQLiteMergeError) -> [UInt8] {
        do {
            try skeleton.copy(to: result)
            let mode = try skeleton.bytes(at: Self.journalModeOffset, count: 2)
            try write([1, 1])
            return mode
        } catch {
            throw .failed(error)
        }
    }

    /// Restores the skeleton's journal mode in the result.
    private func setMode(_ mode: [UInt8]) throws(SQLiteMergeError) {
        do {
            try write(mode)
        } catch {
            throw .failed(error)
        }
    }

    private func write(_ mode: [UInt8]) throws(Failure) {
        try NamedFile(result, O_WRONLY, of: .own).write(mode, at: Int64(Self.journalModeOffset))
    }
}

/// The schemas as the merging connection sees them: `main` is the skeleton.
struct SchemaTriple {
    let base: SQLiteSchema?
    let skeleton: SQLiteSchema
    let other: SQLiteSchema

    init(hasBase: Bool, on connection: MergeConnection) throws(SQLiteMergeError) {
        base = hasBase ? try SQLiteSchema(of: "base", on: connection) : nil
        skeleton = try SQLiteSchema(of: "main", on: connection)
        other = try SQLiteSchema(of: "other", on: connection)
    }
}

/// The merge of what is neither schema nor row: the application's numbers and the counters of
/// AUTOINCREMENT.
struct HeaderMerge {
    let schemas: SchemaTriple
    let connection: MergeConnection
    let conflicts: ConflictList

    func merge() throws(SQLiteMergeError) {
        try merge("user_version", \.userVersion)
        try merge("application_id", \.applicationID)
        guard schemas.skeleton.hasSequence, schemas.other.hasSequence else { return }
        // A number that either side ever gave is not given again.
        try connection.execute(
            """
            UPDATE main.sqlite_sequence AS m SET seq = o.seq FROM other.sqlite_sequence AS o
            WHERE o.name = m.name AND o.seq > m.seq;
            INSERT INTO main.sqlite_sequence(name, seq)
            SELECT name, seq FROM other.sqlite_sequence
            WHERE name NOT IN (SELECT name FROM main.sqlite_sequence)
                AND name IN (SELECT name FROM main.sqlite_schema WHERE type = 'table');
            """)
    }

    private func merge(_ name: String, _ number: KeyPath<SQLiteSchema, Int64>)
        throws(SQLiteMergeError)
    {
        let (mine, theirs) = (schemas.skeleton[keyPath: number], schemas.other[keyPath: number])
        let known = schemas.base?[keyPath: number]
        if theirs == mine || theirs == known { return }
        guard mine == known else {
            return try conflicts.add(name, "It is \(mine) on one side and \(theirs) on the other.")
        }
        try connection.execute("PRAGMA main.\(name) = \(theirs)")
    }
}

/// The conflicts of one merge, up to a number that a person can read.
final class ConflictList {
    private var conflicts: [MergeConflict] = []

    private static let limit = 20

    /// Adds a conflict, and ends the merge when there are enough.
    func add(
        _ place: String, _ reason: String, cell: MergeCell? = nil
    ) throws(SQLiteMergeError) {
        conflicts.append(MergeConflict(place, reason, cell: cell))
        if conflicts.count >= Self.limit { throw .declined(conflicts) }
    }

    var isEmpty: Bool { conflicts.isEmpty }

    /// - Throws: `declined` when there are conflicts.
    func throwIfAny() throws(SQLiteMergeError) {
        if !conflicts.isEmpty { throw .declined(conflicts) }
    }
}

/// Why a merge of databases stops before its end.
enum SQLiteMergeError: Error {
    /// The contents cannot be merged without a guess, or are not sound.
    case declined([MergeConflict])
    /// The disk or the memory refused.
    case failed(Failure)

    static func declined(_ place: String, _ reason: String) -> SQLiteMergeError {
        .declined([MergeConflict(place, reason)])
    }

    /// What an error of SQLite means here. The files are from outside: what SQLite says about their
    /// bytes, their schema or their rows declines; what it says about the disk or the memory fails.
    init(_ error: SQLiteError) {
        switch error.kind {
        case .full:
            self = .failed(
                Failure(
                    .full, path: error.path,
                    "No space left to merge the database: \(error.text).",
                    remedy: "Make room and run again."))
        case .noMemory, .readOnly, .cannotOpen, .busy, .io:
            self = .failed(
                Failure(
                    .io, path: error.path, "Cannot merge the database: \(error.text).",
                    remedy: "Check the disk and the permissions of its folder, and run again."))
        case .interrupted:
            self = .declined("", "The merge would take too long.")
        // A file that ends too early is the fault of its writer.
        case .corrupt, .mismatch, .tooLarge, .shortRead, .transactionEnded, .other:
            self = .declined("", "SQLite refuses: \(error.text).")
        }
    }

    /// The same error, with the place of the row that was being written.
    func at(_ place: String) -> SQLiteMergeError {
        guard case .declined(let conflicts) = self else { return self }
        return .declined(
            conflicts.map { $0.place.isEmpty ? MergeConflict(place, $0.reason) : $0 })
    }
}

/// A connection to copies of contents, which are not trusted.
typealias MergeConnection = Connection<SQLiteMergeError>
/// A statement of a ``MergeConnection``.
typealias MergeStatement = Statement<SQLiteMergeError>

extension Profile where Thrown == SQLiteMergeError {
    /// - Parameter size: The bytes of all databases of the merge.
    static func merging(isWritable: Bool, _ size: Int) -> Profile {
        .untrusted(
            isWritable: isWritable, contentSize: size, convert: { SQLiteMergeError($0) })
    }
}

extension MergeConnection {
    /// Declines a database whose pages are damaged. Indices are not compared with their tables, which
    /// would take several times as long; see ``checkIndices(of:in:)``.
    func checkStructure() throws(SQLiteMergeError) {
        try check("PRAGMA main.quick_check(1)", "One of the contents is damaged")
    }

    /// Declines a table whose indices do not match it: rows are looked up by an index, and a wrong one
    /// would make rows look removed.
    func checkIndices(of table: String, in database: String) throws(SQLiteMergeError) {
        try check(
            "PRAGMA \(database).integrity_check(\(quoted(table)))",
            "One of the contents is damaged")
    }

    /// Declines a database that fails SQLite's complete check.
    func checkIntegrity(_ what: String) throws(SQLiteMergeError) {
        // With a name, as the pragma otherwise checks the attached databases, too.
        try check("PRAGMA main.integrity_check(1)", what)
    }

    private func check(_ sql: String, _ what: String) throws(SQLiteMergeError) {
        let rows = try prepare(sql)
        guard try rows.step(), rows.text(0) != "ok" else { return }
        throw .declined("", "\(what): \(rows.text(0)).")
    }

    /// Declines a result in which a row refers to a missing one.
    func checkForeignKeys() throws(SQLiteMergeError) {
        let rows = try prepare("PRAGMA main.foreign_key_check")
        var conflicts: [MergeConflict] = []
        while conflicts.count < 10, try rows.step() {
            conflicts.append(
                MergeConflict(
                    "table \(rows.text(0)), row \(rows.value(1).shown)",
                    "It would refer to a row of table \(rows.text(2)) that does not exist."))
        }
        if !conflicts.isEmpty { throw .declined(conflicts) }
    }
}
