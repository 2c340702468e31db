/// Two rows, each added by one side, that are one row by two columns.
///
/// A table of two identifiers, such as a text by its number and its language, may have a third column that happens to differ in
/// each row, and is taken as the key. Both sides can then add a row of the same identifiers.
struct CSVDoubleRow {
    /// One of the rows.
    let row: Int32
    let reason: String

    /// How many columns are compared with one another.
    private static let mostColumns = 12

    /// - Returns: nil unless neither of two columns identifies the rows of the base alone, but both together do those of
    ///   every version, and not those of the result.
    init?(_ sheets: Versions<CSVSheet>, _ rows: CSVRows, _ columns: [CSVColumn]) {
        let (ours, theirs) = Self.added(rows)
        let shared = Self.shared(sheets, ours, theirs, columns)
        for (place, one) in shared.enumerated() {
            for other in shared[(place + 1)...] {
                guard
                    let both = Self.equal(zip(one.ours, other.ours), zip(one.theirs, other.theirs)),
                    CSVKey.areUnique([one.name, other.name], sheets.all, allowsEmpty: true)
                else { continue }
                let numbers = [ours[both.ours].number, theirs[both.theirs].number]
                let keys = numbers.map { rows.keys[Int($0)] }
                // The one whose key is the lesser, so that both devices say the same.
                row = numbers[keys[0].lexicographicallyPrecedes(keys[1]) ? 0 : 1]
                let names = [one.name, other.name].map { String(decoding: $0, as: UTF8.self) }
                reason =
                    "Both sides added a row with the same \(names[0]) and \(names[1]), which identify the rows."
                return
            }
        }
        return nil
    }

    /// A column, and the values of the added rows as numbers.
    private typealias Column = (name: [UInt8], ours: [Int32], theirs: [Int32])

    /// The columns in which both sides added a value, and which do not identify the rows of the base.
    private static func shared(
        _ sheets: Versions<CSVSheet>, _ ours: [Row], _ theirs: [Row], _ columns: [CSVColumn]
    ) -> [Column] {
        guard !ours.isEmpty, !theirs.isEmpty else { return [] }
        var result: [Column] = []
        for column in columns where result.count < mostColumns {
            guard let our = column.places.ours, let their = column.places.theirs else { continue }
            var numbers = KeyNumbers()
            let ourValues = ours.map { numbers.number(of: sheets.ours.value($0.record, our)) }
            let known = numbers.keys.count
            let theirValues = theirs.map {
                numbers.number(of: sheets.theirs.value($0.record, their))
            }
            guard theirValues.contains(where: { $0 < known }),
                !CSVKey.areUnique([column.name], [sheets.base], allowsEmpty: true)
            else { continue }
            result.append((column.name, ourValues, theirValues))
        }
        return result
    }

    private typealias Row = (number: Int32, record: CSVTable.Record)

    /// The rows that only one side has.
    private static func added(_ rows: CSVRows) -> (ours: [Row], theirs: [Row]) {
        var (ours, theirs): ([Row], [Row]) = ([], [])
        for place in rows.keys.indices {
            let number = Int32(truncatingIfNeeded: place)
            let records = rows.records(number)
            guard records.base == nil else { continue }
            switch (records.ours, records.theirs) {
            case (let our?, nil): ours.append((number, our))
            case (nil, let their?): theirs.append((number, their))
            default: break
            }
        }
        return (ours, theirs)
    }

    /// The first row of ours that has the two values of one of theirs, and this one.
    private static func equal(
        _ ours: some Sequence<(Int32, Int32)>, _ theirs: some Sequence<(Int32, Int32)>
    ) -> (ours: Int, theirs: Int)? {
        func joined(_ pair: (Int32, Int32)) -> Int64 { Int64(pair.0) << 32 | Int64(pair.1) }
        let known = Dictionary(
            theirs.enumerated().map { (joined($0.element), $0.offset) },
            uniquingKeysWith: { first, _ in first })
        for (place, pair) in ours.enumerated() {
            if let other = known[joined(pair)] { return (place, other) }
        }
        return nil
    }
}
