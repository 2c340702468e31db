import CLZMA
import CZlib
import CZstd
package import FilesinkiModel

/// Encodes and decodes bytes in memory with any codec.
package enum Compression {
    /// Compresses `bytes` with `codec`, or returns them plain if they do not become smaller.
    ///
    /// - Parameter level: The level of the codec: 1 to 19 for zstd, 0 to 9 for xz; ignored for
    ///   plain bytes.
    /// - Returns: The codec that was used, and the bytes to store.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` when the library fails.
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

    /// Decodes the plain bytes.
    ///
    /// - Parameter plainLength: The exact plain length. It is allocated, so the caller must limit
    ///   it.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the bytes are not one
    ///   complete frame of that length, `limit` when decoding needs too much memory.
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

    /// Decodes the plain bytes of an array.
    package static func decode(
        _ bytes: [UInt8], codec: Codec, plainLength: Int
    ) throws(Failure) -> [UInt8] {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try decode(UnsafeRawBufferPointer(buffer), codec: codec, plainLength: plainLength)
        }
    }
}

/// How bytes are encoded in a store. The raw value is stored with the bytes and never guessed.
package enum Codec: UInt8, Sendable, CaseIterable {
    /// Uncompressed.
    case plain = 0
    /// One Zstandard frame (RFC 8878), for data that is read often.
    case zstd = 1
    /// One .xz stream with a check (the .xz file format, version 1.1.0), for data that is seldom
    /// read.
    case xz = 2
}

/// The libraries of the codecs.
package enum CompressionLibraries {
    /// The name and version of each loaded library.
    package static var versions: [(name: String, version: String)] {
        [
            (name: "liblzma", version: String(cString: lzma_version_string())),
            (name: "libzstd", version: String(cString: ZSTD_versionString())),
            (name: "zlib", version: String(cString: zlibVersion())),
        ]
    }
}

/// The failures for compressed bytes. The caller adds the path.
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
