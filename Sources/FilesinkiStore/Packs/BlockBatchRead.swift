internal import FilesinkiCompression
internal import FilesinkiModel
internal import FilesinkiRemote
internal import Synchronization

/// Blocks of packs that are fetched together, with one request, when the first of them is asked for;
/// the shipment behind it then sets out, too.
///
/// A block is given out once. When all were, the bytes are let go.
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

    /// The most bytes of a shipment, save one that is a single block: 8 MiB. Two are in memory.
    package static let maximumLength: Int64 = 8 << 20

    /// The most parts of objects in one request.
    private static let maximumRanges = 64

    private struct State {
        var task: Task<[Result<ObjectReply, any Error>], any Error>?
        var hasSetOut = false
        var given = 0
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

    /// How many blocks there are.
    package var count: Int { places.count }

    /// Divides blocks into shipments.
    ///
    /// - Parameter blocks: Ordered by pack and number, each once.
    /// - Returns: The shipments in the same order; a block whose pack does not have it is in none.
    /// - Throws: As ``PackReader/index()`` does.
    package static func plan(_ blocks: [Block]) async throws -> [BlockBatchRead] {
        var loads: [Load] = []
        for block in blocks {
            let table = try await block.pack.index().blocks
            guard table.indices.contains(block.number) else { continue }
            if loads.last?.takes(table[block.number]) != true { loads.append(Load()) }
            loads[loads.count - 1].add(table[block.number], of: block.pack)
        }
        var shipments: [BlockBatchRead] = []
        for load in loads.reversed() {
            shipments.append(BlockBatchRead(load, next: shipments.last))
        }
        return shipments.reversed()
    }

    /// The plain bytes of a block.
    ///
    /// - Parameter position: The block's place in the shipment, from 0.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the block is missing or damaged;
    ///   what the remote throws.
    package func read(_ position: Int) async throws -> [UInt8] {
        let place = places[position]
        let pack = ranges[place.range].pack
        let reply = try await replies()[place.range].get()
        defer { giveOut() }
        guard case .bytes(let bytes) = reply, bytes.count == ranges[place.range].stored.count else {
            throw Failure.missingPack(pack.reference.keyText)
        }
        let lower = Int(place.block.stored.lowerBound - ranges[place.range].stored.lowerBound)
        return try pack.decode(place.block, bytes[lower..<(lower + place.block.stored.count)])
    }

    private func giveOut() {
        state.withLock { state in
            state.given += 1
            if state.given >= places.count { state.task = nil }
        }
    }

    private func replies() async throws -> [Result<ObjectReply, any Error>] {
        let task = setOut()
        next?.setOutEarly()
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func setOut() -> Task<[Result<ObjectReply, any Error>], any Error> {
        state.withLock { state in
            if let task = state.task { return task }
            let task = Task { [ranges] in try await Self.fetch(ranges) }
            state.task = task
            state.hasSetOut = true
            return task
        }
    }

    private func setOutEarly() {
        if !state.withLock({ $0.hasSetOut }) { _ = setOut() }
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
            // What one object cannot do is no fault of the others.
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
    /// A part of a pack that is fetched in one piece.
    private struct PackRange {
        let pack: PackReader
        var stored: Range<Int64>
    }

    /// Where a block is among what was fetched.
    private struct Place {
        let range: Int
        let block: PackIndex.Block
    }

    /// A shipment that is being put together.
    private struct Load {
        var places: [Place] = []
        var ranges: [PackRange] = []
        private var length: Int64 = 0

        /// Whether a block still belongs into this shipment.
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
