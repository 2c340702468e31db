package import FilesinkiModel

/// Names a pack object: what a commit says of each pack that it needs.
package struct PackReference: Hashable, Sendable {
    /// The name of the object: 16 random bytes.
    package var id: [UInt8]
    /// The size of the whole object in bytes.
    package var size: Int64
    /// SHA-256 of the pack's plain index.
    package var indexHash: ContentID

    package init(id: [UInt8], size: Int64, indexHash: ContentID) {
        self.id = id
        self.size = size
        self.indexHash = indexHash
    }
}
