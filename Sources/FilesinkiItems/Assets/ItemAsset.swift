import FilesinkiHashing
package import FilesinkiModel

/// Bytes that an item names and that are stored beside it.
package struct ItemAsset: Hashable, Sendable {
    /// The SHA-256 of the bytes.
    package var content: ContentID
    package var size: Int64
    /// Where in the item it is, such as the name of a field.
    package var place: String

    package init(_ content: ContentID, size: Int64, place: String) {
        self.content = content
        self.size = size
        self.place = place
    }

    /// Whether there is nothing to be stored.
    var isEmpty: Bool { size == 0 && content == ContentHasher.hash([]) }
}

extension Failure {
    /// An asset is neither on this device nor in the store.
    package static func missingAsset(
        _ asset: ItemAsset, of key: ItemKey, _ names: ItemNames, cause: (any Error)? = nil
    ) -> Failure {
        Failure(
            .corrupt, path: key.bytes,
            "The asset '\(asset.place)' of the \(names.content) '\(key)' is not in the store: its bytes "
                + "(\(asset.content)) were not found.",
            remedy: "Save the asset again from a file, or run filesinki check.", cause: cause)
    }
}
