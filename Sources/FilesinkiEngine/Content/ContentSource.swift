import FilesinkiModel
import FilesinkiStore
import Synchronization

/// Finds contents in the store: in packs by their indexes, or inside the commit that published them.
final class ContentSource: Sendable {
    let locator: ContentLocator
    private let log: CommitLog
    private let inline: [ContentID: UInt64]
    /// Contents that are to be published in this run's commit.
    private let pending: [ContentID: [UInt8]]
    /// The commit read last: contents of one commit are mostly asked for together.
    private let recent = Mutex<Commit?>(nil)

    init(
        locator: ContentLocator, log: CommitLog, inline: [ContentID: UInt64],
        pending: [InlineContent] = []
    ) {
        self.locator = locator
        self.log = log
        self.inline = inline
        self.pending = Dictionary(pending.map { ($0.id, $0.bytes) }) { first, _ in first }
    }

    /// Whether the store holds the content.
    func holds(_ content: ContentID) async throws -> Bool {
        if isInline(content) { return true }
        return try await locator.find(content) != nil
    }

    /// Whether the content travels inside a commit rather than in packs.
    func isInline(_ content: ContentID) -> Bool {
        pending[content] != nil || inline[content] != nil
    }

    /// The bytes of a content that travels inside a commit; nil for one in packs.
    func inlineBytes(_ content: ContentID) async throws -> [UInt8]? {
        if let bytes = pending[content] { return bytes }
        guard let sequence = inline[content] else { return nil }
        if let commit = recent.withLock({ $0 }), commit.sequence == sequence {
            return commit.inlineContent(content)
        }
        guard let commit = try await log.read(sequence) else {
            throw Failure(
                .corrupt, path: content.description,
                "The commit \(sequence) that holds this content is gone.",
                remedy: "Run filesinki check.")
        }
        recent.withLock { $0 = commit }
        return commit.inlineContent(content)
    }

    /// A content's bytes, verified.
    ///
    /// - Throws: Code `not-found` when the store does not hold it, `limit` beyond `limit` bytes.
    func read(_ content: ContentID, size: Int64) async throws -> [UInt8] {
        if let bytes = try await inlineBytes(content) {
            try Self.check(bytes, content, size)
            return bytes
        }
        return try await locator.read(content, size: size)
    }

    /// Gives a content's bytes piece by piece, verified.
    func stream(
        _ content: ContentID, size: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        if let bytes = try await inlineBytes(content) {
            try Self.check(bytes, content, size)
            try bytes.withUnsafeBytes(body)
        } else {
            try await locator.stream(content, size: size, body)
        }
    }

    /// - Parameter size: What the entry says; `Int64.max` where nothing does.
    private static func check(_ bytes: [UInt8], _ content: ContentID, _ size: Int64) throws(Failure)
    {
        guard size == .max || Int64(bytes.count) == size else {
            throw Failure(
                .corrupt, path: content.description,
                "The content has \(bytes.count) bytes where its entry says \(size).",
                remedy: "Run filesinki check; the other files are not concerned.")
        }
    }
}
