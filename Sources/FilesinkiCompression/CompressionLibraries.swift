import CLZMA
import CZstd

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
