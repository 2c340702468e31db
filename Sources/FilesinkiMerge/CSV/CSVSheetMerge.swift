/// Merges three sheets whose rows are identified by a key.
struct CSVSheetMerge {
    typealias Raw = ArraySlice<UInt8>

    let sheets: Versions<CSVSheet>
    let key: CSVKey
    let cellMerge: CSVCellMerge
    /// The columns of the result, and where each version has them.
    private(set) var layout: CSVLayout
    private(set) var rows: CSVRows
    private(set) var conflicts: [MergeConflict] = []
    /// Cached: which columns always have quotes.
    var quotedColumns: [[UInt8]: Bool] = [:]
    let separator: UInt8
    let trace: MergeTrace?
    /// The side whose version of a conflict is written; nil to refuse.
    private let markedSide: MergeVersion?

    /// How many conflicts are listed at most.
    private static let mostConflicts = 100

    init(_ sheets: Versions<CSVSheet>, _ key: CSVKey, _ input: MergeInput) {
        self.sheets = sheets
        self.key = key
        cellMerge = CSVCellMerge(
            oursModified: input.oursModified, theirsModified: input.theirsModified,
            settings: input.settings)
        layout = CSVLayout(sheets)
        rows = CSVRows(sheets, key)
        separator = sheets.ours.table.separator
        trace = input.trace
        markedSide = input.markedSide
    }

    /// The merged table; nil when there are conflicts.
    mutating func merged() -> [UInt8]? {
        guard let columns = layout.columns else {
            refuse("", "Both sides changed the order of the columns.")
            return nil
        }
        guard let blankEnd = sheets.map(\.blankEnd).settled else {
            refuse("", "Both sides changed the blank lines at the end.")
            return nil
        }
        var survives = [Bool](repeating: false, count: rows.keys.count)
        for number in rows.keys.indices { survives[number] = stays(number) }
        if !key.isWholeRow, let replaced = rows.replacedTwice {
            refuse(place(replaced), "Both sides replaced it, by different rows.")
            return nil
        }
        if !key.isWholeRow, !key.isChosen,
            let double = CSVDoubleRow(sheets, rows, columns)
        {
            refuse(place(double.row), double.reason)
            return nil
        }
        if let shared = CSVNewNumber(sheets, rows, columns: key.numberColumns) {
            refuse(place(shared.row), shared.reason)
            return nil
        }
        guard let order = rows.order(survives) else {
            refuse("", "Both sides changed the order of the rows.")
            return nil
        }
        var result: [UInt8] = []
        if sheets.ours.header != nil {
            append(sheets.map(\.header), nil, columns, to: &result)
        }
        for number in order { append(rows.records(number), number, columns, to: &result) }
        return conflicts.isEmpty ? result + blankEnd : nil
    }

    mutating func refuse(_ place: String, _ reason: String) {
        if conflicts.count < Self.mostConflicts { conflicts.append(MergeConflict(place, reason)) }
    }

    /// Whether the row is in the result. Refuses when a removed row was changed by the other side.
    private mutating func stays(_ number: Int) -> Bool {
        let records = rows.records(Int32(truncatingIfNeeded: number))
        guard let base = records.base else { return true }
        if trace != nil { noteRemoved(number, records) }
        guard let ours = records.ours else {
            guard let theirs = records.theirs else { return false }
            let places = layout.basePlaces.theirs
            return isMarked(.theirs, number, base, theirs, sheets.theirs, places)
        }
        guard records.theirs != nil else {
            return isMarked(.ours, number, base, ours, sheets.ours, layout.basePlaces.ours)
        }
        return true
    }

    /// Whether a row that one side removed stays as a conflict's version of the other side. Refuses where the other side
    /// changed it, and no version of conflicts is wanted.
    private mutating func isMarked(
        _ side: MergeVersion, _ number: Int, _ base: CSVTable.Record, _ kept: CSVTable.Record,
        _ sheet: CSVSheet, _ basePlaces: [Int?]
    ) -> Bool {
        let changed = sheet.columns.indices.contains { place in
            let before = basePlaces[place].map { sheets.base.value(base, $0) } ?? []
            return sheet.value(kept, place) != before
        }
        if changed, markedSide == nil {
            refuse(
                place(Int32(truncatingIfNeeded: number)),
                "One side removed it, the other changed it.")
        }
        return changed && markedSide == side
    }

    private mutating func append(
        _ records: Versions<CSVTable.Record?>, _ number: Int32?, _ columns: [CSVColumn],
        to result: inout [UInt8]
    ) {
        if let whole = unchanged(records) {
            if trace != nil { noteWhole(records, number) }
            result += whole
            return
        }
        let known = conflicts.count
        checkRemovedColumns(records, number)
        var cells: [Raw?] = []
        for column in columns {
            let cell = cell(records, column)
            let isNew = cell.all.allSatisfy { $0 == nil } && !has(records, column)
            cells.append(isNew ? written([], column)[...] : merged(cell, column, number))
        }
        if conflicts.count > known, let whole = marked(records) {
            conflicts.removeLast(conflicts.count - known)
            result += whole
            return
        }
        while cells.count > 1, cells.last == .some(nil) { cells.removeLast() }
        let end = end(of: records)
        let last = cells.last?.flatMap(\.self) ?? []
        if last.last == 13, end.first == 10, last.first != UInt8(ascii: "\"") {
            // Without quotes its carriage return would become a part of the line end.
            cells[cells.count - 1] = quoted(Array(last))[...]
        }
        result += cells.map { $0 ?? [] }.joined(separator: [separator])
        result += end
    }

