import FilesinkiModel
import SwiftProtobuf

/// Encodes a message. Equal messages give equal bytes.
func serialized(_ message: some Message) throws(Failure) -> [UInt8] {
    do {
        return try message.serializedBytes()
    } catch {
        throw Failure(
            .limit, "Cannot encode a record.",
            remedy: "Nothing was published. Please report this as an error of filesinki.",
            cause: error)
    }
}

/// Decodes a message. Unknown fields are ignored.
///
/// - Throws: `Failure` with code `corrupt` when the bytes are not such a message.
func parsed<Parsed: Message>(_ plain: [UInt8], key: String) throws(Failure) -> Parsed {
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = true
    options.messageDepthLimit = 8
    do {
        return try Parsed(serializedBytes: plain, options: options)
    } catch {
        throw Envelope.damaged(key, "The record cannot be read.", cause: error)
    }
}

extension StoredAuthor {
    init(_ device: Device) {
        self.init()
        id = field(device.id)
        name = shortened(device.name)
    }
}

extension Device {
    /// nil when the id is not 16 bytes long. A name that is too long is cut.
    init?(_ author: StoredAuthor) {
        guard author.id.count == 16 else { return nil }
        self.init(id: array(author.id), name: shortened(author.name))
    }
}

extension StoredPack {
    init(_ pack: PackReference) {
        self.init()
        id = field(pack.id)
        size = UInt64(clamping: pack.size)
        indexHash = field(pack.indexHash.bytes)
    }
}

extension PackReference {
    /// - Throws: `Failure` with code `corrupt` when a field has the wrong length.
    init(_ pack: StoredPack, zone: String?, key: String) throws(Failure) {
        guard pack.id.count == 16, let size = Int64(exactly: pack.size),
            let hash = ContentID(array(pack.indexHash))
        else { throw Envelope.damaged(key, "The record names an invalid pack.") }
        self.init(id: array(pack.id), size: size, indexHash: hash, zone: zone)
    }

    /// Decodes the pack references of a record.
    ///
    /// - Parameter zone: The zone of the record.
    /// - Throws: `Failure` with code `corrupt` when a field has the wrong length.
    static func list(
        _ packs: [StoredPack], zone: String, key: String
    ) throws(Failure) -> [PackReference] {
        var references: [PackReference] = []
        for pack in packs {
            references.append(try PackReference(pack, zone: packZone(zone), key: key))
        }
        return references
    }
}

/// The bytes of a field of a generated message, as an array.
///
/// The field's own type is one of Foundation's, which this module does not import.
func array(_ field: some SwiftProtobufContiguousBytes) -> [UInt8] {
    field.withUnsafeBytes { Array($0) }
}

/// Bytes as the type of a field of a generated message.
func field<Field: SwiftProtobufContiguousBytes>(_ bytes: [UInt8]) -> Field {
    Field(bytes)
}
