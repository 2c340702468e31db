import FilesinkiText

/// What a TOML document has defined so far, to find what is defined twice.
///
/// Source: TOML 1.0, <https://toml.io/en/v1.0.0>, the sections on keys, tables and arrays of tables.
struct TOMLDefinitions {
    private enum Definition: Equatable {
        case value
        /// `[name]`
        case table
        /// A table above a `[name.below]`.
        case implicit
        /// A table that a key with dots has made.
        case dotted
        /// `[[name]]`, so many times.
        case array(Int)
    }

    private var definitions: [[String]: Definition] = [:]
    /// The table of the next keys.
    private var table: [String] = []

    /// Whether the bytes are TOML in which nothing is defined twice.
    static func isDocument(_ bytes: [UInt8]) -> Bool {
        guard let statements = try? TOMLReader.read(bytes, file: "") else { return false }
        var found = TOMLDefinitions()
        return statements.allSatisfy { found.add($0.kind) }
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
        var path: [String] = []
        for (position, part) in key.enumerated() {
            path.append(part)
            let isLast = position == key.count - 1
            switch (definitions[path], isLast, isInArray) {
            case (.array(let count), false, _): path.append("[\(count)]")
            case (.array(let count), true, true):
                definitions[path] = .array(count + 1)
                path.append("[\(count + 1)]")
            case (nil, true, true):
                definitions[path] = .array(1)
                path.append("[1]")
            case (nil, true, false), (.implicit, true, false): definitions[path] = .table
            case (nil, false, _): definitions[path] = .implicit
            case (.table, false, _), (.implicit, false, _), (.dotted, false, _): continue
            default: return false
            }
        }
        table = path
        return true
    }

    private mutating func add(_ pair: TOMLPair) -> Bool {
        var path = table
        for part in pair.key.dropLast() {
            path.append(part)
            guard [nil, .dotted].contains(definitions[path]) else { return false }
            definitions[path] = .dotted
        }
        path += pair.key.suffix(1)
        guard definitions[path] == nil else { return false }
        definitions[path] = .value
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
