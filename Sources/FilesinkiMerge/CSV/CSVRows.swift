/// The rows of three versions by their keys.
struct CSVRows {
    let keys: [[UInt8]]
    private let order: Versions<[Int32]>
    private let rows: Versions<[CSVTable.Record?]>
    private let lineMerge3: LineMerge3

    init(_ sheets: Versions<CSVSheet>, _ key: CSVKey) {
        var numbers = KeyNumbers()
        order = sheets.map { sheet in key.keys(of: sheet).map { numbers.number(of: $0) } }
        let count = numbers.keys.count
        func byNumber(_ sheet: CSVSheet, _ order: [Int32]) -> [CSVTable.Record?] {
            var result = [CSVTable.Record?](repeating: nil, count: count)
            for (row, number) in zip(sheet.rows, order) { result[Int(number)] = row }
            return result
        }
        rows = Versions(
            base: byNumber(sheets.base, order.base), here: byNumber(sheets.here, order.here),
            there: byNumber(sheets.there, order.there))
        keys = numbers.keys
        lineMerge3 = numbers.lineMerge3
    }

    func records(_ number: Int32) -> Versions<CSVTable.Record?> {
        rows.map { $0[Int(number)] }
    }

    /// The keys of the result in their order: sorted, if all versions are, else as each side
    /// ordered them; nil if both sides ordered them otherwise.
    func order(_ survives: [Bool]) -> [Int32]? {
        let all = keys.indices.filter { survives[$0] }.map { Int32(truncatingIfNeeded: $0) }
        if let sorting = sorting { return all.sorted(by: sorting) }
        return KeyOrder(
            base: order.base, here: order.here, there: order.there, survives: survives,
            lineMerge3: lineMerge3
        ).merged()
    }

    /// How all versions are sorted: by numbers or bytes, up or down; nil if they are not.
    private var sorting: ((Int32, Int32) -> Bool)? {
        let values = keys.map { DecimalText($0) }
        // Numbers beside other keys are in no order of numbers.
        let areNumbers = values.allSatisfy { $0 != nil }
        let bytes: (Int32, Int32) -> Bool = { [keys] first, second in
            keys[Int(first)].lexicographicallyPrecedes(keys[Int(second)])
        }
        let number: (Int32, Int32) -> Bool = { first, second in
            guard let one = values[Int(first)], let other = values[Int(second)] else {
                return false
            }
            return one < other || (one == other && bytes(first, second))
        }
        let numberOrders = areNumbers ? [number, { number($1, $0) }] : []
        return (numberOrders + [bytes, { bytes($1, $0) }]).first { isBefore in
            order.all.allSatisfy { side in zip(side, side.dropFirst()).allSatisfy(isBefore) }
        }
    }
}
