import FilesinkiModel

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
