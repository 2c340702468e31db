/// The ID of a content: the SHA-256 of its uncompressed bytes (FIPS 180-4).
package struct ContentID: Hashable, Sendable {
    // Four words, not an array: a tree may have millions of these.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// The length of an ID in bytes.
    package static let byteCount = 32

    /// All zeros, for entries without content, such as directories.
    package static let none = ContentID(0, 0, 0, 0)

    private init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        self.first = first
        self.second = second
        self.third = third
        self.fourth = fourth
    }

    /// Reads an ID from its 32 bytes; nil for any other length.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.init(
            UInt64(bigEndian: words.0), UInt64(bigEndian: words.1),
            UInt64(bigEndian: words.2), UInt64(bigEndian: words.3))
    }

    /// Reads an ID from 32 bytes in memory; nil for any other length. Not generic, for speed.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        self.init(word(0), word(1), word(2), word(3))
    }

    /// The 32 bytes.
    package var bytes: [UInt8] { withBytes(Array.init) }

    /// Calls `body` with the 32 bytes, without an allocation.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let words = (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)
        return withUnsafeBytes(of: words, body)
    }

    /// Reads IDs that follow each other; nil if the last one is not complete.
    package static func list(_ bytes: [UInt8]) -> [ContentID]? {
        guard bytes.count.isMultiple(of: byteCount) else { return nil }
        return stride(from: 0, to: bytes.count, by: byteCount).compactMap {
            ContentID(bytes[$0..<($0 + byteCount)])
        }
    }

    /// The first 64 bits, for hash tables and names.
    package var prefix: UInt64 { first }

    /// The first 8 bytes are random enough.
    package func hash(into hasher: inout Hasher) { hasher.combine(first) }
}

extension ContentID: Comparable {
    package static func < (left: ContentID, right: ContentID) -> Bool {
        (left.first, left.second, left.third, left.fourth)
            < (right.first, right.second, right.third, right.fourth)
    }
}

extension ContentID: CustomStringConvertible {
    /// 64 hexadecimal digits, lower case.
    package var description: String { hexadecimal(bytes) }

    /// Parses 64 hexadecimal digits; nil for anything else.
    package init?(hexadecimal text: some StringProtocol) {
        guard let bytes = FilesinkiModel.bytes(hexadecimal: text) else { return nil }
        self.init(bytes)
    }
}
