import FilesinkiCompression
import FilesinkiModel

/// How a file holds its content.
enum FileForm: Sendable {
    /// As it is.
    case plain
    /// As one Zstandard frame, in a file whose name says so.
    case compressed

    private static let suffix = ".zst"
    private static let level: Int32 = 3
    /// The most bytes that a compressed file may unfold to.
    private static let limit = 1 << 30

    /// The name that the file has in the root.
    func name(_ path: String) -> String {
        self == .plain || path.hasSuffix(Self.suffix) ? path : path + Self.suffix
    }

    /// The bytes of the file.
    func encode(_ content: [UInt8]) throws -> [UInt8] {
        self == .plain ? content : try ZstdCompressor(level: Self.level).compress(content)
    }

    /// The content of the file's bytes; nil when they are not of this form.
    func decode(_ file: [UInt8]) -> [UInt8]? {
        self == .plain ? file : try? Self.decompress(file)
    }

    /// The value in the file's bytes; nil when there is none.
    func value<Value: Decodable>(_ file: [UInt8]) -> Value? {
        decode(file).flatMap { ValueCoder.decode($0) }
    }

    /// - Throws: Code `corrupt` when the bytes are no frame, `limit` when they hold too much.
    static func decompress(_ file: [UInt8]) throws -> [UInt8] {
        var decoder = try ZstdDecoder()
        var content: [UInt8] = []
        try file.withUnsafeBytes { bytes in
            try decoder.process(bytes, finish: true) { piece in
                guard content.count + piece.count <= limit else {
                    throw Failure(
                        .limit, "A compressed file holds more than \(limit) bytes.",
                        remedy: "Do not save it compressed.")
                }
                content.append(contentsOf: piece)
            }
        }
        return content
    }
}
