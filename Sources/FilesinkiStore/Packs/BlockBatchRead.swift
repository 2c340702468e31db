internal import FilesinkiCompression
internal import FilesinkiModel
internal import FilesinkiRemote
internal import Synchronization

/// Blocks of packs that are fetched with one request when the first of them is read. The request
/// for the next batch then starts as well.
///
/// Each block is read once. After the last one the bytes are released.
package final class BlockBatchRead: Sendable {
    /// One block of a pack, by its number.
    package struct Block: Sendable {
        package var pack: PackReader
        package var number: Int

        package init(pack: PackReader, number: Int) {
            self.pack = pack
            self.number = number
        }
    }

    /// The maximum length of a batch of several blocks: 8 MiB. Two batches are in memory.
    package static let maximumLength: Int64 = 8 << 20

    /// The maximum number of ranges in one request.
    private static let maximumRanges = 64

    private struct State {
        var task: Task<[Result<ObjectReply, any Error>], any Error>?
        var hasStarted = false
        var readCount = 0
    }

    private let places: [Place]
    private let ranges: [PackRange]
    private let next: BlockBatchRead?
    private let state = Mutex(State())

    private init(_ load: Load, next: BlockBatchRead?) {
        places = load.places
        ranges = load.ranges
        self.next = next
    }

    /// The number of blocks.
    package var count: Int { places.count }

    /// Divides blocks into batches.
    ///
    /// - Parameter blocks: The blocks, sorted by pack and number, without duplicates.
    /// - Returns: The batches in the same order. Blocks that their pack does not have are left
    ///   out.
    /// - Throws: As ``PackReader/index()`` does.
    package static func plan(_ blocks: [Block]) async throws -> [BlockBatchRead] {
        var loads: [Load] = []
        for block in blocks {
            let table = try await block.pack.index().blocks
            guard table.indices.contains(block.number) else { continue }
            if loads.last?.takes(table[block.number]) != true { loads.append(Load()) }
            loads[loads.count - 1].add(table[block.number], of: block.pack)
        }
        var batches: [BlockBatchRead] = []
        for load in loads.reversed() {
            batches.append(BlockBatchRead(load, next: batches.last))
        }
        return batches.reversed()
    }

    /// The plain bytes of a block.
    ///
    /// - Parameter position: The position of the block in the batch, from 0.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the block is missing or damaged;
    ///   what the remote throws.
    package func read(_ position: Int) async throws -> [UInt8] {
        let place = places[position]
        let pack = ranges[place.range].pack
        let reply = try await replies()[place.range].get()
        defer { countRead() }
        guard case .bytes(let bytes) = reply, bytes.count == ranges[place.range].stored.count else {
            throw Failure.missingPack(pack.reference.keyText)
        }
        let lower = Int(place.block.stored.lowerBound - ranges[place.range].stored.lowerBound)
        return try pack.decode(place.block, bytes[lower..<(lower + place.block.stored.count)])
    }

    private func countRead() {
        state.withLock { state in
            state.readCount += 1
            if state.readCount >= places.count { state.task = nil }
        }
    }

    private func replies() async throws -> [Result<ObjectReply, any Error>] {
        let task = start()
        next?.startEarly()
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func start() -> Task<[Result<ObjectReply, any Error>], any Error> {
        state.withLock { state in
            if let task = state.task { return task }
            let task = Task { [ranges] in try await Self.fetch(ranges) }
            state.task = task
            state.hasStarted = true
            return task
        }
    }

    private func startEarly() {
        if !state.withLock({ $0.hasStarted }) { _ = start() }
    }

    private static func fetch(
        _ ranges: [PackRange]
    ) async throws -> [Result<ObjectReply, any Error>] {
        guard let remote = ranges.first?.pack.remote else { return [] }
        let requests = try ranges.map { (range) throws(Failure) in
            ObjectRequest(try ObjectKey(range.pack.reference.keyText), range: range.stored)
        }
        do {
            return try await remote.replies(to: requests).map { .success($0) }
        } catch let failure as Failure where failure.code == .io && requests.count > 1 {
            // One request failed for all objects: reads them one by one to find the cause.
            var results: [Result<ObjectReply, any Error>] = []
            for request in requests {
                do {
                    let bytes = try await remote.get(request.key, range: request.range)
                    results.append(.success(bytes.map(ObjectReply.bytes) ?? .absent))
                } catch {
                    results.append(.failure(error))
                }
            }
            return results
        }
    }
}

extension BlockBatchRead {
    /// A range of a pack that is fetched in one piece.
    private struct PackRange {
        let pack: PackReader
        var stored: Range<Int64>
    }

    /// The position of a block in the fetched ranges.
    private struct Place {
        let range: Int
        let block: PackIndex.Block
    }

    /// A batch that is being assembled.
    private struct Load {
        var places: [Place] = []
        var ranges: [PackRange] = []
        private var length: Int64 = 0

        /// Whether the batch has room for a block.
        func takes(_ block: PackIndex.Block) -> Bool {
            length + Int64(block.stored.count) <= maximumLength && ranges.count < maximumRanges
        }

        mutating func add(_ block: PackIndex.Block, of pack: PackReader) {
            length += Int64(block.stored.count)
            if let last = ranges.last, last.pack === pack,
                last.stored.upperBound == block.stored.lowerBound
            {
                ranges[ranges.count - 1].stored = last.stored.lowerBound..<block.stored.upperBound
            } else {
                ranges.append(PackRange(pack: pack, stored: block.stored))
            }
            places.append(Place(range: ranges.count - 1, block: block))
        }
    }
}
