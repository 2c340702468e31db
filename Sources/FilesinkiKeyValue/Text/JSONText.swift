package import FilesinkiModel
import FilesinkiText

/// Values as JSON (RFC 8259).
package enum JSONText {
    /// How types are written that JSON lacks.
    package enum Form: Sendable {
        /// Dates and data as text: for programs that know what to expect.
        case plain
        /// With `$date`, `$data`, `$url` and `$double`, so that reading gives the very same value.
        case exact
    }

    /// The value of a JSON text.
    ///
    /// - Parameter form: Whether members such as `$date` mean a type.
    /// - Throws: `Failure` with code `usage` and the place of the error.
    package static func decode(
        _ bytes: some Collection<UInt8>, _ form: Form = .plain
    ) throws(Failure) -> TypedValue {
        try JSONReader(form: form).document(Array(bytes))
    }

    /// The value as JSON on one line.
    package static func encode(_ value: TypedValue, _ form: Form = .plain) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, form, to: &bytes)
        return bytes
    }

    private static func append(_ value: TypedValue, _ form: Form, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += Array("null".utf8)
        case .bool(let value): bytes += Array((value ? "true" : "false").utf8)
        case .integer(let value): bytes += Array(String(value).utf8)
        case .double(let value): append(value, form, to: &bytes)
        case .date(let value):
            tagged("$date", form, to: &bytes) { JSONString.append(DateText.text(value), to: &$0) }
        case .string(let text): JSONString.append(text, to: &bytes)
        case .data(let data):
            tagged("$data", form, to: &bytes) { JSONString.append(Base64.encode(data), to: &$0) }
        case .url(let text): tagged("$url", form, to: &bytes) { JSONString.append(text, to: &$0) }
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(value, form, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .dictionary(let members):
            // A dictionary that looks like a tag is wrapped in one.
            let isAmbiguous = members.count == 1 && members.first?.name.first == "$"
            guard form == .exact, isAmbiguous else { return append(members, form, to: &bytes) }
            tagged("$dictionary", form, to: &bytes) { append(members, form, to: &$0) }
        }
    }

    private static func append(_ members: ValueMembers, _ form: Form, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONString.append(member.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(member.value, form, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func tagged(
        _ tag: String, _ form: Form, to bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void
    ) {
        guard form == .exact else { return body(&bytes) }
        bytes += Array("{\"\(tag)\":".utf8)
        body(&bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ number: Double, _ form: Form, to bytes: inout [UInt8]) {
        guard number.isInfinite else {
            bytes += Array(number.description.utf8)
            return
        }
        tagged("$double", form, to: &bytes) {
            JSONString.append(number < 0 ? "-inf" : "inf", to: &$0)
        }
    }
}

/// Reads values from JSON that is not trusted.
struct JSONReader {
    let form: JSONText.Form

    /// The value of a whole text.
    func document(_ bytes: [UInt8]) throws(Failure) -> TypedValue {
        try value(Self.tree(bytes), depth: 0)
    }

    /// The members of an object, with their places in the text.
    func members(_ bytes: [UInt8]) throws(Failure) -> [JSONMembers.Member] {
        let object = try Self.tree(bytes)
        guard object.kind == .object else { throw Self.error("A { is missing.", object) }
        let found = try object.children.map { child throws(Failure) in
            JSONMembers.Member(
                name: try Self.text(child.name, child), value: try value(child, depth: 1),
                whole: child.wholePlace, content: child.place)
        }
        guard Set(found.map { Array($0.name.utf8) }).count == found.count else {
            throw Self.error("A name occurs twice.", object)
        }
        return found
    }

    private static func tree(_ bytes: [UInt8]) throws(Failure) -> JSONTree {
        let tree = try JSONTree(bytes)
        // A mark before the text is no part of JSON, though many let it pass.
        guard bytes.first != 0xEF else { throw error("A byte order mark stands before it.", tree) }
        return tree
    }

    private func value(_ tree: JSONTree, depth: Int) throws(Failure) -> TypedValue {
        guard depth <= ValueCoder.maximumDepth else {
            throw Self.error("It is nested too deeply.", tree)
        }
        switch tree.kind {
        case .object: return try object(tree, depth: depth)
        case .array:
            return .array(
                try tree.children.map { child throws(Failure) in
                    try value(child, depth: depth + 1)
                })
        case .string: return .string(try Self.text(tree.text, tree))
        case .number: return try Self.number(tree)
        case .literal: return Self.literal(tree.text)
        }
    }

    /// - Parameter isWrapped: Whether the object is inside an escape, so that its members are not tags.
    private func object(
        _ tree: JSONTree, depth: Int, isWrapped: Bool = false
    ) throws(Failure) -> TypedValue {
        let members = try tree.children.map { child throws(Failure) in
            let name = try Self.text(child.name, child)
            let value = try member(name, child, depth: depth, isWrapped: isWrapped)
            return ValueMembers.Member(name: name, value: value)
        }
        if form == .exact, !isWrapped, members.count == 1, members[0].name.first == "$" {
            return try tagged(members[0], tree)
        }
        guard let members = ValueMembers(members) else {
            throw Self.error("A name occurs twice.", tree)
        }
        return .dictionary(members)
    }

    private func member(
        _ name: String, _ tree: JSONTree, depth: Int, isWrapped: Bool
    ) throws(Failure) -> TypedValue {
        let isWrapping = form == .exact && !isWrapped && name == "$dictionary"
        guard isWrapping, tree.kind == .object else { return try value(tree, depth: depth + 1) }
        return try object(tree, depth: depth + 1, isWrapped: true)
    }

    private func tagged(
        _ member: ValueMembers.Member, _ tree: JSONTree
    ) throws(Failure) -> TypedValue {
        switch (member.name, member.value) {
        case ("$date", .string(let text)):
            if let date = DateText.milliseconds(text) { return .date(milliseconds: date) }
        case ("$data", .string(let text)):
            if let data = Base64.decode(text) { return .data(data) }
        case ("$url", .string(let text)): return .url(text)
        case ("$double", .string("inf")): return .double(.infinity)
        case ("$double", .string("-inf")): return .double(-.infinity)
        case ("$dictionary", .dictionary): return member.value
        default: break
        }
        throw Self.error("\(printable(member.name.utf8)) has an invalid value.", tree)
    }

    private static func literal(_ word: [UInt8]) -> TypedValue {
        switch word.first {
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        default: .null
        }
    }

    private static func number(_ tree: JSONTree) throws(Failure) -> TypedValue {
        let text = String(decoding: tree.text, as: UTF8.self)
        let isWhole = text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
        if isWhole, text != "-0" {
            guard let whole = Int64(text) else {
                throw error("The number \(text) does not fit into 64 bits.", tree)
            }
            return .integer(whole)
        }
        guard let number = Double(text), number.isFinite else {
            throw error("The number \(printable(text.utf8)) is out of range.", tree)
        }
        return .double(number)
    }

    private static func text(_ bytes: [UInt8], _ tree: JSONTree) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("A string is not valid UTF-8.", tree)
        }
        return text
    }

    private static func error(_ message: String, _ tree: JSONTree) -> Failure {
        Failure(
            .usage, "Invalid JSON, at byte \(tree.place.lowerBound): \(message)",
            remedy: "Correct it and try again.")
    }
}

extension TypedValue {
    /// The value's bytes for scripts: texts and data as they are, dates as text, everything else as
    /// JSON.
    package var plainBytes: [UInt8] {
        switch self {
        case .string(let text), .url(let text): Array(text.utf8)
        case .data(let bytes): bytes
        case .date(let milliseconds): Array(DateText.text(milliseconds).utf8)
        case .double(let number): Array(number.description.utf8)
        case .null, .bool, .integer, .array, .dictionary: JSONText.encode(self)
        }
    }

    /// The value of this one's type that has these bytes; nil for invalid bytes.
    func sameType(plainBytes bytes: [UInt8]) -> TypedValue? {
        if case .data = self { return .data(bytes) }
        guard let whole = String(validating: bytes, as: UTF8.self) else { return nil }
        if case .string = self { return .string(whole) }
        let text = Self.trimmed(whole)
        switch self {
        case .url: return text.isEmpty ? nil : .url(text)
        case .date: return DateText.milliseconds(text).map { .date(milliseconds: $0) }
        case .double: return Double(text).flatMap { $0.isNaN ? nil : .double($0) }
        case .bool, .integer, .array, .dictionary:
            guard let value = try? JSONText.decode(text.utf8), value.type == type else {
                return nil
            }
            return value
        case .null, .string, .data: return nil
        }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        return String(text)
    }
}
