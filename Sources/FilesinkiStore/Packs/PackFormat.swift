package import FilesinkiModel

/// The numbers of a pack's layout.
///
/// A pack is an object `packs/<xx>/<id>`; `<id>` is 16 random bytes in hexadecimal digits and
/// `<xx>` its first two digits. All integers are unsigned and little-endian. From its start:
///
/// | bytes | meaning |
/// |---|---|
/// | 8 | magic: `fspack`, CR, LF |
/// | … | the blocks, one directly behind the other, each as its codec wrote it |
/// | … | the index, as one zstd frame (see ``PackIndex`` for its plain bytes) |
/// | 64 | the trailer (see ``PackTrailer``) |
package enum PackFormat {
    /// What a pack begins and ends with.
    static let magic: [UInt8] = Array("fspack\r\n".utf8)

    /// The version of the layout that is written here, and the only one that is read.
    static let version: UInt32 = 1

    /// The most plain bytes of a block that holds chunks: 8 MiB.
    package static let maximumBlockLength = 8 << 20

    /// The most plain bytes of a recipe, and so of a block that holds only one: 64 MiB.
    package static let maximumRecipeLength = 64 << 20

    /// The most plain bytes of an index: 64 MiB.
    package static let maximumIndexLength = 64 << 20

    /// The most bytes that the stored form of a block or an index may have for a plain length: what
    /// does not shrink is stored plain, but an index is always a frame and may grow a little.
    static func maximumStoredLength(plain: Int) -> Int { plain + plain >> 7 + 1024 }
}

/// What is known under an id in a pack.
package enum MemberKind: UInt8, Sendable {
    /// The bytes whose SHA-256 the id is.
    case chunk = 0
    /// The ``Recipe`` of the content whose SHA-256 the id is.
    case recipe = 1
}

/// Names a pack and pins what is in it; it travels in the commit that needs the pack.
package struct PackReference: Hashable, Sendable {
    /// 16 random bytes.
    package var id: [UInt8]
    /// The whole object's size in bytes.
    package var size: Int64
    /// The SHA-256 of the plain index.
    package var indexHash: ContentID

    package init(id: [UInt8], size: Int64, indexHash: ContentID) {
        self.id = id
        self.size = size
        self.indexHash = indexHash
    }

    /// The number of bytes in an id.
    package static let idLength = 16

    /// The object's key as text: `packs/<xx>/<id>`.
    package var keyText: String {
        let digits = hexadecimal(id)
        return "packs/\(digits.prefix(2))/\(digits)"
    }
}
