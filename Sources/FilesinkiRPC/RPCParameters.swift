import FilesinkiText

/// The parameters of a call, by name. A parameter that is null counts as one that is not given.
package struct RPCParameters: Sendable {
    private let members: [String: JSONTree]

    /// - Throws: ``RPCError`` for parameters that are not an object.
    init(_ tree: JSONTree?) throws(RPCError) {
        guard let tree else {
            members = [:]
            return
        }
        guard tree.kind == .object else {
            guard tree.kind == .array else {
                throw .invalidRequest("The member params must be an object.")
            }
            throw .invalidParameters("Parameters are given by name: params must be an object.")
        }
        members = try Self.members(of: tree) { .invalidParameters($0) }
    }

    /// The members of an object by their names.
    ///
    /// - Throws: `error` when a name is not Unicode, or occurs twice.
    static func members(
        of object: JSONTree, _ error: (String) -> RPCError
    ) throws(RPCError) -> [String: JSONTree] {
        var members: [String: JSONTree] = [:]
        for child in object.children {
            guard let name = String(validating: child.name, as: UTF8.self) else {
                throw error("A name is not Unicode.")
            }
            guard members.updateValue(child, forKey: name) == nil else {
                throw error("The name \(JSONString.quoted(name)) occurs twice.")
            }
        }
        return members
    }

    package var names: Set<String> { Set(members.keys) }

    /// A parameter as the client wrote it, null too; nil if it is not given.
    package func written(_ name: String) -> [UInt8]? { members[name].map { Array($0.written) } }

    /// A parameter that is an object: its members by their names, each as the client wrote it.
    package func object(_ name: String) throws(RPCError) -> [(name: String, written: [UInt8])]? {
        guard let tree = value(name) else { return nil }
        guard tree.kind == .object else { throw wrong(name, "an object") }
        _ = try Self.members(of: tree) { .invalidParameters($0) }
        return tree.children.map { child in
            (String(decoding: child.name, as: UTF8.self), Array(child.written))
        }
    }

    /// A text; nil if it is not given.
    package func text(_ name: String) throws(RPCError) -> String? {
        try value(name).map { tree throws(RPCError) in try text(tree, name) }
    }

    /// A truth value; nil if it is not given.
    package func flag(_ name: String) throws(RPCError) -> Bool? {
        guard let tree = value(name) else { return nil }
        guard tree.kind == .literal else { throw wrong(name, "true or false") }
        return tree.text == Array("true".utf8)
    }

    /// A whole number that is not negative; nil if it is not given.
    package func number(_ name: String) throws(RPCError) -> UInt64? {
        guard let tree = value(name) else { return nil }
        guard tree.kind == .number, let number = UInt64(String(decoding: tree.text, as: UTF8.self))
        else { throw wrong(name, "a whole number from 0 on") }
        return number
    }

    /// A list of texts; nil if it is not given.
    package func texts(_ name: String) throws(RPCError) -> [String]? {
        guard let tree = value(name) else { return nil }
        guard tree.kind == .array else { throw wrong(name, "a list") }
        return try tree.children.map { child throws(RPCError) in try text(child, name) }
    }

    /// A list of any values, each as the client wrote it; nil if it is not given.
    package func elements(_ name: String) throws(RPCError) -> [[UInt8]]? {
        guard let tree = value(name) else { return nil }
        guard tree.kind == .array else { throw wrong(name, "a list") }
        return tree.children.map { Array($0.written) }
    }

    private func value(_ name: String) -> JSONTree? {
        members[name].flatMap { tree in
            tree.kind == .literal && tree.text == Array("null".utf8) ? nil : tree
        }
    }

    private func text(_ tree: JSONTree, _ name: String) throws(RPCError) -> String {
        guard tree.kind == .string, let text = String(validating: tree.text, as: UTF8.self) else {
            throw wrong(name, "a string")
        }
        return text
    }

    private func wrong(_ name: String, _ kind: String) -> RPCError {
        .invalidParameters("The parameter \(JSONString.quoted(name)) must be \(kind).")
    }
}
