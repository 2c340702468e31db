import FilesinkiCompression
import FilesinkiHashing
package import FilesinkiModel

/// Stores contents in packs, one after the other. Those that have more than a chunk are cut while they are read, so
/// that memory holds a block and the packs under way.
package struct ContentPacker {
    private let held: ContentLocator
    private let makeWriter: () -> PackWriter
    private let onStored: ([PackReference]) throws -> Void
    private var builder = BlockBuilder(compressor: ZstdCompressor(level: 3))
    private var writer: PackWriter?
    /// The chunks that were added.
    private var added: Set<ContentID> = []
    /// The plain bytes since the last packs were reported.
    private var unreported = 0

    /// So many plain bytes are stored before their packs are reported: a run that is killed has to store less than
    /// that again.
    private static let reportInterval = 64 << 20

    /// - Parameters:
    ///   - held: Finds the chunks that packs hold already.
    ///   - makeWriter: Makes a writer of packs; called again after each report.
    ///   - onStored: Called with packs that the remote has stored.
    package init(
        held: ContentLocator, makeWriter: @escaping () -> PackWriter,
        onStored: @escaping ([PackReference]) throws -> Void
    ) {
        self.held = held
        self.makeWriter = makeWriter
        self.onStored = onStored
    }

    /// Adds a content.
    ///
    /// - Parameters:
    ///   - id: What the content must be.
    ///   - read: Gives the next bytes; empty at the end.
    /// - Throws: `Failure` with code `corrupt` for other bytes, what `read` and the remote throw. Then call
    ///   ``abandon()``.
    package mutating func add(
        _ id: ContentID, _ read: (_ count: Int) throws -> [UInt8]
    ) async throws {
        let first = try read(Chunker.maximumSize + 1)
        guard first.count > Chunker.maximumSize else {
            guard ContentHasher.hash(first) == id else { throw Self.otherBytes(id) }
            return try await addChunk(id, first)
        }
        var chunked = ChunkedContent()
        var piece = first
        while !piece.isEmpty {
            for chunk in chunked.add(piece) { try await addChunk(chunk.id, chunk.bytes) }
            piece = try read(1 << 20)
        }
        if let last = chunked.finish() { try await addChunk(last.id, last.bytes) }
        guard chunked.content == id else { throw Self.otherBytes(id) }
        try await flush()
        try Recipe(chunked.parts).encoded().withUnsafeBytes {
            builder.add(id, kind: .recipe, bytes: $0)
        }
    }

    /// Stores what is left. Must be called at the end.
    package mutating func finish() async throws {
        try await flush()
        guard let writer else { return }
        try onStored(try await writer.finish())
        self.writer = nil
        unreported = 0
    }

    /// Ends the uploads after a failure.
    package func abandon() async { await writer?.abandon() }

    private mutating func addChunk(_ id: ContentID, _ bytes: [UInt8]) async throws {
        guard added.insert(id).inserted else { return }
        if try await held.find(id)?.member.kind == .chunk { return }
        if !builder.fits(bytes.count) { try await flush() }
        if unreported >= Self.reportInterval { try await finish() }
        bytes.withUnsafeBytes { builder.add(id, kind: .chunk, bytes: $0) }
        unreported += bytes.count
    }

    private mutating func flush() async throws {
        guard let block = try builder.finish() else { return }
        let writer = writer ?? makeWriter()
        self.writer = writer
        try await writer.add(block)
    }

    private static func otherBytes(_ id: ContentID) -> Failure {
        Failure(
            .corrupt, path: id.description, "The file does not hold the bytes that were saved.",
            remedy: "Save the file again.")
    }
}
