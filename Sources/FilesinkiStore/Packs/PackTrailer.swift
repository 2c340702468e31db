import FilesinkiModel

/// The last 64 bytes of a pack, which lead to its index.
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 8 | where the index begins in the object |
/// | 8 | 4 | the stored length of the index |
/// | 12 | 4 | the plain length of the index, at most 64 MiB |
/// | 16 | 32 | the SHA-256 of the plain index |
/// | 48 | 4 | the version of the layout: 1 |
/// | 52 | 4 | zero |
/// | 56 | 8 | magic, as at the start |
struct PackTrailer: Hashable {
    static let length = 64

    var indexOffset: Int64
    var storedLength: Int
    var plainLength: Int
    var indexHash: ContentID

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(UInt64(indexOffset))
        bytes.appendLittleEndian(UInt32(storedLength))
        bytes.appendLittleEndian(UInt32(plainLength))
        bytes += indexHash.bytes
        bytes.appendLittleEndian(PackFormat.version)
        bytes.appendLittleEndian(UInt32(0))
        return bytes + PackFormat.magic
    }

    init(indexOffset: Int64, storedLength: Int, plainLength: Int, indexHash: ContentID) {
        self.indexOffset = indexOffset
        self.storedLength = storedLength
        self.plainLength = plainLength
        self.indexHash = indexHash
    }

    /// Reads the trailer at the end of `tail` and holds it to the pack's size and hash.
    ///
    /// - Throws: `newer-format` for another version, `corrupt` for everything else that is wrong.
    init(endOf tail: UnsafeRawBufferPointer, of pack: PackReference) throws(Failure) {
        let key = pack.keyText
        guard tail.count >= Self.length,
            tail.suffix(PackFormat.magic.count).elementsEqual(PackFormat.magic)
        else { throw .damagedPack(key, "The object does not end as a pack does.") }
        let bytes = UnsafeRawBufferPointer(rebasing: tail.suffix(Self.length))
        let version: UInt32 = bytes.littleEndian(at: 48)
        guard version == PackFormat.version, bytes.littleEndian(at: 52, as: UInt32.self) == 0 else {
            throw Failure(
                .newerFormat, path: key, "The pack has the format \(version), which is not known.",
                remedy: "Update filesinki, or run filesinki check if every device has this version."
            )
        }
        let offset: UInt64 = bytes.littleEndian(at: 0)
        storedLength = Int(bytes.littleEndian(at: 8, as: UInt32.self))
        plainLength = Int(bytes.littleEndian(at: 12, as: UInt32.self))
        indexHash = ContentID(bytes[16..<48]) ?? .none
        indexOffset = Int64(clamping: offset)
        let end = indexOffset.addingReportingOverflow(Int64(storedLength + Self.length))
        guard !end.overflow, end.partialValue == pack.size, indexHash == pack.indexHash,
            plainLength <= PackFormat.maximumIndexLength,
            storedLength <= PackFormat.maximumStoredLength(plain: plainLength)
        else { throw .damagedPack(key, "The pack's trailer does not fit the pack.") }
    }
}
