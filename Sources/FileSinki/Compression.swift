import FilesinkiCompression
import FilesinkiModel
public import FoundationEssentials

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

extension Data {
    /// The data compressed.
    ///
    /// - Returns: Nil when the result would not be smaller than the data.
    public func compress(algorithm: CompressionAlgorithm = .zstd) -> Data? {
        guard let bytes = try? algorithm.encode(Array(self)), bytes.count < count else {
            return nil
        }
        return Data(bytes)
    }

    /// The data that ``compress(algorithm:)``, or the program `zstd` or `xz`, has compressed.
    ///
    /// - Parameters:
    ///   - algorithm: How it was compressed.
    ///   - limit: The most bytes that may come out.
    /// - Throws: Code `corrupt` when the data is damaged, cut short, empty or compressed in another way,
    ///   `limit` when more than `limit` bytes would come out. Data is never passed through as it is.
    public func decompress(
        algorithm: CompressionAlgorithm = .zstd, limit: Int = 1 << 30
    ) throws(FileSinkiError) -> Data {
        guard !isEmpty else {
            throw FileSinkiError(
                .corrupt, path: "", message: "Empty data is not a \(algorithm.rawValue) stream.",
                remedy: "Check where the data comes from.")
        }
        do {
            var decoder = try algorithm.format.decoder()
            return Data(try decoder.processWhole(Array(self), limit: limit))
        } catch {
            throw FileSinkiError(error, "")
        }
    }

    /// Writes the data to a file that has nothing to do with a root: whole or not at all; folders are made.
    ///
    /// - Parameters:
    ///   - fileURL: Where to write; a compressed file has the suffix of its algorithm behind the name.
    ///   - compression: Nil to write the data as it is.
    /// - Returns: The bytes of the file.
    /// - Throws: Code `io` when it cannot be written.
    @discardableResult
    public func write(
        toFileURL fileURL: URL, compression: CompressionAlgorithm?
    ) throws(FileSinkiError) -> Data {
        let place = fileURL.named(for: compression)
        do {
            let data = try compression.map { Data(try $0.encode(Array(self))) } ?? self
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: place, options: .atomic)
            return data
        } catch {
            throw FileSinkiError(error, place.path)
        }
    }
}

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
