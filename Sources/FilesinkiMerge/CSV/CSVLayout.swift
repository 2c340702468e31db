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
    /// Whether all versions have the same columns in the same order.
    let isSame: Bool

    init(_ sheets: Versions<CSVSheet>) {
        let names = sheets.map(\.columns)
        isSame =
            names.here == names.there && (names.base == names.here || names.base.isEmpty)
        var numbers = KeyNumbers()
        let order = names.map { $0.map { numbers.number(of: $0) } }
        let all = numbers.keys.map { name in
            CSVColumn(name: name, places: names.map { $0.firstIndex(of: name) })
        }
        let survives = all.map { column in
            column.places.base == nil
                || (column.places.here != nil && column.places.there != nil)
        }
        let merged = KeyOrder(
            base: order.base, here: order.here, there: order.there, survives: survives,
            weave: numbers.weave
        ).merged()
        columns = merged?.map { all[Int($0)] }
        removed = zip(all, survives).filter { !$1 }.map { $0.0 }
    }
}
