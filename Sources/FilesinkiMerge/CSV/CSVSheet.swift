/// One version of a CSV file: a table, and what its columns are called.
struct CSVSheet {
    let table: CSVTable
    /// The names of the columns; their numbers where the file has no header.
    var columns: [[UInt8]]
    /// Which record is the header.
    var header: CSVTable.Record?
    /// The records below the header.
    var rows: ArraySlice<CSVTable.Record>
    /// Blank lines at the end.
    let blankEnd: [UInt8]

    /// More columns than these would take too long to find by their names.
    private static let mostColumns = 4096

    /// A file whose lines have ends; nil where a row has more fields than the first, or quotes do
    /// not fit. A row with fewer fields has empty ones at its end.
    init?(_ bytes: [UInt8], separator: UInt8) {
        guard var table = CSVTable(bytes, separator: separator) else { return nil }
        blankEnd = table.removeBlankEnd()
        let width = table.records.first?.fields.count ?? 0
        guard width <= Self.mostColumns,
            table.records.allSatisfy({ $0.fields.count <= width })
        else { return nil }
        self.table = table
        columns = (0..<width).map { Array("\($0 + 1)".utf8) }
        rows = table.records[...]
    }

    /// The names in the first record, if it looks like a header: none empty, no number, all
    /// different.
    var possibleHeader: [[UInt8]]? {
        guard let first = table.records.first else { return nil }
        let names = first.fields.map { CSVTable.value(of: table.raw($0)) }
        let isHeader =
            Set(names).count == names.count
            && names.allSatisfy { !$0.isEmpty && DecimalText($0) == nil }
        return isHeader ? names : nil
    }

    mutating func takeHeader() {
        guard let names = possibleHeader else { return }
        columns = names
        header = rows.popFirst()
    }

    /// The written field of a row; nil where the row ends before it.
    func raw(_ row: CSVTable.Record, _ column: Int) -> ArraySlice<UInt8>? {
        column < row.fields.count ? table.raw(row.fields.lowerBound + column) : nil
    }

    /// What the field of a row says; nothing where the row ends before it.
    func value(_ row: CSVTable.Record, _ column: Int) -> [UInt8] {
        raw(row, column).map { CSVTable.value(of: $0) } ?? []
    }
}

extension Versions<CSVSheet> {
    /// Reads all versions; nil if one is no table. The first rows are headers if they look so in
    /// all versions, and share a name.
    init?(_ contents: Versions<[UInt8]>) {
        let separator = CSVSeparator.found(in: contents.all.filter { !$0.isEmpty })
        guard let base = CSVSheet(contents.base, separator: separator),
            let here = CSVSheet(contents.here, separator: separator),
            let there = CSVSheet(contents.there, separator: separator)
        else { return nil }
        self.init(base: base, here: here, there: there)
        let sheets = all.filter { !$0.columns.isEmpty }
        let headers = sheets.compactMap(\.possibleHeader)
        guard headers.count == sheets.count, let first = headers.first else { return }
        let names = headers.map { Set($0) }
        guard first.contains(where: { name in names.allSatisfy { $0.contains(name) } }) else {
            return
        }
        self.base.takeHeader()
        self.here.takeHeader()
        self.there.takeHeader()
    }

    /// The columns that every version has, in the base's order or else that of their bytes; an
    /// empty version does not count.
    var commonColumns: [[UInt8]] {
        let sheets = all.filter { !$0.columns.isEmpty }
        let sorted = here.columns.sorted { $0.lexicographicallyPrecedes($1) }
        let order = base.columns.isEmpty ? sorted : base.columns
        let names = sheets.map { Set($0.columns) }
        return order.filter { name in names.allSatisfy { $0.contains(name) } }
    }
}
