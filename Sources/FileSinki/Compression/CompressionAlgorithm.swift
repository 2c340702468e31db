import FilesinkiCompression
import FilesinkiModel
import FoundationEssentials

/// How data is compressed, for the utilities that have nothing to do with syncing.
///
/// Both are formats of files that other programs read: `zstd` and `xz` write and read them.
public enum CompressionAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// One Zstandard frame (RFC 8878) with a checksum: fast.
    case zstd
    /// One .xz stream with a CRC64: small.
    case xz
}

extension CompressionAlgorithm {
    var format: FileCompression {
        switch self {
        case .zstd: .zstd
        case .xz: .xz
        }
    }

    func encode(_ bytes: [UInt8]) throws -> [UInt8] {
        switch self {
        case .zstd:
            var encoder = try ZstdEncoder()
            return try encoder.processWhole(bytes)
        case .xz:
            // Takes no more memory than the bytes do, which a stream's encoder cannot know.
            return try bytes.withUnsafeBytes { try XZ.compress($0, preset: 6) }
        }
    }
}

extension URL {
    /// The same place with the suffix of the algorithm, unless it has that already.
    func named(for algorithm: CompressionAlgorithm?) -> URL {
        algorithm.map { URL(filePath: $0.format.name(of: path)) } ?? self
    }
}
