package import FilesinkiModel

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
