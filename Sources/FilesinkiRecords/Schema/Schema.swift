package import FilesinkiModel

/// The types and fields of the records of a zone.
///
/// It grows by the first save of each type and field, until it is locked. A field has one type in all records
/// of a type.
package struct Schema: Hashable, Sendable {
    /// The fields of each record type.
    package var types: [RecordType: [FieldName: FieldSchema]] = [:]
    /// Whether unknown types and fields are refused.
    package var isLocked = false

    package init() {}

    /// What is known about a field; nil for an unknown one.
    package subscript(type: RecordType, name: FieldName) -> FieldSchema? { types[type]?[name] }

    /// The types of the fields of a record type that are known.
    package func fieldTypes(_ type: RecordType) -> [FieldName: FieldType] {
        (types[type] ?? [:]).mapValues(\.type)
    }

    /// The rule of a field: `newest` for one that is not known.
    package func rule(_ type: RecordType, _ name: FieldName) -> FieldRule {
        self[type, name]?.rule ?? .newest
    }

    /// Checks a record that is about to be saved, and adds the types and fields that are new.
    ///
    /// - Returns: Whether the schema has changed.
    /// - Throws: `Failure` with code `usage` for a field of another type than the known one, and, in a locked
    ///   schema, for an unknown type or field. Then nothing was added.
    @discardableResult
    package mutating func add(_ record: Record) throws(Failure) -> Bool {
        try check(record)
        var fields = types[record.type] ?? [:]
        for (name, field) in record.fields where fields[name] == nil {
            fields[name] = FieldSchema(field.value.type)
        }
        let isChanged = types[record.type] != fields
        types[record.type] = fields
        return isChanged
    }

    /// Checks a record that is about to be saved: see ``add(_:)``.
    package func check(_ record: Record) throws(Failure) {
        let fields = types[record.type]
        if fields == nil, isLocked {
            throw Failure(
                .usage, path: record.name.text,
                "The schema is locked and does not have the type '\(record.type)'.",
                remedy: locked)
        }
        for name in record.fieldNames {
            guard let given = record[name]?.type else { continue }
            if let known = fields?[name]?.type {
                if given != known { throw FieldTypes.mismatch(name, given, known) }
            } else if isLocked {
                throw Failure(
                    .usage, path: record.name.text,
                    "The schema is locked and does not have the field '\(record.type).\(name)'.",
                    remedy: locked)
            }
        }
    }

    private var locked: String { "Correct the name, or unlock the schema and add it." }
}
