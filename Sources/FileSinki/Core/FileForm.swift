import FilesinkiCompression
import FilesinkiModel
import FoundationEssentials

/// How a content is stored in its file.
enum FileForm: Sendable {
    /// Unchanged.
    case plain
    /// As one Zstandard frame, in a file with the extension of that format.
    case compressed

    private static let compression = FileCompression.zstd
    /// The largest decompressed content, in bytes.
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

    /// The value in the file's bytes; nil when they are not one.
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

/// Values as the bytes of a file: JSON with sorted keys, so that equal values have equal bytes.
enum ValueCoder {
    /// - Throws: Code `coding` when the value cannot be written as JSON.
    static func encode(_ value: some Encodable, _ path: String) throws(FileSinkiError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw FileSinkiError(
                .coding, path: path, message: "The value cannot be written as JSON.",
                remedy: "See that all of its numbers are finite.", cause: "\(error)")
        }
    }

    /// Nil when the bytes are not a value of the type.
    static func decode<Value: Decodable>(_ bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(bytes))
    }

    /// - Throws: Code `coding` when the bytes are not a value of the type.
    static func decode<Value: Decodable>(
        _ bytes: [UInt8], _ path: String
    ) throws(FileSinkiError) -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw FileSinkiError(
                .coding, path: path, message: "The file does not hold a \(Value.self).",
                remedy: "Load its bytes to see what it holds.", cause: "\(error)")
        }
    }
}

/// The content of a file that a program has seen.
enum SeenContent: Sendable, Equatable {
    /// The file did not exist.
    case absent
    case content([UInt8])
    /// A content that is too large to be kept in memory.
    case large(count: Int, hash: Int)

    /// Contents larger than this are not kept, in bytes.
    private static let keptBytes = 1 << 20

    init(_ content: [UInt8]?) {
        guard let content else {
            self = .absent
            return
        }
        guard content.count > Self.keptBytes else {
            self = .content(content)
            return
        }
        var hasher = Hasher()
        content.withUnsafeBytes { hasher.combine(bytes: $0) }
        self = .large(count: content.count, hash: hasher.finalize())
    }

    /// The content as a base for a merge; nil when there was none, or it was not kept.
    var base: [UInt8]? {
        if case .content(let content) = self { return content }
        return nil
    }
}
