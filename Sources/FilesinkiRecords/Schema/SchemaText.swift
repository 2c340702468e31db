package import FilesinkiModel

/// A schema as text, a line for each field, in a fixed order:
///
/// ```
/// # Note
/// type Note
/// Note.count int sortable merge=sum
/// Note.title string queryable searchable
/// ```
///
/// A line `locked` comes first in a locked one. What follows `#` is a comment.
package enum SchemaText {
    /// The text, which ends with a newline.
    package static func encode(_ schema: Schema) -> String {
        let head = """
            # The types and fields of records. A line for each field: TYPE.FIELD, the type
            # of its value, then any of queryable, sortable, searchable, and merge=RULE
            # unless the newest change wins.

            """
        return head + lines(schema).map { $0 + "\n" }.joined()
    }

    /// The lines without comments.
    static func lines(_ schema: Schema) -> [String] {
        var lines = schema.isLocked ? ["locked"] : []
        for (type, fields) in schema.types.sorted(by: { $0.key < $1.key }) {
            lines.append("type \(type)")
            for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
                lines.append(line(type, name, field))
            }
        }
        return lines
    }

    static func line(_ type: RecordType, _ name: FieldName, _ field: FieldSchema) -> String {
        var words = ["\(type).\(name)", field.type.name]
        words += FieldIndexes.words.filter { field.indexes.contains($0.index) }.map(\.word)
        if field.rule != .newest { words.append("merge=\(field.rule.name)") }
        return words.joined(separator: " ")
    }

    /// The lines that two schemas do not share: `- ` before those of the first, `+ ` before those of the
    /// second, in the order of the text.
    package static func diff(_ old: Schema, _ new: Schema) -> [String] {
        var lines: [String] = []
        if old.isLocked != new.isLocked { lines.append(new.isLocked ? "+ locked" : "- locked") }
        for type in Set(old.types.keys).union(new.types.keys).sorted() {
            let (before, after) = (old.types[type], new.types[type])
            if before == nil { lines.append("+ type \(type)") }
            if after == nil { lines.append("- type \(type)") }
            for name in Set((before ?? [:]).keys).union((after ?? [:]).keys).sorted() {
                let (before, after) = (before?[name], after?[name])
                if before == after { continue }
                if let before { lines.append("- " + line(type, name, before)) }
                if let after { lines.append("+ " + line(type, name, after)) }
            }
        }
        return lines
    }

    /// The schema of a text: one of ``encode(_:)``, or of somebody's own.
    ///
    /// A type may be named by its fields only.
    ///
    /// - Throws: `Failure` with code `usage` that names the line and, in a line, the column.
    package static func decode(_ text: String) throws(Failure) -> Schema {
        var schema = Schema()
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (index, line) in lines.enumerated() {
            try SchemaLine(line, number: index + 1).add(to: &schema)
        }
        return schema
    }
}

/// A line of a schema's text.
private struct SchemaLine {
    /// A word, and the column of its first byte, from 1.
    private struct Word {
        var text: String
        var column: Int
    }

    private let words: [Word]
    private let number: Int

    init(_ line: Substring, number: Int) {
        let content = line.prefix { $0 != "#" }
        words = content.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map { word in
            Word(
                text: String(word),
                column: line.utf8.distance(from: line.startIndex, to: word.startIndex) + 1)
        }
        self.number = number
    }

    func add(to schema: inout Schema) throws(Failure) {
        guard let first = words.first else { return }
        switch first.text {
        case "locked":
            try check(words.count == 1, words.last ?? first, "Nothing can follow 'locked'.")
            schema.isLocked = true
        case "type":
            try check(words.count == 2, first, "One type must follow 'type'.")
            let type = try type(words[1].text, words[1])
            schema.types[type] = schema.types[type] ?? [:]
        default: try addField(first, to: &schema)
        }
    }

    private func addField(_ first: Word, to schema: inout Schema) throws(Failure) {
        let names = first.text.split(separator: ".", omittingEmptySubsequences: false)
        try check(names.count == 2, first, "'\(printable(first.text.utf8))' is not TYPE.FIELD.")
        let type = try type(String(names[0]), first)
        let name = try name(String(names[1]), first)
        try check(schema[type, name] == nil, first, "'\(type).\(name)' occurs twice.")
        guard words.count > 1 else { throw error(first, "The type of the value is missing.") }
        guard let valueType = FieldType(name: words[1].text) else {
            throw error(words[1], "Unknown type: \(printable(words[1].text.utf8)).")
        }
        var field = FieldSchema(valueType)
        for word in words.dropFirst(2) { try apply(word, to: &field) }
        do { try field.check(name) } catch { throw self.error(first, error.message, error.remedy) }
        schema.types[type, default: [:]][name] = field
    }

    private func apply(_ word: Word, to field: inout FieldSchema) throws(Failure) {
        if let found = FieldIndexes.words.first(where: { $0.word == word.text }) {
            field.indexes.insert(found.index)
            return
        }
        guard word.text.hasPrefix("merge="),
            let rule = FieldRule(name: String(word.text.dropFirst(6)))
        else { throw error(word, "Unknown word: \(printable(word.text.utf8)).") }
        field.rule = rule
    }

    private func type(_ text: String, _ word: Word) throws(Failure) -> RecordType {
        do { return try RecordType(text) } catch {
            throw self.error(word, error.message, error.remedy)
        }
    }

    private func name(_ text: String, _ word: Word) throws(Failure) -> FieldName {
        do { return try FieldName(text) } catch {
            throw self.error(word, error.message, error.remedy)
        }
    }

    private func check(_ isValid: Bool, _ word: Word, _ message: String) throws(Failure) {
        if !isValid { throw error(word, message) }
    }

    private func error(
        _ word: Word, _ message: String,
        _ remedy: String =
            "Write TYPE.FIELD, the type, and any of queryable, sortable, searchable, merge=RULE."
    ) -> Failure {
        Failure(
            .usage, "Invalid schema, line \(number), column \(word.column): \(message)",
            remedy: remedy)
    }
}
