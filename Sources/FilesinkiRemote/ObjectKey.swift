package import FilesinkiModel

/// The name of an object at a remote: names of `a-z 0-9 . _ -`, separated by `/`.
///
/// The alphabet is what every file system, server and object store keeps as it is; a name never
/// begins with a dot, so no key can leave the store's folder.
package struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let description: String

    /// The longest key, in bytes.
    package static let maximumLength = 512

    /// - Throws: ``FilesinkiModel/Failure`` with code `bad-path` for anything outside the alphabet.
    package init(_ text: String) throws(Failure) {
        guard Self.isValid(text) else {
            throw Failure(
                .badPath, path: text, "This is not a key of a store.",
                remedy: "The store may be damaged; run filesinki check.")
        }
        description = text
    }

    private static func isValid(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= maximumLength else { return false }
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy { name in
                guard let first = name.first, first != UInt8(ascii: ".") else { return false }
                return name.allSatisfy(isAllowed)
            }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    package static func < (left: ObjectKey, right: ObjectKey) -> Bool {
        left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
    }
}
