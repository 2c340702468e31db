import FilesinkiModel

/// What can be wrong with a pack. The path is the pack's key.
extension Failure {
    static func damagedPack(
        _ key: String, _ message: String, cause: (any Error)? = nil
    ) -> Failure {
        Failure(
            .corrupt, path: key, message,
            remedy: "Run filesinki check; a device that still has the files can store them again.",
            cause: cause)
    }

    static func missingPack(_ key: String) -> Failure {
        damagedPack(key, "The pack is missing or shorter than it should be.")
    }
}
