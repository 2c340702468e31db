package import FilesinkiModel
package import FilesinkiRemote

/// The layout of a pack.
///
/// A pack of the zone of files is an object `packs/<xx>/<id>`, one of another zone
/// `zones/<zone>/packs/<xx>/<id>`; `<id>` is 16 random bytes in hexadecimal digits and `<xx>` its first
/// two digits. All integers are unsigned and little-endian. From its start:
///
/// | bytes | meaning |
/// |---|---|
/// | 8 | magic: `fspack`, CR, LF |
/// | … | the blocks, one directly behind the other, each as its codec wrote it |
/// | … | the index, as one zstd frame (see ``PackIndex`` for its plain bytes) |
/// | 64 | the trailer (see ``PackTrailer``) |
package enum PackFormat {
    /// The first and last bytes of a pack.
    static let magic: [UInt8] = Array("fspack\r\n".utf8)

    /// The only supported version of the layout.
    static let version: UInt32 = 1

    /// The maximum plain length of a block of chunks: 8 MiB.
    package static let maximumBlockLength = 8 << 20

    /// The maximum length of a recipe, and so of a block that holds only a recipe: 64 MiB.
    package static let maximumRecipeLength = 64 << 20

    /// The maximum plain length of an index: 64 MiB.
    package static let maximumIndexLength = 64 << 20

    /// The maximum stored length of a block or an index. An incompressible block is stored plain;
    /// an index is always a zstd frame, which may be slightly longer than its content.
    static func maximumStoredLength(plain: Int) -> Int { plain + plain >> 7 + 1024 }
}

/// The kind of a pack's member.
package enum MemberKind: UInt8, Sendable {
    /// Bytes whose SHA-256 is the id.
    case chunk = 0
    /// The ``Recipe`` of the content whose SHA-256 is the id.
    case recipe = 1
}

/// Identifies a pack and its index. It is stored in the commit that needs the pack.
package struct PackReference: Hashable, Sendable {
    /// 16 random bytes.
    package var id: [UInt8]
    /// The whole object's size in bytes.
    package var size: Int64
    /// The SHA-256 of the plain index.
    package var indexHash: ContentID
    /// The zone whose commits name the pack; nil for that of files.
    package var zone: String?

    package init(id: [UInt8], size: Int64, indexHash: ContentID, zone: String? = nil) {
        self.id = id
        self.size = size
        self.indexHash = indexHash
        self.zone = zone
    }

    /// The length of an id in bytes.
    package static let idLength = 16

    /// The ``zone`` of the packs that the commits of a zone name.
    package static func packZone(_ zone: String) -> String? { zone == "files" ? nil : zone }

    /// The object's key as text: see ``PackFormat``.
    package var keyText: String { Self.keyText(of: id, in: zone) }

    /// The key of the pack with an id, as text.
    package static func keyText(of id: [UInt8], in zone: String? = nil) -> String {
        let digits = hexadecimal(id)
        return "\(StoreLayout.packs(of: zone))\(digits.prefix(2))/\(digits)"
    }

    /// The id of the pack that a key is of; nil for any other key.
    package static func id(in key: ObjectKey, of zone: String? = nil) -> [UInt8]? {
        guard let id = bytes(hexadecimal: key.name), id.count == idLength,
            keyText(of: id, in: zone) == key.description
        else { return nil }
        return id
    }
}

/// The last 64 bytes of a pack, which locate its index.
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

    /// Reads the trailer at the end of `tail` and compares it with the pack's size and hash.
    ///
    /// - Throws: `newer-format` for another version, `corrupt` for other damage.
    init(endOf tail: UnsafeRawBufferPointer, of pack: PackReference) throws(Failure) {
        let key = pack.keyText
        guard tail.count >= Self.length,
            tail.suffix(PackFormat.magic.count).elementsEqual(PackFormat.magic)
        else { throw .damagedPack(key, "The object does not end like a pack.") }
        let bytes = UnsafeRawBufferPointer(rebasing: tail.suffix(Self.length))
        let version: UInt32 = bytes.littleEndian(at: 48)
        guard version == PackFormat.version, bytes.littleEndian(at: 52, as: UInt32.self) == 0 else {
            throw Failure(
                .newerFormat, path: key, "The pack has the unknown format \(version).",
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
        else { throw .damagedPack(key, "The pack's trailer does not match the pack.") }
    }
}

/// The failures for packs. The path is the pack's key.
extension Failure {
    static func damagedPack(
        _ key: String, _ message: String, cause: (any Error)? = nil
    ) -> Failure {
        Failure(
            .corrupt, path: key, message,
            remedy: "Run filesinki repair on a device that still has the files.",
            cause: cause
        ).forOtherDevice
    }

    static func missingPack(_ key: String) -> Failure {
        damagedPack(key, "The pack is missing or shorter than it should be.")
    }
}

/// Fixed-width little-endian integers.
extension [UInt8] {
    /// Appends an integer.
    package mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// The integer at an offset, which must lie inside the buffer.
    package func littleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}
