import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

/// Gives a content of the store piece by piece: as fast as the reader takes it, and never more than one chunk
/// in memory.
package actor StoredContent {
    /// In bytes, as its version says.
    package nonisolated let size: Int64
    private let content: ContentID
    private let locator: ContentLocator
    /// What is left: the bytes of a small content, or the chunks of a large one.
    private var bytes: [UInt8]?
    private var chunks: ArraySlice<Recipe.Part> = []
    private var hasher = ContentHasher()
    private var count: Int64 = 0
    private var isOver = false

    /// - Parameter bytes: Nil for a content in packs.
    /// - Throws: Code `not-found` if no pack holds it, `limit` for a recipe of another size.
    init(
        _ content: ContentID, size: Int64, bytes: [UInt8]?, in locator: ContentLocator
    ) async throws {
        self.content = content
        self.size = size
        self.locator = locator
        self.bytes = bytes
        if bytes != nil { return }
        guard try await locator.find(content) != nil else { throw Self.gone(content) }
        if let recipe = try await locator.recipe(of: content) {
            guard recipe.size == size else { throw Self.damaged(content) }
            chunks = recipe.parts[...]
        } else {
            self.bytes = try await locator.read(content, size: size)
        }
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: Code `corrupt` if a piece, or at the end the whole, is not what was stored.
    package func next() async throws -> [UInt8]? {
        if isOver { return nil }
        if let piece = bytes {
            bytes = nil
            return take(piece)
        }
        if let part = chunks.popFirst() {
            return take(try await locator.read(part.id, size: Int64(part.length)))
        }
        isOver = true
        guard count == size, hasher.finish() == content else { throw Self.damaged(content) }
        return nil
    }

    private func take(_ piece: [UInt8]) -> [UInt8] {
        hasher.update(piece)
        count += Int64(piece.count)
        return piece
    }

    private static func gone(_ content: ContentID) -> Failure {
        Failure(
            .notFound, path: content.description,
            "The content of this version is not in the store any more.",
            remedy: "A prune has removed it, or a repair has given it up.")
    }

    private static func damaged(_ content: ContentID) -> Failure {
        Failure(
            .corrupt, path: content.description, "The store's bytes for it do not match its hash.",
            remedy: "Run filesinki repair on a device that still has the file."
        )
        .forOtherDevice
    }
}
