import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension History {
    /// Gives the content that a path had at a point of the history, piece by piece and verified.
    ///
    /// - Throws: Code `not-found` when there was no file at the path then.
    func show(
        _ path: RelativePath, in tree: TreeAtPoint,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await show(try tree.entry(path).entry, at: path, in: tree.reader, body)
    }

    /// Gives any content that the store still holds.
    func show(
        content: ContentID, _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let source = try await historyContents(historyReader())
        guard try await source.holds(content) else {
            throw Failure(
                .notFound, path: content.description, "The store holds no such content.",
                remedy: "See which there are with filesinki log.")
        }
        try await source.stream(content, size: Int64.max, body)
    }

    func show(
        _ entry: Entry, at path: RelativePath, in reader: HistoryReader,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        switch entry.kind {
        case .file:
            try await historyContents(reader).stream(entry.content, size: entry.size, body)
        case .symlink:
            try entry.target.withUnsafeBytes(body)
        case .directory, .tombstone:
            throw Failure(
                .notFound, path: path.bytes, "It is a folder and has no content.",
                remedy: "Name a file in it.")
        }
    }

    /// Where contents of all times are, as far as the log is known.
    func historyContents(_ reader: HistoryReader) async throws -> ContentSource {
        try await storedContents.source(reader.view)
    }
}
