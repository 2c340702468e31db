public import FoundationEssentials

extension Encodable {
    /// The value as JSON with sorted keys, compressed.
    ///
    /// - Parameter compression: Nil for the JSON as it is.
    /// - Throws: Code `coding` when the value cannot be written as JSON.
    public func compress(
        with compression: CompressionAlgorithm? = .zstd
    ) throws(FileSinkiError) -> Data {
        let content = try ValueCoder.encode(self, "")
        do {
            return Data(try compression?.encode(content) ?? content)
        } catch {
            throw FileSinkiError(error, "")
        }
    }

    /// Writes the value as JSON to a file that has nothing to do with a root; see
    /// `Data.write(toFileURL:compression:)`.
    ///
    /// - Returns: The bytes of the file.
    /// - Throws: Code `coding` when the value cannot be written as JSON, `io` when the file cannot be
    ///   written.
    @discardableResult
    public func saveLocalTo(
        fileURL: URL, compression: CompressionAlgorithm? = .zstd
    ) throws(FileSinkiError) -> Data {
        try Data(try ValueCoder.encode(self, fileURL.path))
            .write(toFileURL: fileURL, compression: compression)
    }
}

extension Decodable {
    /// The value that `compress(with:)` has written.
    ///
    /// - Throws: Code `corrupt` when the data is damaged or compressed in another way, `coding` when it
    ///   does not hold a value of the type.
    public static func decodeFrom(
        data: Data, compression: CompressionAlgorithm? = .zstd
    ) throws(FileSinkiError) -> Self {
        let content = try compression.map { algorithm throws(FileSinkiError) in
            try data.decompress(algorithm: algorithm)
        }
        return try ValueCoder.decode(Array(content ?? data), "")
    }

    /// The value in a file that `saveLocalTo(fileURL:compression:)` has written.
    ///
    /// - Returns: Nil when there is no such file.
    /// - Throws: As `decodeFrom(data:compression:)`, and code `io` when the file cannot be read.
    public static func loadFromLocal(
        fileURL: URL, compression: CompressionAlgorithm? = .zstd
    ) throws(FileSinkiError) -> Self? {
        let place = fileURL.named(for: compression)
        guard FileManager.default.fileExists(atPath: place.path) else { return nil }
        let data: Data
        do {
            data = try Data(contentsOf: place)
        } catch {
            throw FileSinkiError(error, place.path)
        }
        do {
            return try decodeFrom(data: data, compression: compression)
        } catch {
            throw error.at(place.path)
        }
    }
}

extension FileSinkiError {
    /// The same error of a file that it did not name.
    fileprivate func at(_ path: String) -> FileSinkiError {
        var error = self
        if error.path.isEmpty { error.path = path }
        return error
    }
}
