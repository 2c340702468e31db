import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel

/// Wraps a record for storage: encode → hash → compress → seal → store.
///
/// A header of 48 bytes is followed by the payload. Integers are little-endian.
///
/// | at | bytes | |
/// |---|---|---|
/// | 0 | 4 | `fsk1`: the letters and the version of the envelope |
/// | 4 | 1 | what is inside: see ``Kind`` |
/// | 5 | 1 | the codec of the payload: 0 plain, 1 zstd, 2 xz |
/// | 6 | 1 | the seal: 0 for none |
/// | 7 | 1 | the form: 1 for a list of parts and for the commit of a prune, 0 for the rest |
/// | 8 | 8 | the number of plain bytes |
/// | 16 | 32 | SHA-256 of the plain bytes |
struct Envelope {
    /// The kind of a record.
    enum Kind: Sendable {
        case commit
        /// The commit of a prune.
        case prune
        case checkpoint
        case acknowledgement
        /// A part of a checkpoint.
        case checkpointPart
        /// A list of the parts of a checkpoint.
        case checkpointIndex
        /// Many commits in one record.
        case archive

        /// The byte at offset 4.
        var number: UInt8 {
            switch self {
            case .commit, .prune: 1
            case .checkpoint: 2
            case .acknowledgement: 3
            case .checkpointPart: 4
            case .checkpointIndex: 5
            case .archive: 6
            }
        }

        /// The maximum plain length of a record of this kind, in bytes.
        var maximumLength: Int {
            switch self {
            case .commit, .prune, .checkpointPart: 64 << 20
            case .checkpoint: 1 << 30
            case .archive: 128 << 20
            case .acknowledgement: 4096
            case .checkpointIndex: 1 << 20
            }
        }

        /// The byte at offset 7. The first version of the program treats 1 as a newer format, so it
        /// stops at a checkpoint that it cannot read in full, and at a prune, behind which it would name packs
        /// that are retired.
        var form: UInt8 { self == .checkpointIndex || self == .prune ? 1 : 0 }
    }

    /// The number of bytes before the payload.
    static let headerLength = 48

    /// The zstd level of records.
    static let level: Int32 = 3

    /// The maximum compression ratio beyond ``slack``. Writers store a record with a higher ratio
    /// uncompressed; readers reject it before they allocate memory.
    static let maximumRatio = 1024

    /// The plain length that is allowed for any length of the payload, in bytes.
    static let slack = 65536

    private static let name = Array("fsk".utf8)
    private static let version = UInt8(ascii: "1")

    private init() {}

    /// Wraps a record.
    ///
    /// - Throws: `Failure` with code `limit` when the record is longer than the kind allows.
    static func seal(_ plain: [UInt8], as kind: Kind) throws(Failure) -> [UInt8] {
        guard plain.count <= kind.maximumLength else {
            throw Failure(
                .limit,
                "A record of \(plain.count) bytes exceeds the limit of \(kind.maximumLength) bytes.",
                remedy: "Nothing was published. Please report this as an error of filesinki.")
        }
        var packed = try Compression.encode(plain, codec: .zstd, level: level)
        if !isPlausible(plain.count, from: packed.bytes.count) { packed = (.plain, plain) }
        var result = name + [version, kind.number, packed.codec.rawValue, 0, kind.form]
        result.reserveCapacity(headerLength + packed.bytes.count)
        for byte in 0..<8 { result.append(UInt8(truncatingIfNeeded: plain.count >> (8 * byte))) }
        result += ContentHasher.hash(plain).bytes
        result += packed.bytes
        return result
    }

    /// Unwraps and verifies a record.
    ///
    /// - Parameter key: The key of the object, for messages.
    /// - Throws: `Failure` with code `newer-format` for an unknown version, codec or seal,
    ///   `corrupt` for other damage. Every length is checked before it is used.
    static func open(_ stored: [UInt8], as kind: Kind, key: String) throws(Failure) -> [UInt8] {
        let header = try Header(stored, key: key)
        guard header.form == kind.form else { throw newer(key) }
        guard header.kind == kind.number else {
            throw damaged(key, "Another kind of record is in this place.")
        }
        let payload = stored.count - headerLength
        guard let length = Int(exactly: header.plainLength), length <= kind.maximumLength,
            isPlausible(length, from: payload)
        else { throw damaged(key, "The record has an invalid length.") }
        let plain = try decode(stored, codec: header.codec, length: length, key: key)
        guard plain.count == length, ContentHasher.hash(plain) == header.hash else {
            throw damaged(key, "The record does not match its checksum.")
        }
        return plain
    }

    /// Whether the header names a kind. Nothing is verified; see ``open(_:as:key:)``.
    static func hasKind(_ stored: [UInt8], _ kind: Kind) -> Bool {
        stored.count >= headerLength && stored[4] == kind.number
    }

    /// Whether the header names a kind and its form. Nothing is verified.
    static func hasForm(_ stored: [UInt8], of kind: Kind) -> Bool {
        hasKind(stored, kind) && stored[7] == kind.form
    }

    private static func decode(
        _ stored: [UInt8], codec: Codec, length: Int, key: String
    ) throws(Failure) -> [UInt8] {
        do {
            let payload = Array(stored[headerLength...])
            return try Compression.decode(payload, codec: codec, plainLength: length)
        } catch {
            throw damaged(key, "The record cannot be decompressed.", cause: error)
        }
    }

    private static func isPlausible(_ plain: Int, from payload: Int) -> Bool {
        plain <= slack || (plain - slack) / maximumRatio <= payload
    }

    /// The failure for a damaged record.
    static func damaged(_ key: String, _ message: String, cause: (any Error)? = nil) -> Failure {
        Failure(
            .corrupt, path: key, message,
            remedy: "Run filesinki check, and restore the object from a copy of the store.",
            cause: cause)
    }

    /// The failure for a record of a newer format.
    static func newer(
        _ key: String, _ message: String = "The record has a newer format than this program knows."
    ) -> Failure {
        Failure(.newerFormat, path: key, message, remedy: "Update filesinki.")
    }
}

extension Envelope {
    /// The fields of the header.
    private struct Header {
        var kind: UInt8
        var form: UInt8
        var codec: Codec
        var plainLength: UInt64
        var hash: ContentID

        init(_ stored: [UInt8], key: String) throws(Failure) {
            guard stored.count >= headerLength, stored.starts(with: name),
                let hash = ContentID(stored[16..<48])
            else { throw damaged(key, "This is not a record of a filesinki store.") }
            guard stored[3] == version, stored[6] == 0, let codec = Codec(rawValue: stored[5])
            else { throw newer(key) }
            kind = stored[4]
            form = stored[7]
            self.codec = codec
            self.hash = hash
            plainLength = stored[8..<16].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
