/// A number that both sides gave away: each side added rows with a number that the base does not have in the column, and
/// the rows of both sides are others.
///
/// Such as the texts of a new thing with the next free number: they may be those of two things. Each of the rows could be
/// merged, so that nothing else would tell.
struct CSVNewNumber {
    /// Of the rows with the number the one whose key is the least.
    let row: Int32
    let reason: String

    /// - Parameter columns: How many of the first columns may have such numbers.
    /// - Returns: nil if there is none.
    init?(_ sheets: Versions<CSVSheet>, _ rows: CSVRows, columns: Int) {
        for column in 0..<columns {
            let known = Set(sheets.base.rows.map { ByteKey(sheets.base.value($0, column)) })
            let (ours, theirs) = Self.added(sheets, rows, column)
            let new = ours.keys.filter { theirs[$0] != nil && !known.contains($0) }
            // The least one, so that both devices say the same.
            let numbers = new.filter { DecimalText(Array($0.bytes)) != nil }
            guard
                let number = numbers.min(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }),
                let our = ours[number], let their = theirs[number]
            else { continue }
            let isOurs = rows.keys[Int(our)].lexicographicallyPrecedes(rows.keys[Int(their)])
            row = isOurs ? our : their
            let name = String(decoding: sheets.ours.columns[column], as: UTF8.self)
            reason = "Both sides added rows with this \(name), which may be that of two things."
            return
        }
        return nil
    }

    /// The first of the rows that only one side has, by what they have in a column.
    private static func added(
        _ sheets: Versions<CSVSheet>, _ rows: CSVRows, _ column: Int
    ) -> (ours: [ByteKey: Int32], theirs: [ByteKey: Int32]) {
        var (ours, theirs): ([ByteKey: Int32], [ByteKey: Int32]) = ([:], [:])
        for place in rows.keys.indices {
            let number = Int32(truncatingIfNeeded: place)
            let records = rows.records(number)
            guard records.base == nil else { continue }
            switch (records.ours, records.theirs) {
            case (let our?, nil):
                note(number, ByteKey(sheets.ours.value(our, column)), rows, &ours)
            case (nil, let their?):
                note(number, ByteKey(sheets.theirs.value(their, column)), rows, &theirs)
            default: break
            }
        }
        return (ours, theirs)
    }

    /// Keeps the row with the least key.
    private static func note(
        _ row: Int32, _ value: ByteKey, _ rows: CSVRows, _ found: inout [ByteKey: Int32]
    ) {
        if let other = found[value],
            !rows.keys[Int(row)].lexicographicallyPrecedes(rows.keys[Int(other)])
        {
            return
        }
        found[value] = row
    }
}
