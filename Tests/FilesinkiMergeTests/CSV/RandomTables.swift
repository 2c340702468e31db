@testable import FilesinkiMerge

/// Tables with a key, and what two people make of one.
struct RandomTables {
    private var dice: Dice

    init(seed: UInt64) { dice = Dice(seed: seed) }

    private struct Table {
        var columns: [String]
        /// Fields by column, for the columns may be in any order.
        var rows: [[String: String]]

        var bytes: [UInt8] {
            let lines =
                [columns] + rows.map { row in columns.map { row[$0, default: ""] } }
            return Array(lines.map { $0.joined(separator: ",") + "\n" }.joined().utf8)
        }
    }

    mutating func next() -> MergeInput {
        let columns = ["id", "a", "b", "c"]
        let rows = (0..<dice.below(12)).map { number in
            Dictionary(
                uniqueKeysWithValues: columns.map { ($0, $0 == "id" ? "\(number * 10)" : value()) })
        }
        var base = Table(columns: columns, rows: rows)
        if dice.once(in: 2) { base.rows.shuffle(using: &dice) }
        let ours = edited(base)
        let theirs = edited(base)
        return MergeInput(base: base.bytes, ours: ours.bytes, theirs: theirs.bytes)
    }

    private mutating func value() -> String { "v\(dice.below(1000))" }

    private mutating func edited(_ table: Table) -> Table {
        var table = table
        table.rows.removeAll { _ in dice.once(in: 20) }
        for _ in 0..<dice.below(4) where !table.rows.isEmpty {
            table.rows[dice.below(table.rows.count)][dice.pick(["a", "b", "c"])] = value()
        }
        for _ in 0..<dice.below(3) {
            let row = ["id": "\(1000 + dice.below(1000))", "a": value(), "b": value(), "c": ""]
            table.rows.insert(row, at: dice.below(table.rows.count + 1))
        }
        if dice.once(in: 5) { addColumn(&table) }
        if dice.once(in: 8) { table.columns.swapAt(1, 2) }
        if dice.once(in: 8) { table.rows.shuffle(using: &dice) }
        return table
    }

    private mutating func addColumn(_ table: inout Table) {
        let name = "new\(dice.below(100))"
        table.columns.insert(name, at: 1 + dice.below(table.columns.count))
        for row in table.rows.indices { table.rows[row][name] = value() }
    }
}
