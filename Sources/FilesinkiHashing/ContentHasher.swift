package import FilesinkiModel

/// Computes the ``FilesinkiModel/ContentID`` of bytes, at once or as they pass by.
package struct ContentHasher {
    private var state = SHA256()

    package init() {}

    /// Adds bytes to what is hashed.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        state.update(bytes)
    }

    /// Adds bytes to what is hashed.
    package mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The identity of all bytes added so far; more may follow.
    package func finish() -> ContentID {
        state.withDigest { ContentID($0) ?? .none }
    }

    /// The identity of `bytes`.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> ContentID {
        var hasher = ContentHasher()
        hasher.update(bytes)
        return hasher.finish()
    }

    /// The identity of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> ContentID {
        bytes.withUnsafeBytes { hash($0) }
    }
}
