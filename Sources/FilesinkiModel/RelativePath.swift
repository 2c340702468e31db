/// A path below the root: bytes, separated by `/`.
///
/// Not a `String`, because strings treat the NFC and NFD forms of a name as equal and cannot
/// represent a name that is not UTF-8. Every value is a valid path below a root; ``init(_:)``
/// rejects all others.
package struct RelativePath: Hashable, Sendable {
    /// The bytes, without a leading or trailing slash.
    package let bytes: [UInt8]

    /// The maximum length of a path, in bytes.
    package static let maximumLength = 4096

    /// The maximum length of a name, in bytes.
    package static let maximumNameLength = 255

    static let slash = UInt8(ascii: "/")

    /// Checks the bytes.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/badPath`` for a path that is empty, absolute
    ///   or too long, contains NUL, an empty name, `.` or `..`, or leads into a replica's state
    ///   folder.
    package init(_ bytes: some Collection<UInt8>) throws(Failure) {
        let bytes = Array(bytes)
        if let reason = Self.reasonInvalid(bytes) {
            throw Failure(
                .badPath, path: bytes, reason,
                remedy: "Use a path below the root, such as notes/a.txt.")
        }
        self.bytes = bytes
    }

    /// Checks the UTF-8 bytes of `text`.
    package init(_ text: String) throws(Failure) {
        try self.init(Array(text.utf8))
    }

    /// Makes a path without a check. The bytes must be a valid path.
    package init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Compares all bytes at once, for speed.
    package static func == (left: RelativePath, right: RelativePath) -> Bool {
        left.bytes.count == right.bytes.count && compare(left.bytes, right.bytes) == 0
    }

    /// Hashes all bytes at once, for speed.
    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The parent folder; nil for a path directly below the root.
    package var parent: RelativePath? {
        guard let cut = bytes.lastIndex(of: Self.slash) else { return nil }
        return RelativePath(unchecked: Array(bytes[..<cut]))
    }

    /// The last name of the path.
    package var name: ArraySlice<UInt8> {
        guard let cut = bytes.lastIndex(of: Self.slash) else { return bytes[...] }
        return bytes[(cut + 1)...]
    }

    /// The names, starting below the root.
    package var names: [ArraySlice<UInt8>] {
        bytes.split(separator: Self.slash, omittingEmptySubsequences: false)
    }

    /// The folders of this path, nearest first.
    package var ancestors: [RelativePath] {
        Array(sequence(first: self, next: \.parent).dropFirst())
    }

    /// Whether the path, or a folder above it, is one of these.
    package func isAtOrInside(_ paths: Set<RelativePath>) -> Bool {
        !paths.isEmpty && (paths.contains(self) || ancestors.contains(where: paths.contains))
    }

    /// The path of `name` inside this folder.
    package func appending(_ name: some Collection<UInt8>) -> RelativePath {
        RelativePath(unchecked: bytes + [Self.slash] + name)
    }

    /// Whether this path is below `folder`. A path is not inside itself.
    package func isInside(_ folder: RelativePath) -> Bool {
        bytes.count > folder.bytes.count && bytes[folder.bytes.count] == Self.slash
            && bytes.starts(with: folder.bytes)
    }

    /// The path after a rename of `old` to `new`; nil when this path is not `old` or inside it.
    package func moved(from old: RelativePath, to new: RelativePath) -> RelativePath? {
        if self == old { return new }
        guard isInside(old) else { return nil }
        return RelativePath(unchecked: new.bytes + bytes[old.bytes.count...])
    }
}

extension RelativePath: Comparable {
    /// Paths are ordered by their bytes.
    package static func < (left: RelativePath, right: RelativePath) -> Bool {
        compare(left.bytes, right.bytes) < 0
    }
}

extension RelativePath: CustomStringConvertible {
    /// The path for display; see ``printable(_:)``.
    package var description: String { printable(bytes) }
}

extension RelativePath {
    /// The folder in a root for the replica's state. Never synced, including that of a replica
    /// inside another root.
    package static let stateFolder = ".filesinki"
    /// The file in it that holds a replica's identity and remote.
    package static let configurationFile = "replica"

    /// Why `bytes` are not a valid path below a root; nil when they are.
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

    /// Whether some file system could treat a name as the state folder: ignores case, trailing dots
    /// and spaces, and letters that fold to ASCII.
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
        // Characters that some file systems ignore when they compare names.
        case "\u{200B}"..."\u{200F}", "\u{202A}"..."\u{202E}", "\u{2060}"..."\u{2064}",
            "\u{206A}"..."\u{206F}", "\u{FEFF}":
            return ""
        default: return scalar.properties.lowercaseMapping
        }
    }
}

/// Decides what a scan ignores in one folder.
package protocol ScanFilter: Sendable {
    /// Whether `name`, directly inside this folder, is ignored.
    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool

    /// The filter for the folder `name` directly inside this one.
    ///
    /// - Parameter read: Returns the content of a regular file directly inside that folder; nil
    ///   when it does not exist. The scan calls this method once per folder.
    func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
}

/// Ignores nothing.
package struct EverythingFilter: ScanFilter {
    package init() {}
    package func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool { false }
    package func entering(_ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?) rethrows
        -> any ScanFilter
    { self }
}

extension Set<RelativePath> {
    /// The paths that are inside no other one of them.
    package var outermost: Set<RelativePath> {
        filter { !$0.ancestors.contains(where: contains) }
    }
}
