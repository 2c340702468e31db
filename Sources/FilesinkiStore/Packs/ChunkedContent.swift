import FilesinkiHashing
package import FilesinkiModel

/// A content larger than a chunk, cut into chunks while it is read.
package struct ChunkedContent {
    /// The chunks of the content, so far.
    package private(set) var parts: [Recipe.Part] = []
    private var chunker = Chunker()
    private var hasher = ContentHasher()
    private var present: [UInt8] = []
    private let known: ContentID?

    /// - Parameter known: The id of the whole content; nil to hash it.
    package init(known: ContentID? = nil) { self.known = known }

    /// The id of all bytes so far, or the known one.
    package var content: ContentID { known ?? hasher.finish() }

    /// The size of the finished chunks in bytes.
    package var size: Int64 { parts.reduce(0) { $0 + Int64($1.length) } }

    /// Adds bytes, and gives the chunks that end in them.
    package mutating func add(_ piece: [UInt8]) -> [(id: ContentID, bytes: [UInt8])] {
        if known == nil { hasher.update(piece) }
        var chunks: [(id: ContentID, bytes: [UInt8])] = []
        piece.withUnsafeBytes { bytes in
            var rest = bytes
            while let end = chunker.end(in: rest) {
                present.append(contentsOf: rest[..<end])
                chunks.append(cut())
                rest = UnsafeRawBufferPointer(rebasing: rest[end...])
                if rest.isEmpty { break }
            }
            present.append(contentsOf: rest)
        }
        return chunks
    }

    /// The last chunk; nil when the content ends with the one before.
    package mutating func finish() -> (id: ContentID, bytes: [UInt8])? {
        present.isEmpty ? nil : cut()
    }

    private mutating func cut() -> (id: ContentID, bytes: [UInt8]) {
        let id = ContentHasher.hash(present)
        parts.append(Recipe.Part(id: id, length: present.count))
        defer { present.removeAll(keepingCapacity: true) }
        return (id, present)
    }
}
