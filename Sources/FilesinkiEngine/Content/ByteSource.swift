import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

/// Where a ``ContentUploader`` reads contents from.
///
/// Files of a root may be written by any program: they are hashed while they are read, and a change
/// meanwhile is an error. What this process has staged is hashed already: it is read at most once more,
/// and a small one not at all.
protocol ByteSource: Sendable {
    /// Reads and identifies a content.
    ///
    /// - Throws: Code `limit` if it has more than `limit` bytes, `changing` if it changed while it was
    ///   read, `not-found` if nothing is at the path.
    func read(_ path: RelativePath, limit: Int) throws(Failure) -> ReadContent

    /// Opens a content for reading piece by piece. Throws as ``read(_:limit:)`` does.
    func reader(_ path: RelativePath) throws(Failure) -> FileReader

    /// The id of what ``reader(_:)`` gives; nil if it must be hashed.
    func knownContent(_ path: RelativePath) -> ContentID?
}

/// A content in memory, with the status of the file that holds it.
struct ReadContent: Sendable {
    let content: ContentID
    let bytes: [UInt8]
    let status: FileStatus
}

extension RootFolder: ByteSource {
    func read(_ path: RelativePath, limit: Int) throws(Failure) -> ReadContent {
        let (bytes, status) = try readWhole(path, limit: limit)
        return ReadContent(content: ContentHasher.hash(bytes), bytes: bytes, status: status)
    }

    func knownContent(_ path: RelativePath) -> ContentID? { nil }
}

/// A finished file in the staging folder, whose content was hashed while it was written.
struct StagedContent: ByteSource {
    let file: StagedFile
    let content: ContentID
    /// The bytes of a content that is not cut into chunks; nil for a larger one.
    let bytes: [UInt8]?

    /// Contents of up to this many bytes are kept in memory while they are staged.
    static let keptBytes = Chunker.maximumSize

    func read(_ path: RelativePath, limit: Int) throws(Failure) -> ReadContent {
        guard let bytes, bytes.count <= limit, let status = file.status else {
            throw Failure(
                .limit, path: path.bytes, "The content has more than \(limit) bytes.",
                remedy: "Read it piece by piece.")
        }
        return ReadContent(content: content, bytes: bytes, status: status)
    }

    func reader(_ path: RelativePath) throws(Failure) -> FileReader { try file.reader() }

    func knownContent(_ path: RelativePath) -> ContentID? { content }
}

/// A content that this run has just installed at a path of the root.
struct InstalledContent: Sendable {
    let path: RelativePath
    let content: ContentID
    /// The bytes, if they need not be read again; see ``StagedContent/bytes``.
    let bytes: [UInt8]?
    /// The stamp of the installed file.
    let stamp: FileStamp
}

/// The files of a root, one of which was installed by this run: while it has the stamp that it was
/// installed with, its bytes are taken from memory.
struct RootAfterSave: ByteSource {
    let root: RootFolder
    let installed: InstalledContent

    func read(_ path: RelativePath, limit: Int) throws(Failure) -> ReadContent {
        guard path == installed.path, let bytes = installed.bytes,
            let status = try root.status(path), status.kind == .file,
            status.stamp == installed.stamp
        else { return try root.read(path, limit: limit) }
        return ReadContent(content: installed.content, bytes: bytes, status: status)
    }

    func reader(_ path: RelativePath) throws(Failure) -> FileReader { try root.reader(path) }

    func knownContent(_ path: RelativePath) -> ContentID? { nil }
}
