/// Where something is below the root: bytes, separated by `/`.
///
/// A path is never a `String`: a `String` holds one value for the NFC and the NFD form of a name,
/// and cannot hold a name that is not UTF-8. Every value of this type is a path that may be used
/// below a root; ``init(_:)`` refuses all others.
package struct RelativePath: Hashable, Sendable {
    /// The bytes, without a leading or trailing slash.
    package let bytes: [UInt8]

    /// The longest path, in bytes.
    package static let maximumLength = 4096

    /// The longest single name, in bytes.
    package static let maximumNameLength = 255

    static let slash = UInt8(ascii: "/")

    /// Checks the bytes and keeps them.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/badPath`` for what is empty, absolute, too
    ///   long, holds NUL, an empty name, `.` or `..`, or leads into a replica's own state.
    package init(_ bytes: some Collection<UInt8>) throws(Failure) {
        let bytes = Array(bytes)
        if let reason = Self.reasonInvalid(bytes) {
            throw Failure(
                .badPath, path: bytes, reason,
                remedy: "Use a path below the root, such as notes/a.txt.")
        }
        self.bytes = bytes
    }

    /// Checks the UTF-8 bytes of `text` and keeps them.
    package init(_ text: String) throws(Failure) {
        try self.init(Array(text.utf8))
    }

    /// Keeps bytes that are known to be a good path, such as a checked path with a name added.
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Feeds all bytes at once: a tree asks for this more often than for anything else.
    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The folder that holds this path, or nil for a path directly below the root.
    package var parent: RelativePath? {
        guard let cut = bytes.lastIndex(of: Self.slash) else { return nil }
        return RelativePath(unchecked: Array(bytes[..<cut]))
    }

    /// The last name of the path.
    package var name: ArraySlice<UInt8> {
        guard let cut = bytes.lastIndex(of: Self.slash) else { return bytes[...] }
        return bytes[(cut + 1)...]
    }

    /// The names from the root down.
    package var names: [ArraySlice<UInt8>] {
        bytes.split(separator: Self.slash, omittingEmptySubsequences: false)
    }

    /// This path's folders, the nearest first.
    package var ancestors: [RelativePath] {
        Array(sequence(first: self, next: \.parent).dropFirst())
    }

    /// The path of `name` inside this folder.
    package func appending(_ name: some Collection<UInt8>) -> RelativePath {
        RelativePath(unchecked: bytes + [Self.slash] + name)
    }

    /// Whether this path lies below `folder`; a path is not inside itself.
    package func isInside(_ folder: RelativePath) -> Bool {
        bytes.count > folder.bytes.count && bytes[folder.bytes.count] == Self.slash
            && bytes.starts(with: folder.bytes)
    }

    /// The same place below `new` as this path has below `old`; nil when it is not `old` or inside it.
    package func moved(from old: RelativePath, to new: RelativePath) -> RelativePath? {
        if self == old { return new }
        guard isInside(old) else { return nil }
        return RelativePath(unchecked: new.bytes + bytes[old.bytes.count...])
    }
}

extension RelativePath: Comparable {
    /// Paths are ordered by their bytes.
    package static func < (left: RelativePath, right: RelativePath) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension RelativePath: CustomStringConvertible {
    /// The path as a person may see it: see ``printable(_:)``.
    package var description: String { printable(bytes) }
}

extension RelativePath {
    /// The folder of a root that holds the replica's own state. Never synced, also not that of a
    /// replica inside another one's root.
    package static let stateFolder = ".filesinki"

    /// What makes `bytes` unfit as a path below a root, in words; nil when nothing does.
    static func reasonInvalid(_ bytes: [UInt8]) -> String? {
        if bytes.isEmpty { return "The path is empty." }
        if bytes.count > maximumLength { return "The path is longer than \(maximumLength) bytes." }
        if bytes.contains(0) { return "The path holds a NUL byte." }
        if bytes.first == slash { return "The path is absolute." }
        let names = bytes.split(separator: slash, omittingEmptySubsequences: false)
        for name in names {
            if let reason = reasonInvalid(Name: name) { return reason }
        }
        return nil
    }

    private static func reasonInvalid(Name name: ArraySlice<UInt8>) -> String? {
        if name.isEmpty { return "The path has an empty name in it." }
        if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) {
            return "The path has . or .. in it."
        }
        if name.count > maximumNameLength {
            return "A name in the path is longer than \(maximumNameLength) bytes."
        }
        if isStateFolder(name) {
            return "The path leads into \(stateFolder), where a replica keeps its own state."
        }
        return nil
    }

    /// Whether a name could be taken for the state folder by some file system: without regard to
    /// case, to trailing dots and spaces, and to letters that fold to ASCII ones.
    package static func isStateFolder(_ name: some Collection<UInt8>) -> Bool {
        guard name.count >= stateFolder.utf8.count, name.first == UInt8(ascii: ".") else {
            return false
        }
        var folded = ""
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            folded += fold(scalar)
        }
        while let last = folded.last, last == "." || last == " " { folded.removeLast() }
        return folded == stateFolder
    }

    private static func fold(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "ı", "İ": return "i"
        case "ſ": return "s"
        case "\u{212A}": return "k"
        // Characters that some file systems leave out when they compare names.
        case "\u{200B}"..."\u{200F}", "\u{202A}"..."\u{202E}", "\u{2060}"..."\u{2064}",
            "\u{206A}"..."\u{206F}", "\u{FEFF}":
            return ""
        default: return scalar.properties.lowercaseMapping
        }
    }
}

/// Says what a scan leaves out. One value stands for one folder and all rules that hold in it.
package protocol ScanFilter: Sendable {
    /// Whether `name`, directly inside this folder, is left out.
    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool

    /// The filter for the folder `name` directly inside this one.
    ///
    /// - Parameter read: Gives the content of a file directly inside that folder, nil when there is
    ///   no such regular file. The scan calls this method once for each folder it enters.
    func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
}

/// Leaves nothing out.
package struct EverythingFilter: ScanFilter {
    package init() {}
    package func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool { false }
    package func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
    { self }
}
