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
        if let flaw = Self.flaw(of: bytes) {
            throw Failure(
                .badPath, path: bytes, flaw,
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
