internal import FilesinkiMerge
internal import FilesinkiModel
import FilesinkiText

/// Makes values of JSON that anybody may have written.
struct JSONReader {
    let form: JSONText.Form

    /// The value of a whole text.
    func document(_ bytes: [UInt8]) throws(Failure) -> TypedValue {
        try value(Self.tree(bytes), depth: 0)
    }

    /// The members of an object, with their places in the text.
    func members(_ bytes: [UInt8]) throws(Failure) -> [JSONMembers.Member] {
        let object = try Self.tree(bytes)
        guard object.kind == .object else { throw Self.flaw("A { is missing.", object) }
        let found = try object.children.map { child throws(Failure) in
            JSONMembers.Member(
                name: try Self.text(child.name, child), value: try value(child, depth: 1),
                whole: child.wholePlace, content: child.place)
        }
        guard Set(found.map { Array($0.name.utf8) }).count == found.count else {
            throw Self.flaw("A name occurs twice.", object)
        }
        return found
    }

    private static func tree(_ bytes: [UInt8]) throws(Failure) -> JSONTree {
        let tree = try JSONTree(bytes)
        // A mark before the text is no part of JSON, though many let it pass.
        guard bytes.first != 0xEF else { throw flaw("A byte order mark stands before it.", tree) }
        return tree
    }

    private func value(_ tree: JSONTree, depth: Int) throws(Failure) -> TypedValue {
        guard depth <= ValueCoder.maximumDepth else {
            throw Self.flaw("It is nested too deeply.", tree)
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

    /// - Parameter isWrapped: Whether a tag says that no tag is meant.
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
            throw Self.flaw("A name occurs twice.", tree)
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
        throw Self.flaw("\(printable(member.name.utf8)) has no such value.", tree)
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
                throw flaw("The number \(text) does not fit into 64 bits.", tree)
            }
            return .integer(whole)
        }
        guard let number = Double(text), number.isFinite else {
            throw flaw("The number \(printable(text.utf8)) cannot be kept.", tree)
        }
        return .double(number)
    }

    private static func text(_ bytes: [UInt8], _ tree: JSONTree) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw flaw("A text is not UTF-8: it has half a character.", tree)
        }
        return text
    }

    private static func flaw(_ message: String, _ tree: JSONTree) -> Failure {
        Failure(
            .usage, "This JSON cannot be used, at byte \(tree.place.lowerBound): \(message)",
            remedy: "Correct it and try again.")
    }
}
