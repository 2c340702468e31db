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
            names.here == names.there && (names.base == names.here || names.base.isEmpty)
        var numbers = KeyNumbers()
        let order = names.map { $0.map { numbers.number(of: $0) } }
        let places = order.map { Self.places(in: $0, count: numbers.keys.count) }
        basePlaces = order.map { side in side.map { places.base[Int($0)] } }
        let all = numbers.keys.indices.map { number in
            CSVColumn(name: numbers.keys[number], places: places.map { $0[number] })
        }
        let survives = all.map { column in
            column.places.base == nil
                || (column.places.here != nil && column.places.there != nil)
        }
        let merged = KeyOrder(
            base: order.base, here: order.here, there: order.there, survives: survives,
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
