import FilesinkiCompression
import FilesinkiModel
public import FoundationEssentials

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
