extension CSVSheetMerge {
    /// What the other side did to a column that one side removed must not be lost.
    mutating func checkRemovedColumns(
        _ records: Versions<CSVTable.Record?>, _ number: Int32?
    ) {
        guard let number else { return }
        for column in layout.removed {
            let cell = cell(records, column).map { CSVTable.value(of: $0 ?? []) }
            let isLost =
                (column.places.here != nil && cell.here != cell.base)
                || (column.places.there != nil && cell.there != cell.base)
            if isLost {
                refuse(number, column, "One side removed the column, the other changed the field.")
            }
        }
    }

    mutating func merged(_ cell: Versions<Raw?>, _ column: CSVColumn, _ number: Int32?)
        -> Raw?
    {
        switch cellMerge.merged(cell, column: column.name) {
        case .written(let raw): return raw
        case .new(let value): return written(value, column)[...]
        case .conflict(let reason):
            refuse(number, column, reason)
            return nil
        }
    }

    private mutating func refuse(_ number: Int32?, _ column: CSVColumn, _ reason: String) {
        let row = number.map { "row \(key.name(rows.keys[Int($0)]))" } ?? "header"
        let name = String(decoding: column.name, as: UTF8.self)
        refuse("\(row), column \(name)", reason)
    }

    /// Whether a version of the row could have a field there, so that it ends before it.
    func has(_ records: Versions<CSVTable.Record?>, _ column: CSVColumn) -> Bool {
        (records.base != nil && column.places.base != nil)
            || (records.here != nil && column.places.here != nil)
            || (records.there != nil && column.places.there != nil)
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
        let sides = [(sheets.here, column.places.here), (sheets.there, column.places.there)]
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
            here: records.here.map { sheets.here.table.bytes[$0.end] },
            there: records.there.map { sheets.there.table.bytes[$0.end] })
        let settled: Raw? = ends.settled.flatMap { $0 }
        if let settled { return settled }
        let candidates = [ends.here, ends.there].compactMap(\.self)
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
            here: raw(sheets.here, records.here, column.places.here),
            there: raw(sheets.there, records.there, column.places.there))
    }
}
