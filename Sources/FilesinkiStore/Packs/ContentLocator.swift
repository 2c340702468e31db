import FilesinkiHashing
package import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// Finds and reads contents in a store's packs.
///
/// Nothing that is given out has not been compared with its id.
package final class ContentLocator: Sendable {
    /// Where one id is.
    package struct Place: Sendable {
        package var pack: PackReader
        package var member: PackMember
    }

    /// The largest content that ``read(_:size:)`` puts together in memory: 64 MiB.
    package static let maximumReadSize: Int64 = 64 << 20

    private let packs: [PackReader]
    private let blocks = BlockCache(capacity: 4)
    /// The pack in which the last id was found: what is read next is mostly its neighbour.
    private let lastHit = Mutex(0)
    /// What is wrong with packs whose index could not be read, by their place in ``packs``.
    private let broken = Mutex<[Int: Failure]>([:])

    /// - Parameter packs: In the order of their commits; later packs are looked into first.
    package init(packs: [PackReader]) { self.packs = packs.reversed() }

    /// Fetches the ends of packs, at most ``tailsPerRequest`` with each request.
    private func load(_ numbers: [Int]) async throws {
        for start in stride(from: 0, to: numbers.count, by: Self.tailsPerRequest) {
            let part = numbers[start..<min(start + Self.tailsPerRequest, numbers.count)]
            let wanted = part.map { packs[$0] }.filter { $0.tailRange != nil }
            guard let remote = wanted.first?.remote else { continue }
            let requests = try wanted.map { (pack) throws(Failure) in
                ObjectRequest(try ObjectKey(pack.reference.keyText), range: pack.tailRange)
            }
            for (pack, reply) in zip(wanted, try await remote.replies(to: requests)) {
                guard case .bytes(let tail) = reply else { continue }
                _ = try? pack.keep(tail)
            }
        }
    }

    /// So many ends of packs are asked for at once: 8 MiB.
    private static let tailsPerRequest = 32

    /// Where the bytes or the recipe of a content are; nil when no pack holds them. A damaged pack
    /// is passed by, so that it fails nothing but what it alone holds.
    ///
    /// - Parameter isLocal: Ask nobody: look only into indexes that are at hand.
    /// - Throws: What the remote throws.
    package func find(_ id: ContentID, isLocal: Bool = false) async throws -> Place? {
        let hint = lastHit.withLock { $0 }
        if packs.indices.contains(hint), let place = findKept(id, in: hint) { return place }
        var unknown: [Int] = []
        for number in packs.indices {
            if packs[number].keptIndex == nil {
                unknown.append(number)
            } else if let place = findKept(id, in: number) {
                return place
            }
        }
        return isLocal ? nil : try await find(id, inUnknown: unknown)
    }

    private func findKept(_ id: ContentID, in number: Int) -> Place? {
        guard let member = packs[number].keptIndex?.find(id) else { return nil }
        lastHit.withLock { $0 = number }
        return Place(pack: packs[number], member: member)
    }

    /// Looks into packs whose indexes are not at hand, the latest first.
    private func find(_ id: ContentID, inUnknown packs: [Int]) async throws -> Place? {
        let unknown = packs.filter { number in broken.withLock { $0[number] == nil } }
        for start in stride(from: 0, to: unknown.count, by: Self.tailsPerRequest) {
            let part = unknown[start..<min(start + Self.tailsPerRequest, unknown.count)]
            if part.count > 1 { try await load(Array(part)) }
            for number in part {
                guard let place = try await find(id, in: number) else { continue }
                lastHit.withLock { $0 = number }
                return place
            }
        }
        return nil
    }

    private func find(_ id: ContentID, in number: Int) async throws -> Place? {
        if broken.withLock({ $0[number] != nil }) { return nil }
        do {
            let member = try await packs[number].index().find(id)
            return member.map { Place(pack: packs[number], member: $0) }
        } catch let failure as Failure where Self.isDamage(failure) {
            broken.withLock { $0[number] = failure }
            return nil
        }
    }

    private static func isDamage(_ failure: Failure) -> Bool {
        [.corrupt, .notFound, .newerFormat].contains(failure.code)
    }

    /// A whole content of up to 64 MiB.
    ///
    /// - Parameter size: The content's size in bytes, as its entry says.
    /// - Throws: ``FilesinkiModel/Failure`` with code `limit` for a larger one; otherwise as
    ///   ``stream(_:size:_:)`` does.
    package func read(_ id: ContentID, size: Int64) async throws -> [UInt8] {
        guard size <= Self.maximumReadSize else {
            throw Failure(
                .limit, path: id.description, "The content is too large to be read at once.",
                remedy: "Load it into a file instead.")
        }
        var result: [UInt8] = []
        result.reserveCapacity(max(0, Int(size)))
        try await stream(id, size: size) { result.append(contentsOf: $0) }
        return result
    }

    /// Gives out a content piece by piece, in order.
    ///
    /// - Parameters:
    ///   - size: The content's size in bytes, as its entry says; `Int64.max` where nothing does.
    ///   - body: Receives each piece, up to 8 MiB, after it was compared with its own id. What it
    ///     received is the content only when this method returns: the whole is compared last.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the content is in no pack, is
    ///   damaged or has another size; what `body` and the remote throw.
    package func stream(
        _ id: ContentID, size: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let place = try await existingPlace(of: id)
        switch place.member.kind {
        case .chunk:
            guard size == .max || Int64(place.member.length) == size else {
                throw damage(place, id)
            }
            try await withChunk(id, at: place, body)
        case .recipe:
            try await streamParts(of: id, size: size, recipe: recipe(of: id, at: place), body)
        }
    }

    /// The recipe of a content that has one; nil for a content of one chunk.
    ///
    /// - Throws: As ``stream(_:size:_:)`` does.
    package func recipe(of id: ContentID) async throws -> Recipe? {
        let place = try await existingPlace(of: id)
        return place.member.kind == .recipe ? try await recipe(of: id, at: place) : nil
    }

    private func recipe(of id: ContentID, at place: Place) async throws -> Recipe {
        let block = try await plainBlock(at: place)
        do {
            return try Recipe(decoding: block[place.member.range])
        } catch {
            throw damage(place, id, cause: error)
        }
    }

    private func streamParts(
        of id: ContentID, size: Int64, recipe: Recipe,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        guard size == .max || recipe.size == size else {
            throw damage(try await existingPlace(of: id), id)
        }
        var whole = ContentHasher()
        for part in recipe.parts {
            let place = try await existingPlace(of: part.id)
            guard place.member.kind == .chunk, place.member.length == part.length else {
                throw damage(place, part.id)
            }
            try await withChunk(part.id, at: place) {
                whole.update($0)
                try body($0)
            }
        }
        guard whole.finish() == id else { throw damage(try await existingPlace(of: id), id) }
    }

    private func withChunk(
        _ id: ContentID, at place: Place, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let block = try await plainBlock(at: place)
        try block.withUnsafeBytes { block in
            let bytes = UnsafeRawBufferPointer(rebasing: block[place.member.range])
            guard ContentHasher.hash(bytes) == id else { throw damage(place, id) }
            try body(bytes)
        }
    }

    private func plainBlock(at place: Place) async throws -> [UInt8] {
        let key = BlockCache.Key(pack: place.pack.reference.id, block: place.member.block)
        if let bytes = blocks.find(key) { return bytes }
        let bytes = try await place.pack.readBlock(place.member.block)
        if bytes.count <= PackFormat.maximumBlockLength { blocks.keep(key, bytes) }
        return bytes
    }

    private func existingPlace(of id: ContentID) async throws -> Place {
        if let place = try await find(id) { return place }
        // It may be in a pack that cannot be looked into, which is what a person has to know.
        if let failure = broken.withLock({ $0.values.first }) { throw failure }
        throw Failure(
            .corrupt, path: id.description, "The store does not hold this content any more.",
            remedy: "Run filesinki check; a device that still has the file can store it again.")
    }

    private func damage(_ place: Place, _ id: ContentID, cause: (any Error)? = nil) -> Failure {
        .damagedPack(
            place.pack.reference.keyText, "The content \(id) in the pack is damaged.", cause: cause)
    }
}

/// The few blocks that were decoded last, so that neighbouring files of one block cost one read.
final class BlockCache: Sendable {
    struct Key: Hashable {
        var pack: [UInt8]
        var block: Int
    }

    private struct State {
        /// The block used last stands at the end.
        var blocks: [(key: Key, bytes: [UInt8])] = []
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: How many blocks are kept.
    init(capacity: Int) { self.capacity = capacity }

    func find(_ key: Key) -> [UInt8]? {
        state.withLock { state in
            guard let place = state.blocks.lastIndex(where: { $0.key == key }) else { return nil }
            let block = state.blocks.remove(at: place)
            state.blocks.append(block)
            return block.bytes
        }
    }

    func keep(_ key: Key, _ bytes: [UInt8]) {
        state.withLock { state in
            state.blocks.removeAll { $0.key == key }
            if state.blocks.count >= capacity { state.blocks.removeFirst() }
            state.blocks.append((key, bytes))
        }
    }
}
