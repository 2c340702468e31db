import FilesinkiModel
import FilesinkiSQLite

/// The merge of one table: finds out how its rows are identified, and delegates to ``KeyedRows`` or
/// ``WholeRows``.
struct TableMerge {
    let connection: MergeConnection
    let cells: CellRules
    let conflicts: ConflictList
    let name: String
    /// Nil where the base has no such table.
    let base: SQLiteTable?
    /// Nil where the skeleton dropped it.
    let skeleton: SQLiteTable?
    let other: SQLiteTable

    /// - Returns: Nil for a table without anything to merge.
    init?(
        _ name: String, _ schemas: SchemaTriple, _ connection: MergeConnection,
        _ cells: CellRules, _ conflicts: ConflictList
    ) throws(SQLiteMergeError) {
        self.connection = connection
        self.cells = cells
        self.conflicts = conflicts
        self.name = name
        other = try SQLiteTable(name, in: "other", on: connection)
        if let known = schemas.base?.table(name) {
            base = try SQLiteTable(known, in: "base", on: connection)
        } else {
            base = nil
        }
        if let kept = schemas.skeleton.table(name) {
            skeleton = try SQLiteTable(kept, in: "main", on: connection)
        } else {
            skeleton = nil
        }
    }

    func merge() throws(SQLiteMergeError) {
        guard let skeleton, hasSameShape(skeleton) else { return try declineIfChanged() }
        if try hasKey(skeleton) {
            try KeyedRows(table: self, skeleton: skeleton).merge()
        } else if skeleton.columns == other.columns, base == nil || base?.columns == other.columns,
            let rowid = skeleton.rowid
        {
            try WholeRows(table: self, rowid: rowid).merge()
        } else {
            try declineIfChanged()
        }
    }

    /// Whether rows of the other side fit into the skeleton's table: the same key, and no column
    /// that would make another value of what is put into it.
    private func hasSameShape(_ skeleton: SQLiteTable) -> Bool {
        skeleton.key.map(folded) == other.key.map(folded)
            && (skeleton.rowid == nil) == (other.rowid == nil)
            && other.columns.allSatisfy {
                let same = skeleton.column($0.name)
                return same == nil || same?.affinity == $0.affinity
            }
    }

    private func declineIfChanged() throws(SQLiteMergeError) {
        if base != nil, try !connection.differs(name, "base", "other") { return }
        try conflicts.add(
            "table \(name)",
            "One side changed its rows, and the other its key or its columns, or removed it.")
    }

    /// Whether every row has a key of its own. A primary key that is not the rowid may be NULL, and
    /// that more than once (quirks.html, section 4).
    private func hasKey(_ skeleton: SQLiteTable) throws(SQLiteMergeError) -> Bool {
        guard !other.key.isEmpty else { return false }
        if other.rowid == nil || other.isKeyedByRowid { return true }
        let isNull = other.key.map { "\(quoted($0)) IS NULL" }.joined(separator: " OR ")
        for database in ["base", "main", "other"] where database != "base" || base != nil {
            let table = "\(database).\(quoted(name))"
            if try connection.hasRow("SELECT 1 FROM \(table) WHERE \(isNull) LIMIT 1") {
                return false
            }
        }
        return true
    }
}

/// How a cell is resolved that both sides changed to different values.
struct CellRules {
    let settings: MergeSettings
    /// Whether the skeleton is what this replica has.
    let isSkeletonOurs: Bool
    /// Whether the skeleton was modified later than the other side; nil when at the same time.
    let isSkeletonLater: Bool?
    private let trace: MergeTrace?

    init(_ rules: SQLiteMerge, isSkeletonOurs: Bool) {
        settings = rules.settings
        self.isSkeletonOurs = isSkeletonOurs
        trace = rules.trace
        let (ours, theirs) = (rules.oursModified, rules.theirsModified)
        isSkeletonLater = ours == theirs ? nil : (ours > theirs) == isSkeletonOurs
    }

    /// The three values of one cell.
    struct Cell {
        /// Nil where the row or the column is new.
        var base: SQLiteValue?
        /// The value of the side that the result is a copy of.
        var skeleton: SQLiteValue
        var other: SQLiteValue
    }

    /// The first rule for a column.
    private func rule(_ table: String, _ column: String) -> FieldRule? {
        settings.fields.first {
            $0.pattern.matches([table, column]) || $0.pattern.matches([column])
        }
    }

    /// Notes a change of the other side that is in the result.
    ///
    /// - Parameter place: Is asked for only if somebody wants to know.
    func note(_ place: @autoclosure () -> String, _ reason: MergeTrace.Reason) {
        trace?.add(place(), isSkeletonOurs ? .theirs : .ours, reason)
    }

