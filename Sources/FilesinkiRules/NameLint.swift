package import FilesinkiModel

/// Finds names that other systems do not support.
///
/// Checks only the last name of each path, so folders must be passed as well. The sources are
/// <https://learn.microsoft.com/windows/win32/fileio/naming-a-file> for Windows, and canonical
/// equivalence (Unicode Standard Annex 15) for the forms of a name.
package struct NameLint {
    /// The first path for each name, ignoring case and Unicode form.
    private var first: [Key: RelativePath] = [:]

    private struct Key: Hashable {
        var parent: RelativePath?
        var name: String
    }

    package init() {}

    /// The issues of all paths, in their order.
    package static func issues(in paths: some Sequence<RelativePath>) -> [NameIssue] {
        var lint = NameLint()
        return paths.flatMap { lint.issues(for: $0) }
    }

    /// The issues of a path by itself and in relation to the paths before it.
    package mutating func issues(for path: RelativePath) -> [NameIssue] {
        guard let name = String(validating: path.name, as: UTF8.self) else {
            return [NameIssue(path: path, kind: .notUTF8)]
        }
        var kinds = Self.kinds(of: name)
        if let twin = twin(of: path, named: name) { kinds.append(twin) }
        return kinds.map { NameIssue(path: path, kind: $0) }
    }

    /// The issues of a name by itself.
    private static func kinds(of name: String) -> [NameIssue.Kind] {
        var kinds: [NameIssue.Kind] = []
        if let scalar = name.unicodeScalars.first(where: isForbidden) {
            kinds.append(.character(scalar))
        }
        if name.hasSuffix(".") || name.hasSuffix(" ") { kinds.append(.ending) }
        if isReserved(name) { kinds.append(.reserved) }
        return kinds
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{0}"..."\u{1F}", "<", ">", ":", "\"", "\\", "|", "?", "*": true
        default: false
        }
    }

    /// Whether Windows reserves the name for a device. Ignores everything after the first dot.
    private static func isReserved(_ name: String) -> Bool {
        var stem = Substring(name.prefix { $0 != "." }.uppercased())
        while stem.last == " " { stem.removeLast() }
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
        guard stem.hasPrefix("COM") || stem.hasPrefix("LPT") else { return false }
        let number = stem.dropFirst(3)
        return number.count == 1 && "0123456789¹²³".contains(number)
    }

    private mutating func twin(of path: RelativePath, named name: String) -> NameIssue.Kind? {
        let key = Key(parent: path.parent, name: name.lowercased())
        guard let other = first[key] else {
            first[key] = path
            return nil
        }
        if other == path { return nil }
        let isSameText = String(decoding: other.name, as: UTF8.self) == name
        return isSameText ? .formTwin(other) : .caseTwin(other)
    }
}

/// A name that another system does not support.
package struct NameIssue: Hashable, Sendable {
    /// The kind of an issue.
    package enum Kind: Hashable, Sendable {
        /// macOS and Windows store names as text and do not support it.
        case notUTF8
        /// Windows does not allow this character.
        case character(Unicode.Scalar)
        /// Windows removes trailing dots and spaces.
        case ending
        /// Windows reserves this name for a device.
        case reserved
        /// Another name in the folder differs only in case.
        case caseTwin(RelativePath)
        /// Another name in the folder is the same text in another Unicode form, as NFC and NFD.
        case formTwin(RelativePath)
    }

    package var path: RelativePath
    package var kind: Kind

    /// The issue in a sentence.
    package var reason: String {
        switch kind {
        case .notUTF8: "The name is not UTF-8, so macOS and Windows cannot hold it."
        case .character(let scalar):
            "The name holds '\(printable(String(scalar).utf8))', which Windows does not allow."
        case .ending: "The name ends with a dot or a space, which Windows cuts off."
        case .reserved: "Windows keeps this name for a device."
        case .caseTwin(let other):
            "The name differs from \(other) only in case, which macOS and Windows do not tell apart."
        case .formTwin(let other):
            "The name is the text of \(other) in another form, which macOS does not tell apart."
        }
    }

    /// The remedy in a sentence.
    package var remedy: String {
        switch kind {
        case .notUTF8: "Rename it with UTF-8 letters."
        case .character: "Rename it without this character."
        case .ending: "Rename it without the dots and spaces at the end."
        case .reserved: "Rename it, for example with a letter before the name."
        case .caseTwin, .formTwin: "Rename one of the two."
        }
    }
}
