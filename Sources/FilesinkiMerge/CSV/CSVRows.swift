/// The rows of three versions by their keys.
struct CSVRows {
    let keys: [[UInt8]]
    /// How many columns a key is made of.
    private let keyWidth: Int
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
            base: byNumber(sheets.base, order.base), ours: byNumber(sheets.ours, order.ours),
            theirs: byNumber(sheets.theirs, order.theirs))
        keys = numbers.keys
        keyWidth = key.isWholeRow ? 1 : key.columns.count
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
            base: order.base, ours: order.ours, theirs: order.theirs, survives: survives,
            lineMerge3: lineMerge3
        ).merged()
    }

    /// The first row of the base in whose place both sides have put different rows. An edited key is one row
    /// removed and one added, and two edits of one key would be two rows.
    var replacedTwice: Int32? {
        let places = order.map { $0.map(Int.init) }
        return SequenceOrder(
            base: places.base, ours: places.ours, theirs: places.theirs, count: keys.count,
            precedes: <, sortings: { [] }
        ).firstReplacedTwice.map { Int32(truncatingIfNeeded: $0) }
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
        let orders = numberOrders + columnOrders + [bytes, { bytes($1, $0) }]
        return orders.first { isBefore in
            order.all.allSatisfy { side in zip(side, side.dropFirst()).allSatisfy(isBefore) }
        }
    }

    /// The orders of keys of several columns: by the first, then by the next ones, each as numbers or by its bytes.
    private var columnOrders: [(Int32, Int32) -> Bool] {
        guard keyWidth > 1 else { return [] }
        let fields = keys.map {
            $0.split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
        }
        guard fields.allSatisfy({ $0.count == keyWidth }) else { return [] }
        let numbers = fields.map { $0.map { DecimalText($0) } }
        let areNumbers = (0..<keyWidth).map { column in numbers.allSatisfy { $0[column] != nil } }
        let columns: (Int32, Int32) -> Bool = { first, second in
            let (first, second) = (Int(first), Int(second))
            for column in areNumbers.indices {
                if areNumbers[column], let one = numbers[first][column],
                    let other = numbers[second][column], one < other || other < one
                {
                    return one < other
                }
                let (one, other) = (fields[first][column], fields[second][column])
                if one != other { return one.lexicographicallyPrecedes(other) }
            }
            return false
        }
        return [columns, { columns($1, $0) }]
    }
}

/// How the rows of a file are identified in all versions.
struct CSVKey {
    /// Names that a key column is likely to have, the likeliest first.
    private static let likelyNames = ["id", "uuid", "key", "name"].map { Array($0.utf8) }

    let columns: [[UInt8]]
    /// Whether equal rows are told apart by counting them.
    let isWholeRow: Bool
    /// Whether a rule of the user names the columns.
    let isChosen: Bool
    /// How many of the first columns may have numbers that each side gave to new rows; 0 where a key of the rows tells.
    let numberColumns: Int

    /// The first two columns, where both together identify the rows of every version, as those of a table of
    /// texts by number and language do; nil where they do not, or are others in a version.
    init?(pairOf sheets: Versions<CSVSheet>) {
        let pairs = sheets.all.map { $0.columns.prefix(2) }
        guard let first = pairs.first, first.count == 2, pairs.allSatisfy({ $0 == first }),
            sheets.all.allSatisfy({ Self.haveValues($0) }),
            Self.areUnique(Array(first), sheets.all, allowsEmpty: false)
        else { return nil }
        columns = Array(first)
        isWholeRow = false
        isChosen = false
        numberColumns = 2
    }

    /// All columns, where both sides only added rows, and no equal ones, which could be one or two.
    init?(ofAdditionsTo sheets: Versions<CSVSheet>) {
        guard sheets.all.allSatisfy({ $0.columns == sheets.base.columns }) else { return nil }
        columns = sheets.base.columns
        isWholeRow = true
        isChosen = false
        numberColumns = 1
        let rows = CSVRows(sheets, self)
        for number in rows.keys.indices {
            let records = rows.records(Int32(truncatingIfNeeded: number))
            let isKept = records.ours != nil && records.theirs != nil
            guard (records.base != nil) == isKept else { return nil }
        }
    }

    /// The columns that the user chose, else the first that is unique in all versions
    /// (`id`, `uuid`, `key` and `name` before others), else everything that the versions share.
    /// nil if the user's choice is not unique.
    init?(for sheets: Versions<CSVSheet>, chosen: [String]) {
        let common = sheets.commonColumns
        numberColumns = 0
        isChosen = !chosen.isEmpty
        if isChosen {
            columns = chosen.map { Array($0.utf8) }
            isWholeRow = false
            guard Self.areUnique(columns, sheets.all, allowsEmpty: true) else { return nil }
            return
        }
        let likely = Self.likelyNames.flatMap { name in
            common.filter { Self.lowercase($0) == name }
        }
        if let unique = (likely + common).first(where: {
            Self.areUnique([$0], sheets.all, allowsEmpty: false)
        }) {
            columns = [unique]
            isWholeRow = false
        } else {
            columns = common
            isWholeRow = true
        }
    }

