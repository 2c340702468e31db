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

    /// The most columns; more would take too long to look up by name.
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

    /// The names in the first record if it looks like a header: no name is empty, a number or repeated.
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

    /// The written field of a row; nil when the row ends before it.
    func raw(_ row: CSVTable.Record, _ column: Int) -> ArraySlice<UInt8>? {
        column < row.fields.count ? table.raw(row.fields.lowerBound + column) : nil
    }

    /// The value of a row's field; empty when the row ends before it.
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
            let ours = CSVSheet(contents.ours, separator: separator),
            let theirs = CSVSheet(contents.theirs, separator: separator)
        else { return nil }
        self.init(base: base, ours: ours, theirs: theirs)
        let sheets = all.filter { !$0.columns.isEmpty }
        let headers = sheets.compactMap(\.possibleHeader)
        guard headers.count == sheets.count, let first = headers.first else { return }
        let names = headers.map { Set($0) }
        guard first.contains(where: { name in names.allSatisfy { $0.contains(name) } }) else {
            return
        }
        self.base.takeHeader()
        self.ours.takeHeader()
        self.theirs.takeHeader()
    }

    /// The columns that every version has, in the base's order or else that of their bytes; an
    /// empty version does not count.
    var commonColumns: [[UInt8]] {
        let sheets = all.filter { !$0.columns.isEmpty }
        let sorted = ours.columns.sorted { $0.lexicographicallyPrecedes($1) }
        let order = base.columns.isEmpty ? sorted : base.columns
        let names = sheets.map { Set($0.columns) }
        return order.filter { name in names.allSatisfy { $0.contains(name) } }
    }
}

/// A column, and where each version has it.
struct CSVColumn {
    let name: [UInt8]
    let places: Versions<Int?>
}

/// The columns of the result.
struct CSVLayout {
    /// In their order; nil if both sides changed it otherwise.
    let columns: [CSVColumn]?
    /// What one side removed, or both.
    let removed: [CSVColumn]
    /// Where the base has each column of a side.
    let basePlaces: Versions<[Int?]>
    /// Whether all versions have the same columns in the same order.
    let isSame: Bool

    init(_ sheets: Versions<CSVSheet>) {
        let names = sheets.map(\.columns)
        isSame =
            names.ours == names.theirs && (names.base == names.ours || names.base.isEmpty)
        var numbers = KeyNumbers()
        let order = names.map { $0.map { numbers.number(of: $0) } }
        let places = order.map { Self.places(in: $0, count: numbers.keys.count) }
        basePlaces = order.map { side in side.map { places.base[Int($0)] } }
        let all = numbers.keys.indices.map { number in
            CSVColumn(name: numbers.keys[number], places: places.map { $0[number] })
        }
        let survives = all.map { column in
            column.places.base == nil
                || (column.places.ours != nil && column.places.theirs != nil)
        }
        let merged = KeyOrder(
            base: order.base, ours: order.ours, theirs: order.theirs, survives: survives,
            lineMerge3: numbers.lineMerge3
        ).merged()
        columns = merged?.map { all[Int($0)] }
        removed = zip(all, survives).filter { !$1 }.map { $0.0 }
    }

    private static func places(in order: [Int32], count: Int) -> [Int?] {
        var result = [Int?](repeating: nil, count: count)
        for (place, number) in order.enumerated() { result[Int(number)] = place }
        return result
    }
}

/// Detects the separator of the fields of a file.
enum CSVSeparator {
    static let candidates: [UInt8] = [
        UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"), UInt8(ascii: "|"),
    ]
    /// How many records are examined.
    private static let sampleSize = 50

    /// The separator with which all contents are tables of one width; of several the one that
    /// makes most columns, then the more usual one. A comma where nothing separates anything.
    static func found(in contents: [[UInt8]]) -> UInt8 {
        var best = (separator: candidates[0], tables: 0, width: 1)
        for separator in candidates {
            let widths = contents.compactMap { width(of: $0, separator) }
            let narrowest = widths.min() ?? 1
            if (widths.count, narrowest) > (best.tables, best.width) {
                best = (separator, widths.count, narrowest)
            }
        }
        return best.separator
    }

    /// nil if the records are not equally wide, or only one column wide.
    private static func width(of content: [UInt8], _ separator: UInt8) -> Int? {
        guard
            let table = CSVTable(content, separator: separator, recordLimit: sampleSize),
            let first = table.records.first?.fields.count, first > 1
        else { return nil }
        let isEven = table.records.allSatisfy { $0.fields.count == first || table.isBlank($0) }
        return isEven ? first : nil
    }
}
