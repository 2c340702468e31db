import FilesinkiModel
import FilesinkiText

/// Reads a field's value from JSON that is not trusted.
struct FieldJSON {
    let name: FieldName

    func input(_ tree: JSONTree, known: FieldType?) throws(Failure) -> FieldInput {
        if Self.isNull(tree) { return .remove }
        if let (given, value) = try typed(tree) {
            if let known, given != known { throw FieldTypes.mismatch(name, given, known) }
            if let value { return try input(value, given) }
            return .remove
        }
        if let known { return try input(tree, known) }
        return .value(try inferred(tree))
    }

    /// The type and the value of `{"type":…,"value":…}`, the value nil for null; nil for anything else.
    private func typed(_ tree: JSONTree) throws(Failure) -> (FieldType, JSONTree?)? {
        guard tree.kind == .object else { return nil }
        let children = tree.children
        guard children.count == 2,
            let type = children.first(where: { $0.name == Array("type".utf8) }),
            let value = children.first(where: { $0.name == Array("value".utf8) })
        else { return nil }
        let text = try Self.text(type.text, type, "A type")
        guard type.kind == .string, let known = FieldType(name: text) else {
            throw error("has an unknown type '\(printable(text.utf8))'", type)
        }
        return (known, Self.isNull(value) ? nil : value)
    }

    private func input(_ tree: JSONTree, _ type: FieldType) throws(Failure) -> FieldInput {
        if type.element == .asset, let files = try files(tree, isList: type.isList) {
            return .files(files, isList: type.isList)
        }
        guard type.isList else { return .value(try element(tree, type.element)) }
        guard tree.kind == .array else { throw error("is a list, the value is not", tree) }
        let elements = try tree.children.map { child throws(Failure) in
            try element(child, type.element)
        }
        return .value(.list(try FieldList(elements, of: type.element)))
    }

    /// The names of `{"file":NAME}`, or of a list of these; nil for other values.
    private func files(_ tree: JSONTree, isList: Bool) throws(Failure) -> [String]? {
        guard isList == (tree.kind == .array) else { return nil }
        var names: [String] = []
        for part in isList ? tree.children : [tree] {
            guard part.kind == .object, part.children.count == 1, let file = part.children.first,
                file.name == Array("file".utf8), file.kind == .string
            else { return nil }
            names.append(try Self.text(file.text, file, "A file name"))
        }
        return names.isEmpty ? nil : names
    }

    // MARK: - Types of elements

    private func element(_ tree: JSONTree, _ type: ElementType) throws(Failure) -> FieldValue {
        let value: FieldValue? =
            switch (type, tree.kind) {
            case (.string, .string): .string(try Self.text(tree.text, tree, "A text"))
            case (.integer, .number): Int64(Self.spelling(tree)).map(FieldValue.integer)
            case (.double, .number), (.double, .string):
                number(tree).map(FieldValue.double)
            case (.date, .string):
                DateText.milliseconds(Self.spelling(tree)).map { .date(milliseconds: $0) }
            case (.data, .string): Base64.decode(Self.spelling(tree)).map(FieldValue.data)
            case (.location, .object): try location(tree)
            case (.reference, .string):
                .reference(Reference(try RecordName(try Self.text(tree.text, tree, "A text"))))
            case (.reference, .object): try reference(tree)
            case (.asset, .object): try asset(tree)
            default: nil
            }
        guard let value else {
            throw error("is of type \(type.name), the value is not", tree)
        }
        return value
    }

