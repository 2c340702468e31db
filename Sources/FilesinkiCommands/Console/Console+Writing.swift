import FilesinkiModel

extension Console {
    /// Writes bytes to a file, whole or not at all, or to standard output.
    func write(_ bytes: [UInt8], to file: String?) throws {
        guard let file else { return try output.write(bytes) }
        let target = try OutputFile(file, in: self)
        try bytes.withUnsafeBytes(target.write)
        try target.finish()
    }

    /// Refuses to mix a content with the object that tells of it.
    ///
    /// - Throws: `Failure` with code `usage` when both were to go to standard output.
    func requireFile(_ file: String?) throws(Failure) {
        guard outputOptions.isJSON, file == nil || file == "-" else { return }
        throw Failure(
            .usage, "With --json, the content cannot go to standard output too.",
            remedy: "Name a file for it with -o.")
    }
}
