import FilesinkiCompression
import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore

/// One of the workers of a ``ContentUploader``, with its own block and compressor.
struct UploadWorker {
    let uploader: ContentUploader
    let queue: UploadQueue
    var builder = BlockBuilder(compressor: ZstdCompressor(level: ContentUploader.level))
    var result = UploadResult()
    /// The plain size from which on a block is full.
    private var blockSize: Int
    /// Bytes of large files that were reported while they were read.
    private var reported: Int64 = 0

    init(uploader: ContentUploader, queue: UploadQueue) {
        self.uploader = uploader
        self.queue = queue
        blockSize = uploader.destination.blockSize(after: nil)
    }

    /// The bytes reported since the last call.
    mutating func removeReported() -> Int64 {
        defer { reported = 0 }
        return reported
    }

    /// Reads one content. A failure that concerns only it becomes a problem of its path.
    mutating func read(_ item: ContentUploader.Item) async throws {
        do {
            if item.size > Int64(Chunker.maximumSize) {
                try await readChunked(item)
            } else {
                try await readWholeOrChunked(item)
            }
        } catch let failure as Failure where failure.code == .notFound {
            result.vanished.append(item.path)
        } catch let failure as Failure where Self.concernsOneFile(failure) {
            result.problems.append(Problem(item.path, failure))
        }
    }

    /// Reads a content whose file is small, or was at the scan: that of a live file may be much longer.
    private mutating func readWholeOrChunked(_ item: ContentUploader.Item) async throws {
        do {
            try await readWhole(item)
        } catch let failure as Failure where failure.code == .limit {
            try await readChunked(item)
        }
    }

    private static func concernsOneFile(_ failure: Failure) -> Bool {
        [.io, .changing, .badPath, .limit, .busy].contains(failure.code)
    }

    private mutating func readWhole(_ item: ContentUploader.Item) async throws {
        let read = try uploader.source.read(item.path, limit: Chunker.maximumSize)
        if try await isWanted(read.content) { try await keep(read.content, read.bytes) }
        addResult(item.path, read.content, Int64(read.bytes.count), read.status)
    }

    /// Reads a content larger than a chunk: it is chunked while it is read, and described by a recipe.
    private mutating func readChunked(_ item: ContentUploader.Item) async throws {
        var chunked = ChunkedContent(known: uploader.source.knownContent(item.path))
        var meter = ProgressMeter(size: item.size)
        let reader = try uploader.source.reader(item.path)
        while let piece = try reader.next() {
            for chunk in chunked.add(piece) { try await keepChunk(chunk.id, chunk.bytes) }
            if let more = meter.add(piece.count) { try reportProgress(more) }
        }
        if let last = chunked.finish() { try await keepChunk(last.id, last.bytes) }
        let status = try reader.finish()
        let content = chunked.content
        // A file that shrank to one chunk meanwhile needs no recipe: the chunk is the content.
        if chunked.parts.count > 1, try await isWanted(content) {
            try await keep(content, recipe: Recipe(chunked.parts))
        }
        addResult(item.path, content, chunked.size, status)
    }

    private mutating func reportProgress(_ bytes: Int64) throws {
        try Task.checkCancellation()
        uploader.progress(0, bytes)
        reported += bytes
    }

    private func isWanted(_ content: ContentID) async throws -> Bool {
        if case .nowhere = uploader.destination { return false }
        guard queue.claim(content) else { return false }
        return try await !uploader.knows(content)
    }

    private mutating func keepChunk(_ id: ContentID, _ bytes: [UInt8]) async throws {
        if case .nowhere = uploader.destination { return }
        guard queue.claim(chunk: id), try await !uploader.holdsChunk(id) else { return }
        try await addBlock(id, bytes)
    }

    private mutating func keep(_ id: ContentID, _ bytes: [UInt8]) async throws {
        if case .commit = uploader.destination {
            result.inline.append(InlineContent(id: id, bytes: bytes))
            return
        }
        try await addBlock(id, bytes)
    }

    private mutating func addBlock(_ id: ContentID, _ bytes: [UInt8]) async throws {
        if builder.plainCount > 0, builder.plainCount + bytes.count > blockSize {
            try await flush()
        }
        bytes.withUnsafeBytes { builder.add(id, kind: .chunk, bytes: $0) }
    }

    private mutating func keep(_ id: ContentID, recipe: Recipe) async throws {
        try await flush()
        try recipe.encoded().withUnsafeBytes { builder.add(id, kind: .recipe, bytes: $0) }
    }

    /// Hands the block that is being filled to the pack.
    mutating func flush() async throws {
        guard let writer = uploader.destination.writer, let block = try builder.finish() else {
            return
        }
        blockSize = uploader.destination.blockSize(after: block)
        try await writer.add(block)
    }

    private mutating func addResult(
        _ path: RelativePath, _ content: ContentID, _ size: Int64, _ status: FileStatus
    ) {
        let entry = Entry.file(
            content, size: size, mode: status.mode,
            modified: status.contentModified ?? status.stamp.modified)
        result.files.append(
            UploadResult.File(
                path: path, entry: entry, stamp: status.stamp, isSettled: status.stamp.isSettled,
                isLive: status.contentModified != nil))
    }
}
