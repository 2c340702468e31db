/// Merges three sheets whose rows are known by a key.
struct CSVSheetMerge {
    typealias Raw = ArraySlice<UInt8>

    let sheets: Versions<CSVSheet>
    let key: CSVKey
    let cellMerge: CSVCellMerge
    /// The columns of the result, and where each version has them.
    private(set) var layout: CSVLayout
    private(set) var rows: CSVRows
    private(set) var conflicts: [MergeConflict] = []
    /// Which columns always have quotes, as far as was asked.
    var quotedColumns: [[UInt8]: Bool] = [:]
    let separator: UInt8

    /// More than these are not listed.
    private static let mostConflicts = 100

    init(_ sheets: Versions<CSVSheet>, _ key: CSVKey, _ input: MergeInput) {
        self.sheets = sheets
        self.key = key
        cellMerge = CSVCellMerge(
            hereModified: input.hereModified, thereModified: input.thereModified,
            settings: input.settings)
        layout = CSVLayout(sheets)
        rows = CSVRows(sheets, key)
        separator = sheets.here.table.separator
    }

    /// The merged table; nil where there are conflicts.
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
        guard let order = rows.order(survives) else {
            refuse("", "Both sides changed the order of the rows.")
            return nil
        }
        var result: [UInt8] = []
        if sheets.here.header != nil {
            append(sheets.map(\.header), nil, columns, to: &result)
        }
        for number in order { append(rows.records(number), number, columns, to: &result) }
        return conflicts.isEmpty ? result + blankEnd : nil
    }

    mutating func refuse(_ place: String, _ reason: String) {
        if conflicts.count < Self.mostConflicts { conflicts.append(MergeConflict(place, reason)) }
    }

    /// Whether the row is in the result. Also looks for what would be lost with a removed row.
    private mutating func stays(_ number: Int) -> Bool {
        let records = rows.records(Int32(truncatingIfNeeded: number))
        guard let base = records.base else { return true }
        guard let here = records.here else {
            if let there = records.there {
                checkRemoved(number, base, there, sheets.there, layout.basePlaces.there)
            }
            return false
        }
        guard records.there != nil else {
            checkRemoved(number, base, here, sheets.here, layout.basePlaces.here)
            return false
        }
        return true
    }

    private mutating func checkRemoved(
        _ number: Int, _ base: CSVTable.Record, _ kept: CSVTable.Record, _ sheet: CSVSheet,
        _ basePlaces: [Int?]
    ) {
        let changed = sheet.columns.indices.contains { place in
            let before = basePlaces[place].map { sheets.base.value(base, $0) } ?? []
            return sheet.value(kept, place) != before
        }
        if changed {
            refuse(
                "row \(key.name(rows.keys[number]))", "One side removed it, the other changed it.")
        }
    }

    private mutating func append(
        _ records: Versions<CSVTable.Record?>, _ number: Int32?, _ columns: [CSVColumn],
        to result: inout [UInt8]
    ) {
        if let whole = unchanged(records) {
            result += whole
            return
        }
        checkRemovedColumns(records, number)
        var cells: [Raw?] = []
        for column in columns {
            let cell = cell(records, column)
            let isNew = cell.all.allSatisfy { $0 == nil } && !has(records, column)
            cells.append(isNew ? written([], column)[...] : merged(cell, column, number))
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

    /// The bytes of a record that is to be taken as it is.
    private func unchanged(_ records: Versions<CSVTable.Record?>) -> Raw? {
        guard layout.isSame else { return nil }
        let here = records.here.map {
            sheets.here.table.bytes[$0.bytes.lowerBound..<$0.end.upperBound]
        }
        let there = records.there.map {
            sheets.there.table.bytes[$0.bytes.lowerBound..<$0.end.upperBound]
        }
        guard let here, let there else { return here ?? there }
        let base = records.base.map {
            sheets.base.table.bytes[$0.bytes.lowerBound..<$0.end.upperBound]
        }
        if there == base { return here }
        // A counter counts on where both sides counted to the same.
        if here == there, cellMerge.settings.fields.isEmpty { return here }
        return here == base ? there : nil
    }
}
