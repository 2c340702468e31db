package import FilesinkiModel

/// A filter that compresses or decompresses bytes as they pass by, in bounded memory.
package protocol StreamCoder {
    /// Takes in bytes and gives out what can be given so far.
    ///
    /// - Parameters:
    ///   - input: The next bytes; may be empty.
    ///   - finish: Whether these are the last ones. No call may follow one with `true`.
    ///   - output: Receives the next bytes of the result, up to 128 KiB in each of any number of
    ///     calls; they are valid during the call only.
    /// - Throws: What `output` throws, and a `Failure`: `corrupt` for damaged, cut or
    ///   foreign bytes and for anything behind the end; `limit` when too much memory were needed.
    ///   After an error the coder is of no further use.
    mutating func process(
        _ input: UnsafeRawBufferPointer, finish: Bool,
        _ output: (UnsafeRawBufferPointer) throws -> Void
    ) throws
}

/// How much memory a stream's decoder may take: 128 MiB.
let streamMemoryLimit = 128 << 20

/// The size of the buffer behind each call of `output`, in bytes.
let streamBufferSize = 128 << 10

/// The formats of streams that are recognised by their first bytes.
package enum StreamFormat: Sendable {
    case xz
    case zstd

    /// How many bytes ``detect(_:)`` wants to see.
    package static let prefixLength = 6

    /// The format that a stream with these first bytes has; nil for any other.
    package static func detect(_ firstBytes: some Collection<UInt8>) -> StreamFormat? {
        // The .xz file format, section 2.1.1.1; RFC 8878, section 3.1.1.
        if firstBytes.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]) { return .xz }
        if firstBytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        return nil
    }
}

extension StreamCoder {
    /// What becomes of bytes that are all in memory. The result is the same as of bytes that come piece by
    /// piece.
    ///
    /// - Parameter limit: The most bytes that may come out.
    /// - Throws: As ``process(_:finish:_:)``; code `limit` when more would come out.
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
        // All of it at once would let zstd choose by the length, which is not known of a stream.
        try process(UnsafeRawBufferPointer(start: nil, count: 0), finish: true, append)
        return result
    }

    /// What becomes of an array.
    package mutating func processWhole(_ bytes: [UInt8], limit: Int = .max) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try processWhole($0, limit: limit) }
    }
}

/// How a file in a root or a user's folder is compressed: as `zstd` and `xz` do it, with a check, under a
/// name that says so.
package enum FileCompression: String, Sendable, CaseIterable {
    case zstd, xz

    /// What stands at the end of the file's name.
    package var suffix: String {
        switch self {
        case .zstd: ".zst"
        case .xz: ".xz"
        }
    }

    /// The name of the file that holds the compressed form of `path`; a name that has the suffix is that
    /// of the file itself.
    package func name(of path: String) -> String {
        path.utf8.reversed().starts(with: suffix.utf8.reversed()) ? path : path + suffix
    }

    /// A filter that compresses, at the usual level.
    ///
    /// - Throws: `Failure` with code `limit` when there is too little memory.
    package func encoder() throws(Failure) -> any StreamCoder {
        switch self {
        case .zstd: try ZstdEncoder()
        case .xz: try XZEncoder()
        }
    }

    /// A filter that decompresses.
    ///
    /// - Throws: As ``encoder()``.
    package func decoder() throws(Failure) -> any StreamCoder {
        switch self {
        case .zstd: try ZstdDecoder()
        case .xz: try XZDecoder()
        }
    }
}
