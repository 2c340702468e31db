package import FilesinkiModel

/// What a schema has about a field: its type, how it is indexed and how it is merged.
package struct FieldSchema: Hashable, Sendable {
    package var type: FieldType
    package var indexes: FieldIndexes
    package var rule: FieldRule

    package init(_ type: FieldType, indexes: FieldIndexes = [], rule: FieldRule = .newest) {
        self.type = type
        self.indexes = indexes
        self.rule = rule
    }

    /// Checks that the type can have the indexes and the rule.
    ///
    /// - Throws: `Failure` with code `usage` that names the field.
    package func check(_ name: FieldName) throws(Failure) {
        for (index, word) in FieldIndexes.words
        where indexes.contains(index) && !Self.allows(index, type) {
            throw mismatch(
                name, word,
                "Sort by strings, numbers, dates and locations; search in strings and lists of them."
            )
        }
        if !Self.allows(rule, type) {
            throw mismatch(
                name, "merge=\(rule.name)",
                "max and min are for strings, numbers and dates, sum for numbers, union for lists.")
        }
    }

    /// The same without the indexes and the rule that the type cannot have.
    var fitting: FieldSchema {
        let allowed = FieldIndexes.words.map(\.index).filter { Self.allows($0, type) }
        return FieldSchema(
            type, indexes: indexes.intersection(FieldIndexes(allowed)),
            rule: Self.allows(rule, type) ? rule : .newest)
    }

    private static func allows(_ index: FieldIndexes, _ type: FieldType) -> Bool {
        switch index {
        // Locations are sorted by their distance from a point.
        case .sortable: isOrdered(type) || type == .location
        case .searchable: type.element == .string
        default: true
        }
    }

    private static func allows(_ rule: FieldRule, _ type: FieldType) -> Bool {
        switch rule {
        case .newest, .ask: true
        case .max, .min: isOrdered(type)
        case .sum: type == .integer || type == .double
        case .union: type.isList
        }
    }

    private static func isOrdered(_ type: FieldType) -> Bool {
        [.string, .integer, .double, .date].contains(type)
    }

    private func mismatch(_ name: FieldName, _ word: String, _ remedy: String) -> Failure {
        Failure(
            .usage, path: name.text, "The field '\(name)' of type \(type) cannot be \(word).",
            remedy: remedy)
    }
}

/// How a field is indexed, by the words of a schema.
package struct FieldIndexes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Comparisons use an index.
    package static let queryable = FieldIndexes(rawValue: 1)
    /// The results of a query can be sorted by the field.
    package static let sortable = FieldIndexes(rawValue: 2)
    /// The words of the field are found by a search for tokens.
    package static let searchable = FieldIndexes(rawValue: 4)

    /// Each index and its word, in the order in which they are written.
    package static let words: [(index: FieldIndexes, word: String)] = [
        (.queryable, "queryable"), (.sortable, "sortable"), (.searchable, "searchable"),
    ]
}
