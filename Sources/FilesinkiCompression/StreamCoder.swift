package import FilesinkiModel

/// Compresses or decompresses a stream of bytes in bounded memory.
package protocol StreamCoder {
    /// Processes the next bytes, and outputs what is ready.
    ///
    /// - Parameters:
    ///   - input: The next bytes; may be empty.
    ///   - finish: Whether these are the last bytes. No call may follow.
    ///   - output: Called any number of times with the next bytes of the result, up to 128 KiB
    ///     each. They are valid during the call only.
    /// - Throws: Errors of `output`; `Failure` with code `corrupt` for damaged, truncated or
    ///   foreign bytes and for bytes after the end, `limit` when too much memory is needed. The
    ///   coder must not be used after an error.
    mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws
}

/// The memory limit of a stream's decoder: 128 MiB.
let streamMemoryLimit = 128 << 20

/// The maximum length of one call of `output`, in bytes.
let streamBufferSize = 128 << 10

/// A stream format that is detected by its first bytes.
package enum StreamFormat: Sendable {
    case xz
    case zstd

    /// The number of bytes that ``detect(_:)`` needs.
    package static let prefixLength = 6

    /// The format of a stream with these first bytes; nil if unknown.
    package static func detect(_ firstBytes: some Collection<UInt8>) -> StreamFormat? {
        // The .xz file format, section 2.1.1.1; RFC 8878, section 3.1.1.
        if firstBytes.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .xz }
        if firstBytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        return nil
    }
}

extension StreamCoder {
    /// Processes bytes that are all in memory. The result equals that of processing them piece by
    /// piece.
    ///
    /// - Parameter limit: The maximum length of the result in bytes.
    /// - Throws: As ``process(_:finish:_:)``; code `limit` when the result is longer.
    package mutating func processWhole(
        _ bytes: UnsafeRawBufferPointer, limit: Int = .max
    ) throws -> [UInt8] {
        var result: [UInt8] = []
        func append(_ piece: UnsafeRawBufferPointer) throws(Failure) {
            guard piece.count <= limit - result.count else {
                throw Failure(
                    .limit, "The decompressed bytes are more than \(limit).",
                    remedy: "Decompress them with filesinki decompress, into a file.")
            }
            result.append(contentsOf: piece)
        }
        try process(bytes, finish: false, append)
        // Not in one call: zstd would choose its parameters by the length, which is unknown for a
        // stream.
        try process(UnsafeRawBufferPointer(start: nil, count: 0), finish: true, append)
        return result
    }

    /// Processes an array.
    package mutating func processWhole(_ bytes: [UInt8], limit: Int = .max) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try processWhole($0, limit: limit) }
    }
}

/// The format of a compressed file in a root or a user's folder, as `zstd` and `xz` write it, with
/// a checksum.
package enum FileCompression: String, Sendable, CaseIterable {
    case zstd, xz

    /// The suffix of the file's name.
    package var suffix: String {
        switch self {
        case .zstd: ".zst"
        case .xz: ".xz"
        }
    }

    /// The name of the compressed form of `path`. A path with the suffix is returned unchanged.
    package func name(of path: String) -> String {
        path.utf8.reversed().starts(with: suffix.utf8.reversed()) ? path : path + suffix
    }

    /// An encoder with the default level.
    ///
    /// - Throws: `Failure` with code `limit` when there is not enough memory.
    package func encoder() throws(Failure) -> any StreamCoder {
        switch self {
        case .zstd: try ZstdEncoder()
        case .xz: try XZEncoder()
        }
    }

    /// A decoder.
    ///
    /// - Throws: As ``encoder()``.
    package func decoder() throws(Failure) -> any StreamCoder {
        switch self {
        case .zstd: try ZstdDecoder()
        case .xz: try XZDecoder()
        }
    }
}
