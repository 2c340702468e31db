/// How the rows of a file are known from version to version.
struct CSVKey {
    /// Names that a key column is likely to have, the likeliest first.
    private static let likelyNames = ["id", "uuid", "key", "name"].map { Array($0.utf8) }

    let columns: [[UInt8]]
    /// Whether equal rows are told apart by counting them.
    let isWholeRow: Bool

    /// The columns that the user chose, else the first that tells all rows of all versions apart
    /// (`id`, `uuid`, `key` and `name` before others), else everything that the versions share.
    /// nil if the user's choice does not tell the rows apart.
    init?(for sheets: Versions<CSVSheet>, chosen: [String]) {
        let common = sheets.commonColumns
        if !chosen.isEmpty {
            columns = chosen.map { Array($0.utf8) }
            isWholeRow = false
            guard Self.areUnique(columns, sheets, allowsEmpty: true) else { return nil }
            return
        }
        let likely = Self.likelyNames.flatMap { name in
            common.filter { Self.lowercase($0) == name }
        }
        if let unique = (likely + common).first(where: {
            Self.areUnique([$0], sheets, allowsEmpty: false)
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
            // No field has a zero byte, so joined keys are as different as their fields.
            let key = Array(places.map { sheet.value(row, $0) }.joined(separator: [0]))
            guard isWholeRow else { return key }
            occurrences[key, default: 0] += 1
            let number = UInt64(occurrences[key, default: 0]).bigEndian
            return withUnsafeBytes(of: number) { key + [0] + $0 }
        }
    }

    /// What a key is called in messages.
    func name(_ key: [UInt8]) -> String {
        let shown = isWholeRow ? key.dropLast(9) : key[...]
        return shown.split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private static func areUnique(
        _ columns: [[UInt8]], _ sheets: Versions<CSVSheet>, allowsEmpty: Bool
    ) -> Bool {
        sheets.all.filter { !$0.columns.isEmpty }.allSatisfy { sheet in
            let places = columns.compactMap { sheet.columns.firstIndex(of: $0) }
            guard places.count == columns.count else { return false }
            var seen: Set<[UInt8]> = []
            return sheet.rows.allSatisfy { row in
                let key = Array(places.map { sheet.value(row, $0) }.joined(separator: [0]))
                return (allowsEmpty || !key.isEmpty) && seen.insert(key).inserted
            }
        }
    }

    private static func lowercase(_ name: [UInt8]) -> [UInt8] {
        name.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
}
