import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

/// A content larger than a chunk, cut while it passes by.
struct ChunkedContent {
    /// What the content is put together of, so far.
    private(set) var parts: [Recipe.Part] = []
    private var chunker = Chunker()
    private var hasher = ContentHasher()
    private var present: [UInt8] = []

    /// The identity of all bytes so far.
    var content: ContentID { hasher.finish() }

    /// How many bytes the finished parts have.
    var size: Int64 { parts.reduce(0) { $0 + Int64($1.length) } }

    /// Adds bytes, and gives the chunks that end in them.
    mutating func add(_ piece: [UInt8]) -> [(id: ContentID, bytes: [UInt8])] {
        hasher.update(piece)
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
    mutating func finish() -> (id: ContentID, bytes: [UInt8])? {
        present.isEmpty ? nil : cut()
    }

    private mutating func cut() -> (id: ContentID, bytes: [UInt8]) {
        let id = ContentHasher.hash(present)
        parts.append(Recipe.Part(id: id, length: present.count))
        defer { present.removeAll(keepingCapacity: true) }
        return (id, present)
    }
}
