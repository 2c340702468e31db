package import FilesinkiModel
import FilesinkiText

/// The name of an item in its zone: bytes, at least one. Two keys are the same only when their bytes
/// are.
package struct ItemKey: Hashable, Sendable {
    package let bytes: [UInt8]

    /// The longest key that any limit may allow, so that its path fits.
    package static let maximumLength = 1_024

    /// - Throws: `Failure` with code `usage` for an empty or a too long key.
    package init(_ bytes: [UInt8]) throws(Failure) {
        guard !bytes.isEmpty else {
            throw Failure(.usage, "A key must not be empty.", remedy: "Give it a name.")
        }
        guard bytes.count <= Self.maximumLength else {
            throw Self.tooLong(bytes, limit: Self.maximumLength)
        }
        self.bytes = bytes
    }

    /// The key of a text's UTF-8 bytes.
    package init(_ text: String) throws(Failure) { try self.init(Array(text.utf8)) }

    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    package static func tooLong(_ bytes: [UInt8], limit: Int) -> Failure {
        Failure(
            .usage, path: bytes,
            "The key has \(bytes.count) bytes; at most \(limit) are allowed.",
            remedy: "Use a shorter key.")
    }

    /// How many encoded bytes stand between two slashes.
    private static let nameLength = 240

    /// Where the key is in its zone: each byte but `a-z A-Z 0-9 - _ ~` as `%` and two digits, with a
    /// slash after every 240 of these characters. No two keys have one path, and each key has one.
    package var path: RelativePath {
        let encoded = PercentCoding.encode(bytes).utf8.flatMap { byte in
            byte == UInt8(ascii: ".") ? Array("%2E".utf8) : [byte]
        }
        var path: [UInt8] = []
        for start in stride(from: 0, to: encoded.count, by: Self.nameLength) {
            if start > 0 { path.append(UInt8(ascii: "/")) }
            path += encoded[start..<min(start + Self.nameLength, encoded.count)]
        }
        return RelativePath(unchecked: path)
    }

    /// The key of a path; nil for one that is no key's.
    package init?(path: RelativePath) {
        let text = String(decoding: path.bytes.filter { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        guard let bytes = PercentCoding.decode(text), let key = try? ItemKey(bytes),
            key.path == path
        else { return nil }
        self = key
    }
}

extension ItemKey: Comparable {
    package static func < (left: ItemKey, right: ItemKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ItemKey: CustomStringConvertible {
    /// The key as a person may see it.
    package var description: String { printable(bytes) }
}
