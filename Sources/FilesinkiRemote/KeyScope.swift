/// Which keys a listing wants: those that begin with a prefix and come behind a key.
///
/// A store that is kept in folders is listed folder by folder; this says which of them may hold a
/// wanted key, so that of the rest of the store nothing is read. Keys are compared by their bytes; that
/// of a folder ends with a slash.
package struct KeyScope: Sendable {
    private let prefix: [UInt8]
    private let after: [UInt8]

    /// - Parameter after: Only what comes behind it; nil from the first on.
    package init(prefix: String, after: ObjectKey?) {
        self.prefix = Array(prefix.utf8)
        self.after = after.map { Array($0.description.utf8) } ?? []
    }

    /// The folder that holds all wanted keys, by the whole names of the prefix: empty for the store,
    /// else ended by a slash. Nil where the prefix names no folder that a store could have.
    package var start: [UInt8]? {
        guard let slash = prefix.lastIndex(of: UInt8(ascii: "/")) else { return [] }
        let folder = prefix[..<slash]
        guard (try? ObjectKey(String(decoding: folder, as: UTF8.self))) != nil else { return nil }
        return Array(folder) + [UInt8(ascii: "/")]
    }

    /// Whether the listing wants an object's key.
    package func wants(_ key: [UInt8]) -> Bool {
        key.starts(with: prefix) && after.lexicographicallyPrecedes(key)
    }

    /// Whether a wanted key may begin with a folder's.
    package func mayBeIn(_ folder: [UInt8]) -> Bool {
        (folder.starts(with: prefix) || prefix.starts(with: folder))
            && (after.lexicographicallyPrecedes(folder) || after.starts(with: folder))
    }
}
