import FilesinkiCompression
import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiModel
import FilesinkiStore
import Synchronization

/// Reads contents that may be new: each once, hashing it unless its source knows the hash, and keeping
/// the bytes of one that is new to the store for the commit, or putting them into packs as they pass by.
///
/// Two workers take batches of neighbouring files; each fills its own blocks, so that both cores
/// read, hash and compress at once. Memory is bounded by the blocks and packs in flight.
struct ContentUploader: Sendable {
    /// What happens with contents that the store does not have.
    enum Destination: Sendable {
        /// Nowhere: contents are only hashed.
        case nowhere
        /// Small ones travel in the commit. A content that is cut into chunks, as of a file that has grown
        /// since the scan, goes into a pack.
        case commit(PackWriter)
        /// They go into packs first.
        case packs(PackWriter)

        /// What stores packs; nil where nothing is stored.
        var writer: PackWriter? {
            switch self {
            case .nowhere: nil
            case .commit(let writer), .packs(let writer): writer
            }
        }

        /// The plain size from which on the block after `last` is full.
        func blockSize(after last: EncodedBlock?) -> Int {
            writer?.sizing?.blockSize(after: last) ?? Int(batchSize)
        }
    }

    /// A content to be read.
    struct Item: Sendable {
        /// Its path in the source.
        let path: RelativePath
        let size: Int64
    }

    /// New contents of a run that are no larger than this in all travel inside the commit.
    static let inlineLimit: Int64 = 256 << 10
    /// A worker takes this many bytes of files at a time: one block.
    static let batchSize: Int64 = 4 << 20
    static let workers = 2
    /// The level of zstd for new blocks.
    static let level: Int32 = 3

    let source: any ByteSource
    let destination: Destination
    /// Whether the store holds the content.
    let knows: @Sendable (ContentID) async throws -> Bool
    /// Whether a pack holds the chunk. False for a content inside a commit.
    let holdsChunk: @Sendable (ContentID) async throws -> Bool
    let progress: @Sendable (_ files: Int, _ bytes: Int64) -> Void

    /// Reads all contents and stores the new ones; the results come in no particular order.
    func upload(_ items: [Item]) async throws -> UploadResult {
        guard let writer = destination.writer else { return try await readAll(items) }
        do {
            var result = try await readAll(items)
            result.packs = try await writer.finish()
            return result
        } catch {
            await writer.abandon()
            throw error
        }
    }

    private func readAll(_ items: [Item]) async throws -> UploadResult {
        let queue = UploadQueue(items)
        return try await withThrowingTaskGroup(of: UploadResult.self) { group in
            let count = items.count > 8 ? Self.workers : 1
            for _ in 0..<count {
                group.addTask { try await work(queue) }
            }
            var all = UploadResult()
            for try await part in group { all.add(part) }
            return all
        }
    }

    private func work(_ queue: UploadQueue) async throws -> UploadResult {
        var worker = UploadWorker(uploader: self, queue: queue)
        while let batch = queue.next(bytes: Self.batchSize) {
            try Task.checkCancellation()
            for item in batch { try await worker.read(item) }
            progress(batch.count, batch.reduce(-worker.removeReported()) { $0 + $1.size })
        }
        try await worker.flush()
        return worker.result
    }
}

/// What came of reading files.
struct UploadResult: Sendable {
    struct File: Sendable {
        let path: RelativePath
        let entry: Entry
        let stamp: FileStamp
        /// Whether the stamp will tell every later change.
        let isSettled: Bool
        /// Whether programs may have it open: its time then changes without its content.
        let isLive: Bool

        /// Whether nothing differs that is kept in step.
        func agrees(with known: Entry) -> Bool {
            known.agrees(with: entry)
                || isLive && known.hasSameContent(as: entry) && known.mode == entry.mode
        }
    }

    var files: [File] = []
    var problems: [Problem] = []
    /// Files that were gone when they were to be read.
    var vanished: [RelativePath] = []
    var inline: [InlineContent] = []
    var packs: [PackReference] = []

    mutating func add(_ other: UploadResult) {
        files += other.files
        problems += other.problems
        vanished += other.vanished
        inline += other.inline
        packs += other.packs
    }
}

/// Hands out batches of files, and remembers which contents a worker has already taken.
final class UploadQueue: Sendable {
    private let items: [ContentUploader.Item]
    private let cursor = Mutex(0)
    private let claimed = Mutex(Set<ContentID>())
    private let claimedChunks = Mutex(Set<ContentID>())

    init(_ items: [ContentUploader.Item]) {
        self.items = items
    }

    /// The next files, of about so many bytes in all; nil when there are none left.
    func next(bytes: Int64) -> ArraySlice<ContentUploader.Item>? {
        cursor.withLock { position in
            guard position < items.count else { return nil }
            let start = position
            var sum: Int64 = 0
            repeat {
                sum += items[position].size
                position += 1
            } while position < items.count && sum + items[position].size <= bytes
            return items[start..<position]
        }
    }

    /// Whether the caller is the first of the run to meet this content.
    func claim(_ content: ContentID) -> Bool {
        claimed.withLock { $0.insert(content).inserted }
    }

    /// Whether the caller is the first of the run to meet this chunk. Apart from ``claim(_:)``, for the same
    /// bytes may be a content that travels in a commit.
    func claim(chunk: ContentID) -> Bool {
        claimedChunks.withLock { $0.insert(chunk).inserted }
    }
}
