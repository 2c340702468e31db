import FilesinkiText

/// What a TOML document has defined so far, to find what is defined twice.
///
/// Source: TOML 1.0, <https://toml.io/en/v1.0.0>, the sections on keys, tables and arrays of tables.
struct TOMLDefinitions {
    private enum Definition {
        case value
        /// `[name]`
        case table
        /// A table above a `[name.below]`.
        case implicit
        /// A table that a key with dots has made.
        case dotted
        /// `[[name]]`
        case array
    }

    /// A name in a table.
    private struct Place: Hashable {
        var table: Int
        var name: String
    }

    private struct Entry {
        var definition: Definition
        /// The number of the table, or of the last element of the array.
        var table: Int
    }

    private var entries: [Place: Entry] = [:]
    /// How many tables there are; the document is the first.
    private var tableCount = 1
    /// The table of the next keys.
    private var table = 0

    /// Whether the bytes are TOML in which nothing is defined twice.
    static func isDocument(_ bytes: [UInt8]) -> Bool {
        var found = TOMLDefinitions()
        // A little more than most documents have: a dictionary that grows hashes all names again.
        found.entries.reserveCapacity(bytes.count / 32)
        var isSound = true
        do {
            try TOMLReader.forEachStatement(of: bytes, file: "") { statement in
                isSound = found.add(statement.kind)
                return isSound
            }
        } catch {
            return false
        }
        return isSound
    }

    /// - Returns: False when the statement defines something again.
    private mutating func add(_ statement: TOMLStatement.Kind) -> Bool {
        switch statement {
        case .pair(let pair): add(pair)
        case .table(let key): addTable(key, isInArray: false)
        case .tableInArray(let key): addTable(key, isInArray: true)
        }
    }

    private mutating func addTable(_ key: [String], isInArray: Bool) -> Bool {
        var parent = 0
        for (position, part) in key.enumerated() {
            let place = Place(table: parent, name: part)
            let isLast = position == key.count - 1
            let entry = entries[place]
            switch (entry?.definition, isLast, isInArray) {
            case (.array, true, true), (nil, true, true): parent = define(.array, at: place)
            case (nil, true, false): parent = define(.table, at: place)
            case (nil, false, _): parent = define(.implicit, at: place)
            case (.implicit, true, false):
                entries[place]?.definition = .table
                parent = entry?.table ?? 0
            case (.array, false, _), (.table, false, _), (.implicit, false, _), (.dotted, false, _):
                parent = entry?.table ?? 0
            default: return false
            }
        }
        table = parent
        return true
    }

    /// - Returns: The number of the new table or element.
    private mutating func define(_ definition: Definition, at place: Place) -> Int {
        entries[place] = Entry(definition: definition, table: tableCount)
        tableCount += 1
        return tableCount - 1
    }

    private mutating func add(_ pair: TOMLPair) -> Bool {
        var parent = table
        for part in pair.key.dropLast() {
            let place = Place(table: parent, name: part)
            switch entries[place] {
            case nil: parent = define(.dotted, at: place)
            case let entry? where entry.definition == .dotted: parent = entry.table
            default: return false
            }
        }
        let place = Place(table: parent, name: pair.key.last ?? "")
        let entry = Entry(definition: .value, table: parent)
        guard entries.updateValue(entry, forKey: place) == nil else { return false }
        return Self.isSound(pair.value)
    }

    /// Whether no inline table has a key twice.
    private static func isSound(_ value: TOMLValue) -> Bool {
        switch value {
        case .array(let values): return values.allSatisfy(isSound)
        case .table(let pairs):
            var found = TOMLDefinitions()
            return pairs.allSatisfy { found.add($0) }
        default: return true
        }
    }
}