    /// The bytes of a record that is a conflict, as the marked side has it; nil where it cannot be written so.
    private func marked(_ records: Versions<CSVTable.Record?>) -> Raw? {
        guard layout.isSame, let markedSide else { return nil }
        return markedSide == .ours
            ? bytes(records.ours, sheets.ours) : bytes(records.theirs, sheets.theirs)
    }

    private func bytes(_ record: CSVTable.Record?, _ sheet: CSVSheet) -> Raw? {
        record.map { sheet.table.bytes[$0.bytes.lowerBound..<$0.end.upperBound] }
    }

    /// The bytes of a record that is copied unchanged; nil when its fields must be merged.
    private func unchanged(_ records: Versions<CSVTable.Record?>) -> Raw? {
        guard layout.isSame else { return nil }
        let ours = bytes(records.ours, sheets.ours)
        let theirs = bytes(records.theirs, sheets.theirs)
        guard let ours, let theirs else { return ours ?? theirs }
        let base = bytes(records.base, sheets.base)
        // A comparison looks for the fields that differ.
        let looksInside = trace?.isComparison == true && ours != base
        if theirs == base { return looksInside ? nil : ours }
        // Counters add up even when both sides reached the same value.
        if ours == theirs, cellMerge.settings.fields.isEmpty { return ours }
        return ours == base ? theirs : nil
    }

    /// Refuses when the other side changed a field of a column that one side removed.
    mutating func checkRemovedColumns(
        _ records: Versions<CSVTable.Record?>, _ number: Int32?
    ) {
        guard let number else { return }
        for column in layout.removed {
            let cell = cell(records, column).map { CSVTable.value(of: $0 ?? []) }
            let isLost =
                (column.places.ours != nil && cell.ours != cell.base)
                || (column.places.theirs != nil && cell.theirs != cell.base)
            if isLost {
                refuse(number, column, "One side removed the column, the other changed the field.")
            }
        }
    }

    mutating func merged(_ cell: Versions<Raw?>, _ column: CSVColumn, _ number: Int32?)
        -> Raw?
    {
        let outcome = cellMerge.merged(cell, column: number.map { _ in column.name })
        if trace != nil { noteCell(cell, outcome, column, number) }
        switch outcome {
        case .written(let raw): return raw
        case .new(let value): return written(value, column)[...]
        case .conflict(let reason):
            refuse(number, column, reason)
            return nil
        }
    }

    private mutating func refuse(_ number: Int32?, _ column: CSVColumn, _ reason: String) {
        refuse(place(number, column), reason)
    }

    /// What messages call a row, or a field of it.
    ///
    /// - Parameter number: Nil for the header.
    func place(_ number: Int32?, _ column: CSVColumn? = nil) -> String {
        let row = number.map { "row \(key.name(rows.keys[Int($0)]))" } ?? "header"
        return column.map { "\(row), column \(String(decoding: $0.name, as: UTF8.self))" } ?? row
    }

    /// Whether a version of the row could have a field there, so that it ends before it.
    func has(_ records: Versions<CSVTable.Record?>, _ column: CSVColumn) -> Bool {
        (records.base != nil && column.places.base != nil)
            || (records.ours != nil && column.places.ours != nil)
            || (records.theirs != nil && column.places.theirs != nil)
    }

    /// A new field, in quotes if it needs them or if the column always has them.
    mutating func written(_ value: [UInt8], _ column: CSVColumn) -> [UInt8] {
        let special: [UInt8] = [separator, UInt8(ascii: "\""), 10, 13]
        let needsQuotes = value.contains { special.contains($0) }
        return needsQuotes || isQuoted(column) ? quoted(value) : value
    }

    func quoted(_ value: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        return [quote] + value.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }

    private mutating func isQuoted(_ column: CSVColumn) -> Bool {
        if let known = quotedColumns[column.name] { return known }
        let sides = [(sheets.ours, column.places.ours), (sheets.theirs, column.places.theirs)]
        var count = 0
        let result = sides.allSatisfy { sheet, place in
            guard let place else { return true }
            count += sheet.rows.count
            return sheet.rows.allSatisfy { sheet.raw($0, place)?.first == UInt8(ascii: "\"") }
        }
        quotedColumns[column.name] = result && count > 0
        return result && count > 0
    }

    func end(of records: Versions<CSVTable.Record?>) -> Raw {
        let ends = Versions<Raw?>(
            base: records.base.map { sheets.base.table.bytes[$0.end] },
            ours: records.ours.map { sheets.ours.table.bytes[$0.end] },
            theirs: records.theirs.map { sheets.theirs.table.bytes[$0.end] })
        let settled: Raw? = ends.settled.flatMap { $0 }
        if let settled { return settled }
        let candidates = [ends.ours, ends.theirs].compactMap(\.self)
        return candidates.min { $0.lexicographicallyPrecedes($1) } ?? [10]
    }

    func cell(_ records: Versions<CSVTable.Record?>, _ column: CSVColumn)
        -> Versions<Raw?>
    {
        func raw(_ sheet: CSVSheet, _ record: CSVTable.Record?, _ place: Int?) -> Raw? {
            guard let record, let place else { return nil }
            return sheet.raw(record, place)
        }
        return Versions(
            base: raw(sheets.base, records.base, column.places.base),
            ours: raw(sheets.ours, records.ours, column.places.ours),
            theirs: raw(sheets.theirs, records.theirs, column.places.theirs))
    }
}
