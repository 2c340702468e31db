/// What the merge tells a ``MergeTrace``, if there is one.
extension CSVSheetMerge {
    typealias Records = Versions<CSVTable.Record?>

    func noteRemoved(_ number: Int, _ records: Records) {
        guard records.ours == nil || records.theirs == nil else { return }
        let remover: MergeTrace.Source =
            records.ours != nil ? .theirs : records.theirs != nil ? .ours : .both
        trace?.add(place(Int32(truncatingIfNeeded: number)), remover, .removed)
    }

    /// Notes a row that is one side's as a whole.
    ///
    /// - Parameter number: Nil for the header.
    func noteWhole(_ records: Records, _ number: Int32?) {
        func raw(_ sheet: CSVSheet, _ record: CSVTable.Record?) -> Raw? {
            record.map { sheet.table.bytes[$0.bytes.lowerBound..<$0.end.upperBound] }
        }
        note(
            Versions(
                base: raw(sheets.base, records.base), ours: raw(sheets.ours, records.ours),
                theirs: raw(sheets.theirs, records.theirs)), place(number))
    }

    /// Notes a field of a row that both sides changed.
    func noteCell(
        _ cell: Versions<Raw?>, _ outcome: CSVCellMerge.Outcome, _ column: CSVColumn,
        _ number: Int32?
    ) {
        let values = cell.map { CSVTable.value(of: $0 ?? []) }
        let isContested = values.ours != values.base && values.theirs != values.base
        let rule = cellMerge.rule(for: number.map { _ in column.name })?.resolution
        guard isContested, values.ours != values.theirs || rule == .sum else {
            // A field of a new column or row was not there, which is not an empty one.
            let found: Versions<Raw?> =
                cell.base == nil
                ? cell.map { raw in raw.map { CSVTable.value(of: $0)[...] } }
                : values.map { Optional($0[...]) }
            return note(found, place(number, column))
        }
        switch outcome {
        case .conflict: break
        case .new: trace?.add(place(number, column), .both, .rule(rule ?? .sum))
        case .written(let raw):
            trace?.add(
                place(number, column), raw == cell.ours ? .ours : .theirs,
                rule.map { .rule($0) } ?? .fieldChoice)
        }
    }

    /// Notes what at most one side changed, or both alike.
    private func note(_ values: Versions<Raw?>, _ place: String) {
        let isOurs = values.ours != nil && values.ours != values.base
        let isTheirs = values.theirs != nil && values.theirs != values.base
        guard isOurs || isTheirs else { return }
        let side: MergeTrace.Source = isOurs && isTheirs ? .both : isOurs ? .ours : .theirs
        trace?.add(
            place, side, isOurs && isTheirs ? .alike : values.base == nil ? .added : .edited)
    }
}
