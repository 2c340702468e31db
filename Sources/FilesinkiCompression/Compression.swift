import CLZMA
import CZstd
package import FilesinkiModel

/// Encodes and decodes bytes that fit into memory, with the codec as a value.
package enum Compression {
    /// Compresses `bytes` with `codec`, or leaves them plain when that does not make them smaller.
    ///
    /// - Parameter level: The codec's own scale: 1 to 19 for zstd, 0 to 9 for xz; without meaning
    ///   for plain bytes.
    /// - Returns: The codec that was used after all, and what is to be stored.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when the library refuses.
    package static func encode(
        _ bytes: UnsafeRawBufferPointer, codec: Codec, level: Int32
    ) throws(Failure) -> (codec: Codec, bytes: [UInt8]) {
        let smaller: [UInt8]
        switch codec {
        case .plain: return (.plain, Array(bytes))
        case .zstd: smaller = try ZstdCompressor(level: level).compress(bytes)
        case .xz: smaller = try XZ.compress(bytes, preset: UInt32(clamping: level))
        }
        return smaller.count < bytes.count ? (codec, smaller) : (.plain, Array(bytes))
    }

    /// Compresses an array.
    package static func encode(
        _ bytes: [UInt8], codec: Codec, level: Int32
    ) throws(Failure) -> (codec: Codec, bytes: [UInt8]) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try encode(UnsafeRawBufferPointer(buffer), codec: codec, level: level)
        }
    }

    /// Gives back the plain bytes.
    ///
    /// - Parameter plainLength: Exactly how many bytes must come out. No more than that is ever
    ///   allocated for them, so the caller holds it to a limit beforehand.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are not one whole
    ///   frame of exactly that length, and `limit` when decoding would need too much memory.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, codec: Codec, plainLength: Int
    ) throws(Failure) -> [UInt8] {
        switch codec {
        case .plain:
            guard bytes.count == plainLength else {
                throw .damaged("There are \(bytes.count) bytes instead of \(plainLength).")
            }
            return Array(bytes)
        case .zstd: return try ZstdDecompressor().decompress(bytes, plainLength: plainLength)
        case .xz: return try XZ.decompress(bytes, plainLength: plainLength)
        }
    }

    /// Gives back the plain bytes of an array.
    package static func decode(
        _ bytes: [UInt8], codec: Codec, plainLength: Int
    ) throws(Failure) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try decode(UnsafeRawBufferPointer(buffer), codec: codec, plainLength: plainLength)
        }
    }
}

/// How bytes are kept at a store. The raw value is what is written beside them; it is recorded with
/// the bytes and never guessed from them.
package enum Codec: UInt8, Sendable, CaseIterable {
    /// As they are.
    case plain = 0
    /// One Zstandard frame (RFC 8878): for what is read often.
    case zstd = 1
    /// One .xz stream with a check (the .xz file format, version 1.1.0): for what is seldom read.
    case xz = 2
}

/// The libraries that the codecs stand on.
package enum CompressionLibraries {
    /// The name and version of each library as it runs.
    package static var versions: [(name: String, version: String)] {
        [
            (name: "liblzma", version: String(cString: lzma_version_string())),
            (name: "libzstd", version: String(cString: ZSTD_versionString())),
        ]
    }
}

/// What can go wrong with compressed bytes. No path is known here: the caller, who knows where the
/// bytes came from, adds it.
extension Failure {
    static func damaged(_ message: String) -> Failure {
        Failure(.corrupt, message, remedy: "Fetch the bytes again from an undamaged copy.")
    }

    static func compressorRefused(_ reason: String) -> Failure {
        Failure(
            .limit, "The bytes could not be compressed: \(reason).",
            remedy: "Choose a lower compression level or free some memory, and try again.")
    }

    static func tooMuchMemory(_ limit: Int) -> Failure {
        Failure(
            .limit, "Decompressing these bytes needs more than \(limit >> 20) MiB of memory.",
            remedy: "If you trust them, decompress them with xz or zstd and a higher limit.")
    }
}
