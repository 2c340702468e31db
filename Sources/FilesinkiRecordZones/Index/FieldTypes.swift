import FilesinkiItems
import FilesinkiModel
import FilesinkiRecords
import FilesinkiSQLite

/// The types that the values of a field have, or had, in a zone's file. A schema does not say: two devices may have
/// given a field another type each, and a schema can be changed.
extension RecordDatabase {
    /// Records the types of a record's values.
    func addFieldTypes(of record: Record) throws(Failure) {
        for (name, field) in record.fields {
            try addFieldType(field.value.type.description, of: name.text, in: record.type.text)
        }
    }

    /// Records a type that a value of a field has.
    func addFieldType(_ name: String, of field: String, in type: String) throws(Failure) {
        let statement = try cache.statement(
            "INSERT OR IGNORE INTO field_type (type, field, value_type) VALUES (?, ?, ?)")
        statement.bind(type, at: 1)
        statement.bind(field, at: 2)
        statement.bind(name, at: 3)
        try statement.execute()
    }

    /// The names of the types of a field's values.
    func fieldTypes(of field: FieldName, in type: RecordType) throws(Failure) -> Set<String> {
        let statement = try cache.statement(
            "SELECT value_type FROM field_type WHERE type = ? AND field = ?")
        defer { statement.reset() }
        statement.bind(type.text, at: 1)
        statement.bind(field.text, at: 2)
        var types: Set<String> = []
        while try statement.step() { types.insert(statement.text(0)) }
        return types
    }
}