    /// The key of each row of a version, in their order.
    func keys(of sheet: CSVSheet) -> [[UInt8]] {
        let places = columns.compactMap { sheet.columns.firstIndex(of: $0) }
        var occurrences: [[UInt8]: Int] = [:]
        return sheet.rows.map { row in
            let key = Self.key(of: row, places, sheet)
            guard isWholeRow else { return key }
            occurrences[key, default: 0] += 1
            let number = UInt64(occurrences[key, default: 0]).bigEndian
            return withUnsafeBytes(of: number) { key + [0] + $0 }
        }
    }

    /// What a row has in these columns. No field has a zero byte, so joined keys are as different as their fields.
    private static func key(
        of row: CSVTable.Record, _ places: [Int], _ sheet: CSVSheet
    ) -> [UInt8] {
        guard places.count != 1 else { return sheet.value(row, places[0]) }
        return Array(places.map { sheet.value(row, $0) }.joined(separator: [0]))
    }

    /// A key as messages show it.
    func name(_ key: [UInt8]) -> String {
        let shown = isWholeRow ? key.dropLast(9) : key[...]
        return shown.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    /// Whether columns identify the rows of every version.
    static func areUnique(
        _ columns: [[UInt8]], _ sheets: [CSVSheet], allowsEmpty: Bool
    ) -> Bool {
        sheets.filter { !$0.columns.isEmpty }.allSatisfy { sheet in
            let places = columns.compactMap { sheet.columns.firstIndex(of: $0) }
            guard places.count == columns.count else { return false }
            var seen: Set<ByteKey> = []
            return sheet.rows.allSatisfy { row in
                let key = key(of: row, places, sheet)
                return (allowsEmpty || !key.isEmpty) && seen.insert(ByteKey(key)).inserted
            }
        }
    }

    /// Whether each row of a version has something in the first two columns.
    private static func haveValues(_ sheet: CSVSheet) -> Bool {
        sheet.rows.allSatisfy { row in
            (0..<2).allSatisfy { sheet.raw(row, $0)?.isEmpty == false }
        }
    }

    private static func lowercase(_ name: [UInt8]) -> [UInt8] {
        name.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
}

/// The merged order of rows or columns that two sides added, removed or reordered.
struct KeyOrder {
    let base: [Int32]
    let ours: [Int32]
    let theirs: [Int32]
    /// Which keys are in the result. A key of the base is only if both sides have it, or as one side's version of a conflict.
    let survives: [Bool]
    /// Merges what both sides inserted at the same place.
    let lineMerge3: LineMerge3

    /// The keys of the result: what is in the base in the order of the side that changed it, and
    /// behind each of these what a side added behind it. nil if both sides changed the order
    /// otherwise.
    func merged() -> [Int32]? {
        func marks(_ keys: [Int32]) -> [Bool] {
            var result = [Bool](repeating: false, count: survives.count)
            for key in keys where survives[Int(key)] { result[Int(key)] = true }
            return result
        }
        var isCommon = marks(base)
        // One that stays on one side only, as a conflict's version, has its place as if that side had added it.
        let (isOurs, isTheirs) = (marks(ours), marks(theirs))
        for key in isCommon.indices where !isOurs[key] || !isTheirs[key] { isCommon[key] = false }
        let baseOrder = base.filter { isCommon[Int($0)] }
        let oursOrder = ours.filter { isCommon[Int($0)] }
        let theirsOrder = theirs.filter { isCommon[Int($0)] }
        let isAgreed = theirsOrder == baseOrder || theirsOrder == oursOrder
        if oursOrder == baseOrder { return placed(along: theirsOrder, isCommon) }
        return isAgreed ? placed(along: oursOrder, isCommon) : nil
    }

    private func placed(along order: [Int32], _ isCommon: [Bool]) -> [Int32] {
        let oursAdded = added(ours, isCommon)
        let theirsAdded = added(theirs, isCommon)
        var isPlaced = isCommon
        var result: [Int32] = []
        for anchor in [-1] + order {
            if anchor >= 0 { result.append(anchor) }
            for key in lineMerge3.merged(oursAdded[anchor] ?? [], theirsAdded[anchor] ?? [])
            where !isPlaced[Int(key)] {
                isPlaced[Int(key)] = true
                result.append(key)
            }
        }
        return result
    }

    /// What a side added, by the common key before it; -1 stands for none.
    private func added(_ side: [Int32], _ isCommon: [Bool]) -> [Int32: [Int32]] {
        var result: [Int32: [Int32]] = [:]
        var anchor: Int32 = -1
        for key in side where survives[Int(key)] {
            if isCommon[Int(key)] { anchor = key } else { result[anchor, default: []].append(key) }
        }
        return result
    }
}

/// Numbers keys; equal keys get the same number.
struct KeyNumbers {
    private var numbers: [ByteKey: Int32] = [:]
    /// The keys by their number.
    private(set) var keys: [[UInt8]] = []

    mutating func number(of key: [UInt8]) -> Int32 {
        if let known = numbers[ByteKey(key)] { return known }
        let new = Int32(truncatingIfNeeded: keys.count)
        numbers[ByteKey(key)] = new
        keys.append(key)
        return new
    }

    /// Orders runs by the bytes of their keys.
    var lineMerge3: LineMerge3 {
        let keys = keys
        return LineMerge3 { first, second in
            first.lexicographicallyPrecedes(second) {
                keys[Int($0)].lexicographicallyPrecedes(keys[Int($1)])
            }
        }
    }
}