    /// As above, of a row or a cell with a key.
    func note(_ cell: @autoclosure () -> MergeCell, _ reason: MergeTrace.Reason) {
        guard let trace else { return }
        let cell = cell()
        trace.add([.init(cell.place, isSkeletonOurs ? .theirs : .ours, reason, cell: cell)])
    }

    /// Whether somebody wants to know what is decided.
    var isTraced: Bool { trace != nil }

    /// Notes a change of the side that the result is a copy of, or the same one of both.
    func noteOwn(
        _ place: String, _ reason: MergeTrace.Reason, isBoth: Bool = false, cell: MergeCell? = nil
    ) {
        let side: MergeTrace.Source = isBoth ? .both : isSkeletonOurs ? .ours : .theirs
        trace?.add([.init(place, side, reason, cell: cell)])
    }

    /// A cell of a database with its values, by the side that each is of.
    func named(_ place: MergeCell, _ cell: Cell) -> MergeCell {
        var named = place
        named.base = cell.base?.shown
        named.ours = (isSkeletonOurs ? cell.skeleton : cell.other).shown
        named.theirs = (isSkeletonOurs ? cell.other : cell.skeleton).shown
        return named
    }

    /// Notes a cell that both sides changed and a rule decided.
    func note(
        _ place: @autoclosure () -> MergeCell, _ cell: Cell, _ value: SQLiteValue, table: String,
        column: String
    ) {
        guard let trace else { return }
        let isSkeleton = value == cell.skeleton
        let side: MergeTrace.Source =
            !isSkeleton && value != cell.other
            ? .both : isSkeleton == isSkeletonOurs ? .ours : .theirs
        let place = place()
        let reason = rule(table, column).map { MergeTrace.Reason.rule($0.resolution) }
        trace.add([.init(place.place, side, reason ?? .fieldChoice, cell: named(place, cell))])
    }

    /// Whether a rule adds up the differences of a cell that both sides changed.
    func isCounted(_ cell: Cell, table: String, column: String) -> Bool {
        rule(table, column)?.resolution == .sum && sum(of: cell) != nil
    }

    /// The value that the user's rules give; nil to decline.
    func value(of cell: Cell, table: String, column: String) -> SQLiteValue? {
        if let rule = rule(table, column) { return value(of: cell, by: rule.resolution) }
        guard let choice = settings.fieldChoice else { return nil }
        let takesSkeleton: Bool? =
            switch choice {
            case .newest: isSkeletonLater
            case .oldest: isSkeletonLater.map(!)
            case .ours: isSkeletonOurs
            case .theirs: !isSkeletonOurs
            }
        return takesSkeleton.map { $0 ? cell.skeleton : cell.other }
    }

    private func value(of cell: Cell, by resolution: FieldRule.Resolution) -> SQLiteValue? {
        switch resolution {
        case .max: return cell.skeleton.precedes(cell.other).map { $0 ? cell.other : cell.skeleton }
        case .min: return cell.skeleton.precedes(cell.other).map { $0 ? cell.skeleton : cell.other }
        case .sum: return sum(of: cell)
        case .newest: return isSkeletonLater.map { $0 ? cell.skeleton : cell.other }
        case .maxVersion:
            guard case (.text(let one), .text(let other)) = (cell.skeleton, cell.other) else {
                return nil
            }
            return VersionText.isNewer(one, other).map { $0 ? cell.skeleton : cell.other }
        // A cell is no array.
        case .union: return nil
        }
    }

    /// The base plus both differences; NULL counts as 0. Without a base it is unknown how much both share.
    private func sum(of cell: Cell) -> SQLiteValue? {
        let known = cell.base == .null ? .integer(0) : cell.base
        if case (.integer(let base)?, .integer(let left), .integer(let right)) = (
            known, cell.skeleton, cell.other
        ) {
            let (difference, isFar) = right.subtractingReportingOverflow(base)
            let (sum, isTooLarge) = left.addingReportingOverflow(difference)
            return isFar || isTooLarge ? nil : .integer(sum)
        }
        guard let base = known?.number, let left = cell.skeleton.number,
            let right = cell.other.number
        else { return nil }
        // In this order the sides may be exchanged: their sum is the same either way.
        return .real((left + right) - base)
    }
}

extension SQLiteValue {
    /// The value in a message: short, and safe for a terminal.
    var shown: String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let bytes): "'\(printable(bytes.prefix(60)))\(bytes.count > 60 ? "…" : "")'"
        case .blob(let bytes): "a blob of \(bytes.count) bytes"
        }
    }

    /// The order of two numbers or two texts; nil for other values, which have no order that a user
    /// would expect.
    func precedes(_ other: SQLiteValue) -> Bool? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.integer(let left), .real(let right)): Double(left) < right
        case (.real(let left), .integer(let right)): left < Double(right)
        case (.real(let left), .real(let right)): left < right
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        default: nil
        }
    }

    /// The value as a number; nil for other types.
    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }
}