    /// A number in the range of a double, or `"inf"` or `"-inf"`.
    private func number(_ tree: JSONTree) -> Double? {
        let text = Self.spelling(tree)
        guard tree.kind == .number else {
            return ["inf": Double.infinity, "-inf": -.infinity][text]
        }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    private func location(_ tree: JSONTree) throws(Failure) -> FieldValue? {
        guard let members = Self.scalars(tree, ["latitude", "longitude"]),
            let latitude = members["latitude"].flatMap(number),
            let longitude = members["longitude"].flatMap(number)
        else { return nil }
        return .location(try Location(latitude: latitude, longitude: longitude))
    }

    private func reference(_ tree: JSONTree) throws(Failure) -> FieldValue? {
        guard let members = Self.scalars(tree, ["name", "action"]), let target = members["name"]
        else { return nil }
        let action = members["action"].map(Self.spelling) ?? "none"
        guard let action = Reference.Action(name: action) else {
            throw error("has an unknown action '\(printable(action.utf8))'", tree)
        }
        let name = try RecordName(try Self.text(target.text, target, "A name"))
        return .reference(Reference(name, action: action))
    }

    private func asset(_ tree: JSONTree) throws(Failure) -> FieldValue? {
        guard let members = Self.scalars(tree, ["sha256", "size"]),
            let content = members["sha256"].flatMap({ ContentID(hexadecimal: Self.spelling($0)) }),
            let size = members["size"].flatMap({ UInt64(Self.spelling($0)) })
        else { return nil }
        return .asset(Asset(content, size: size))
    }

    /// The scalars of an object; nil for one with other names, or with a name twice.
    private static func scalars(_ tree: JSONTree, _ names: Set<String>) -> [String: JSONTree]? {
        var members: [String: JSONTree] = [:]
        for child in tree.children {
            let name = String(decoding: child.name, as: UTF8.self)
            guard names.contains(name), !child.kind.isContainer,
                members.updateValue(child, forKey: name) == nil
            else { return nil }
        }
        return members
    }

    // MARK: - Inferred types

    private func inferred(_ tree: JSONTree) throws(Failure) -> FieldValue {
        guard tree.kind == .array else { return try inferredElement(tree) }
        let elements = try tree.children.map { child throws(Failure) in
            try inferredElement(child)
        }
        guard let first = elements.first else {
            throw error("is an empty list, the type of which is not known", tree)
        }
        for (index, element) in elements.enumerated() where element.type != first.type {
            throw error(
                "is a list of type \(first.type), element \(index + 1) is of type \(element.type)",
                tree.children[index])
        }
        return .list(try FieldList(elements, of: first.type.element))
    }

    private func inferredElement(_ tree: JSONTree) throws(Failure) -> FieldValue {
        switch tree.kind {
        case .string: return .string(try Self.text(tree.text, tree, "A text"))
        case .number:
            let text = tree.text
            let isWhole = text.allSatisfy { $0 == UInt8(ascii: "-") || JSONString.isDigit($0) }
            let type: ElementType = isWhole && text != Array("-0".utf8) ? .integer : .double
            return try element(tree, type)
        case .literal: throw error("has a truth value or null; fields have none", tree)
        case .object, .array:
            throw error("has a value, the type of which cannot be inferred", tree)
        }
    }

    // MARK: - Errors

    private func error(_ reason: String, _ tree: JSONTree) -> Failure {
        var failure = Self.error("The field '\(name)' \(reason).", tree)
        failure.path = Array(name.text.utf8)
        failure.remedy = "Correct it, or write the type: {\"type\":\"int\",\"value\":3}."
        return failure
    }

    static func error(_ message: String, _ tree: JSONTree) -> Failure {
        Failure(
            .usage, "Invalid JSON, at byte \(tree.place.lowerBound): \(message)",
            remedy: "Correct it and try again.")
    }

    /// - Parameter what: The beginning of a sentence, such as `A name`.
    static func text(
        _ bytes: [UInt8], _ tree: JSONTree, _ what: String
    ) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("\(what) is not valid UTF-8.", tree)
        }
        return text
    }

    static func isNull(_ tree: JSONTree) -> Bool {
        tree.kind == .literal && tree.text == Array("null".utf8)
    }

    private static func spelling(_ tree: JSONTree) -> String {
        String(decoding: tree.text, as: UTF8.self)
    }
}
