import FilesinkiCompression
import FilesinkiModel

/// How a file holds its content.
enum FileForm: Sendable {
    /// As it is.
    case plain
    /// As one Zstandard frame, in a file whose name says so.
    case compressed

    private static let compression = FileCompression.zstd
    /// The most bytes that a compressed file may unfold to.
    private static let limit = 1 << 30

    /// The name that the file has in the root.
    func name(_ path: String) -> String {
        self == .plain ? path : Self.compression.name(of: path)
    }

    /// The bytes of the file.
    func encode(_ content: [UInt8]) throws -> [UInt8] {
        guard self == .compressed else { return content }
        var encoder = try Self.compression.encoder()
        return try encoder.processWhole(content)
    }

    /// The content of the file's bytes; nil when they are not of this form.
    func decode(_ file: [UInt8]) -> [UInt8]? {
        self == .plain ? file : try? Self.decompress(file)
    }

    /// The value in the file's bytes; nil when there is none.
    func value<Value: Decodable>(_ file: [UInt8]) -> Value? {
        decode(file).flatMap { ValueCoder.decode($0) }
    }

    /// The value in the file's bytes.
    ///
    /// - Throws: Code `coding` when they are not of this form, or not a value of the type.
    func value<Value: Decodable>(
        of file: [UInt8], _ path: String
    ) throws(FileSinkiError) -> Value {
        try ValueCoder.decode(try content(of: file, path), path)
    }

    /// - Throws: Code `corrupt` when the bytes are not a frame, `limit` when they hold too much.
    static func decompress(_ file: [UInt8]) throws -> [UInt8] {
        var decoder = try compression.decoder()
        return try decoder.processWhole(file, limit: limit)
    }
}
