package import FilesinkiModel
package import FilesinkiText

/// A record as a JSON text describes it: what ``RecordJSON`` writes, or a short form such as
/// `{"type":"Note","fields":{"title":"Hello","count":3,"old":null}}`.
///
/// In the short form the type of a value is the one that the schema has for the field. For an unknown field
/// it is inferred: text is `string`, a number without a fraction or exponent `int`, any other number
/// `double`, an array a list of these, and null removes. Members that are not known are ignored, as
/// `created` and `modified` are: what saves a record sets them.
package struct RecordInput: Hashable, Sendable {
    package var name: RecordName?
    package var type: RecordType?
    package var tag: String?
    package var zone: String?
    /// What is said about fields, each once.
    package var fields: [FieldName: FieldInput] = [:]

    /// - Parameter known: The type that the schema has for a field of a record type, nil for an unknown one. The
    ///   record type is the text's own, or nil if it has none.
    /// - Throws: `Failure` with code `usage` that names the field, and the byte in the text.
    package init(
        parsing bytes: [UInt8], known: (RecordType?, FieldName) -> FieldType?
    ) throws(Failure) {
        try self.init(try JSONTree(bytes), known: known)
    }

    /// The record of a part of a JSON text: see ``init(parsing:known:)``.
    package init(
        _ tree: JSONTree, known: (RecordType?, FieldName) -> FieldType?
    ) throws(Failure) {
        let members = try Self.members(tree)
        if let text = try Self.text(members["name"]) { name = try RecordName(text) }
        if let text = try Self.text(members["type"]) { type = try RecordType(text) }
        tag = try Self.text(members["tag"])
        zone = try Self.text(members["zone"])
        guard let tree = members["fields"] else { return }
        for child in tree.kind == .object ? tree.children : [] {
            let name = try FieldName(try FieldJSON.text(child.name, child, "A name"))
            guard fields[name] == nil else {
                throw FieldJSON.error("The field '\(name)' occurs twice.", child)
            }
            fields[name] = try FieldJSON(name: name).input(child, known: known(type, name))
        }
        guard tree.kind == .object else {
            throw FieldJSON.error("The member 'fields' is not an object.", tree)
        }
    }

    /// The members of an object by their names. Of members with the same name none is taken.
    private static func members(_ tree: JSONTree) throws(Failure) -> [String: JSONTree] {
        guard tree.kind == .object else { throw FieldJSON.error("A record is an object.", tree) }
        var members: [String: JSONTree] = [:]
        for child in tree.children {
            let name = try FieldJSON.text(child.name, child, "A name")
            guard members.updateValue(child, forKey: name) == nil else {
                throw FieldJSON.error("'\(printable(name.utf8))' occurs twice.", child)
            }
        }
        return members
    }

    private static func text(_ tree: JSONTree?) throws(Failure) -> String? {
        guard let tree, !FieldJSON.isNull(tree) else { return nil }
        guard tree.kind == .string else {
            throw FieldJSON.error(
                "The member '\(printable(tree.name))' is not a text.", tree)
        }
        return try FieldJSON.text(tree.text, tree, "A text")
    }
}
