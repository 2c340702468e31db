package import FilesinkiModel

/// The arguments of a call: a flat JSON object, with paths as filesinki prints them.
package struct CallArguments {
    private let members: [String: JSONTree]

    /// The longest path, in bytes.
    private static let maximumPath = 4096
    private static let maximumPaths = 10_000

    /// - Parameter body: JSON; nothing is an empty object.
    /// - Throws: `Failure` with code `usage`.
    package init(_ body: [UInt8]) throws(Failure) {
        guard !body.isEmpty else {
            members = [:]
            return
        }
        let tree = try JSONTree(body)
        guard tree.kind == .object else { throw Self.invalid("The arguments") }
        members = Self.members(of: tree)
    }

    private static func members(of tree: JSONTree) -> [String: JSONTree] {
        tree.children.reduce(into: [:]) { members, child in
            members[String(decoding: child.name, as: UTF8.self)] = child
        }
    }

    /// The member `path`, or the bytes of `path_bytes`.
    package func path() throws(Failure) -> [UInt8] { try Self.path(members) }

    /// As ``path()``, of members with another name; nil if there is none.
    package func optionalPath(_ name: String = "path") throws(Failure) -> [UInt8]? {
        let (text, bytes) = (members[name], members[name + "_bytes"])
        guard text != nil || bytes != nil else { return nil }
        var renamed: [String: JSONTree] = [:]
        renamed["path"] = text
        renamed["path_bytes"] = bytes
        return try Self.path(renamed)
    }

    /// The member `paths`: a list of texts, or of objects with `path_bytes`.
    package func paths() throws(Failure) -> [[UInt8]] {
        guard let list = members["paths"], list.kind == .array, !list.children.isEmpty,
            list.children.count <= Self.maximumPaths
        else { throw Self.invalid("paths") }
        var paths: [[UInt8]] = []
        for element in list.children {
            let members = element.kind == .object ? Self.members(of: element) : ["path": element]
            paths.append(try Self.path(members))
        }
        return paths
    }

    /// As ``paths()``; without that member the path of ``path()``.
    package func pathOrPaths() throws(Failure) -> [[UInt8]] {
        members["paths"] == nil ? [try path()] : try paths()
    }

    /// The path and its version, as `PATH@VERSION`.
    package func versionedPath() throws(Failure) -> [UInt8] {
        try path() + Array("@\(try number("version"))".utf8)
    }

    /// A whole number that is not negative.
    package func number(_ name: String) throws(Failure) -> UInt64 {
        guard let value = members[name], value.kind == .number,
            let number = UInt64(String(decoding: value.text, as: UTF8.self))
        else { throw Self.invalid(name) }
        return number
    }

    /// As ``number(_:)``; nil if there is none.
    package func optionalNumber(_ name: String) throws(Failure) -> UInt64? {
        members[name] == nil ? nil : try number(name)
    }

    /// One of some words.
    package func word(_ name: String, of words: [String]) throws(Failure) -> String {
        guard let value = members[name], value.kind == .string,
            let word = words.first(where: { value.text.elementsEqual($0.utf8) })
        else { throw Self.invalid(name) }
        return word
    }

    /// The ID of a content; nil if there is none.
    package func optionalContent(_ name: String) throws(Failure) -> ContentID? {
        guard members[name] != nil else { return nil }
        guard let content = ContentID(hexadecimal: String(decoding: try text(name), as: UTF8.self))
        else { throw Self.invalid(name) }
        return content
    }

    /// Whether a member is true; false if there is none.
    package func flag(_ name: String) throws(Failure) -> Bool {
        guard let value = members[name] else { return false }
        switch String(decoding: value.written, as: UTF8.self) {
        case "true": return true
        case "false": return false
        default: throw Self.invalid(name)
        }
    }

    /// A text as it is.
    package func text(_ name: String) throws(Failure) -> [UInt8] {
        guard let value = members[name], value.kind == .string else { throw Self.invalid(name) }
        return value.text
    }

    private static func path(_ members: [String: JSONTree]) throws(Failure) -> [UInt8] {
        var path: [UInt8]?
        if let bytes = members["path_bytes"], bytes.kind == .string {
            path = FilesinkiModel.bytes(hexadecimal: String(decoding: bytes.text, as: UTF8.self))
        } else if let text = members["path"], text.kind == .string {
            path = text.text
        }
        guard let path, !path.isEmpty, path.count <= maximumPath, !path.contains(0) else {
            throw invalid("path")
        }
        return path
    }

    private static func invalid(_ name: String) -> Failure {
        Failure(.usage, path: name, "Missing or invalid.", remedy: "Reload the page.")
    }
}
