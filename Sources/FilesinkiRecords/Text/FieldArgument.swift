package import FilesinkiModel

/// A field as a command line gives it: `FIELD=VALUE` or `FIELD:TYPE=VALUE`.
///
/// Without a type, the type is the one that the schema has for the field, else `string`; and the value
/// `null` removes the field. `FIELD:string=null` is a text.
package struct FieldArgument: Hashable, Sendable {
    package let name: FieldName
    package let input: FieldInput

    /// - Parameters:
    ///   - known: The type that the schema has for a field; nil for an unknown field.
    ///   - now: What a date of `now` means, in milliseconds since 1970-01-01 00:00 UTC.
    /// - Throws: `Failure` with code `usage` that names the field, and the column in bytes from 1.
    package init(
        parsing text: String, now: Int64, known: (FieldName) -> FieldType?
    ) throws(Failure) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw Failure(
                .usage, path: text, "The argument has no '='.",
                remedy: "Write FIELD=VALUE or FIELD:TYPE=VALUE.")
        }
        let parts = text[..<equals].split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = try FieldName(String(parts.first ?? ""))
        let value = String(text[text.utf8.index(after: equals)...])
        let column = text.utf8.distance(from: text.utf8.startIndex, to: equals) + 2
        self.name = name
        if parts.count == 1, value == "null" {
            input = .remove
            return
        }
        let type = try Self.type(name, parts.count == 2 ? String(parts[1]) : nil, known(name))
        do throws(ValueText.Invalid) {
            input = try ValueText(now: now).input(value, type)
        } catch {
            throw Failure(
                .usage, path: name.text,
                "The field '\(name)', of type \(type), is invalid at column "
                    + "\(column + error.offset): \(error.reason)",
                remedy: error.remedy)
        }
    }

    private static func type(
        _ name: FieldName, _ given: String?, _ known: FieldType?
    ) throws(Failure) -> FieldType {
        guard let given else { return known ?? .string }
        let column = name.text.utf8.count + 2
        guard let type = FieldType(name: given) else {
            throw Failure(
                .usage, path: name.text,
                "The field '\(name)' has an unknown type at column \(column): "
                    + "'\(printable(given.utf8))'.",
                remedy: "The types are \(FieldType.all.map(\.name).joined(separator: ", ")).")
        }
        if let known, type != known { throw FieldTypes.mismatch(name, type, known, column: column) }
        return type
    }
}

/// The one type that a field has in all records of a type.
enum FieldTypes {
    static func mismatch(
        _ name: FieldName, _ given: FieldType, _ known: FieldType, column: Int? = nil
    ) -> Failure {
        let place = column.map { " at column \($0)" } ?? ""
        return Failure(
            .usage, path: name.text,
            "The field '\(name)' is of type \(known), and the value\(place) of type \(given).",
            remedy: "Give a value of type \(known), or use another field.")
    }
}
