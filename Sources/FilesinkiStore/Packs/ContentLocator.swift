import FilesinkiHashing
package import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// Finds and reads contents in the packs of a store.
///
/// Every content is compared with its id before it is returned.
package final class ContentLocator: Sendable {
    /// The pack and position of an id.
    package struct Place: Sendable {
        package var pack: PackReader
        package var member: PackMember
    }

    /// The maximum size of a content for ``read(_:size:)``: 64 MiB.
    package static let maximumReadSize: Int64 = 64 << 20

    /// The packs, those of later commits first.
    private let packs: [PackReader]
    /// The number of each pack, by its id.
    private let numbers: [[UInt8]: Int]
    private let joined: MultiPackIndex?
    private let blocks = BlockCache(capacity: 4)
    private let state = Mutex(State())

    private struct State {
        /// The pack in which the last id was found: the next id is mostly in the same one.
        var lastHit = 0
        /// The packs whose index could not be read, with the reason.
        var broken: [Int: Failure] = [:]
        /// The packs that ``joined`` does not have, in ascending order; nil before the first search.
        var loose: [Int]?
        /// The packs whose copy of an id is damaged.
        var damagedCopies: [ContentID: Set<Int>] = [:]
        /// The blocks that could not be read, with the reason.
        var damagedBlocks: [BlockCache.Key: Failure] = [:]
    }

    /// The number of ends of packs per request: 8 MiB in all.
    private static let tailsPerRequest = 32
    /// The number of packs whose indexes are joined at once.
    private static let joinedAtOnce = 8
    /// The number of members after which a join starts, to bound its memory.
    private static let membersPerJoin = 1_000_000

    /// - Parameters:
    ///   - packs: In the order of their commits; later packs are searched first.
    ///   - joined: Narrows the search down to a few packs. Packs that it does not have are searched one
    ///     by one, and added to it from the eighth on. Requires readers with a cache.
    package init(packs: [PackReader], joined: MultiPackIndex? = nil) {
        self.packs = packs.reversed()
        self.joined = joined
        numbers = Dictionary(zip(self.packs.map(\.reference.id), self.packs.indices)) { first, _ in
            first
        }
    }

    /// Where the bytes or the recipe of a content are; nil when no pack holds them. A damaged pack
    /// is skipped, and so is a copy that was found damaged, so that only the contents without
    /// another copy are affected.
    ///
    /// - Parameter isLocal: Send no request: search only indexes that are in memory or in the cache.
    /// - Throws: Errors of the remote.
    /// - Complexity: O(log n) files for n joined packs, and each pack that is not joined.
    package func find(_ id: ContentID, isLocal: Bool = false) async throws -> Place? {
        let hint = state.withLock { $0.lastHit }
        if packs.indices.contains(hint), let place = findKept(id, in: hint) { return place }
        // In this order, because another search may join packs meanwhile: such a pack is then in both lists.
        let loose = loosePacks()
        let named = joined?.packs(mayHold: id).compactMap { numbers[$0] } ?? []
        if let place = try await search(named, for: id, isLocal: isLocal) { return place }
        return try await search(loose, for: id, isLocal: isLocal)
    }

    /// Searches packs: first those whose index is in memory or cached, then the others.
    private func search(
        _ numbers: [Int], for id: ContentID, isLocal: Bool
    ) async throws -> Place? {
        var unknown: [Int] = []
        for number in numbers {
            if packs[number].keptIndex == nil {
                unknown.append(number)
            } else if let place = findKept(id, in: number) {
                return place
            }
        }
        return isLocal ? nil : try await search(unknown: unknown, for: id)
    }

    private func findKept(_ id: ContentID, in number: Int) -> Place? {
        guard let member = packs[number].keptIndex?.find(id), isSound(id, in: number) else {
            return nil
        }
        return Place(pack: packs[number], member: member)
    }

    /// Whether a pack's copy of an id was not found damaged. Remembers the pack for the next search.
    private func isSound(_ id: ContentID, in number: Int) -> Bool {
        state.withLock { state in
            if state.damagedCopies[id]?.contains(number) == true { return false }
            state.lastHit = number
            return true
        }
    }

    /// Excludes a pack's copy of an id from all searches, because it is damaged.
    package func exclude(_ id: ContentID, in pack: [UInt8]) {
        guard let number = numbers[pack] else { return }
        state.withLock { _ = $0.damagedCopies[id, default: []].insert(number) }
    }

    /// Searches packs whose indexes must be fetched, latest first.
    private func search(unknown numbers: [Int], for id: ContentID) async throws -> Place? {
        let broken = state.withLock { $0.broken }
        let unknown = numbers.filter { broken[$0] == nil }
        for start in stride(from: 0, to: unknown.count, by: Self.tailsPerRequest) {
            let part = Array(unknown[start..<min(start + Self.tailsPerRequest, unknown.count)])
            if part.count > 1 { try await fetchIndexes(of: part) }
            var found: Place?
            for number in part {
                found = try await find(id, in: number)
                if found != nil { break }
            }
            joinIndexes(of: part)
            if let found { return found }
        }
        return nil
    }

    /// Fetches the ends of packs, ``tailsPerRequest`` at most.
    private func fetchIndexes(of numbers: [Int]) async throws {
        let wanted = numbers.map { packs[$0] }.filter { $0.tailRange != nil }
        guard let remote = wanted.first?.remote else { return }
        let requests = try wanted.map { (pack) throws(Failure) in
            ObjectRequest(try ObjectKey(pack.reference.keyText), range: pack.tailRange)
        }
        for (pack, reply) in zip(wanted, try await remote.replies(to: requests)) {
            guard case .bytes(let tail) = reply else { continue }
            _ = try? pack.keep(tail)
        }
    }

    private func find(_ id: ContentID, in number: Int) async throws -> Place? {
        if state.withLock({ $0.broken[number] != nil }) { return nil }
        do {
            guard let member = try await packs[number].index().find(id), isSound(id, in: number)
            else { return nil }
            return Place(pack: packs[number], member: member)
        } catch let failure as Failure where Self.isDamage(failure) {
            state.withLock { $0.broken[number] = failure }
            return nil
        }
    }

    static func isDamage(_ failure: Failure) -> Bool {
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

    /// Reads a content piece by piece, in order.
    ///
    /// - Parameters:
    ///   - size: The content's size in bytes according to its entry; `Int64.max` if unknown.
    ///   - body: Receives each piece, up to 8 MiB, after it was compared with its own id. The
    ///     pieces are the content only once this method returns, because the whole is compared
    ///     last.
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` when the content is in no pack, is
    ///   damaged or has another size; what `body` and the remote throw.
    package func stream(
        _ id: ContentID, size: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        let stored = try await load(id)
        guard size == .max || stored.size == size else {
            throw damage(try await existingPlace(of: id), id)
        }
        switch stored {
        case .chunk(let chunk): try chunk.withBytes(body)
        case .recipe(let recipe): try await streamParts(of: id, recipe: recipe, body)
        }
    }

    /// The recipe of a content that has one; nil for a content of one chunk.
    ///
    /// - Throws: As ``stream(_:size:_:)`` does.
    package func recipe(of id: ContentID) async throws -> Recipe? {
        if case .recipe(let recipe) = try await load(id) { return recipe }
        return nil
    }

    /// What the packs hold for a content.
    private enum Stored {
        case chunk(Chunk)
        case recipe(Recipe)

        var size: Int64 {
            switch self {
            case .chunk(let chunk): Int64(chunk.range.count)
            case .recipe(let recipe): recipe.size
            }
        }
    }

    /// Bytes that were compared with their id.
    private struct Chunk {
        let block: [UInt8]
        let range: Range<Int>

        func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
            try block.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
        }
    }

    /// Reads a content's bytes or recipe, from another copy when one is damaged.
    private func load(_ id: ContentID) async throws -> Stored {
        try await withCopy(of: id) { place in
            switch place.member.kind {
            case .chunk: .chunk(try await chunk(id, at: place))
            case .recipe: .recipe(try await recipe(of: id, at: place))
            }
        }
    }

    /// Calls `body` with each copy of an id, until one can be read.
    ///
    /// - Throws: What `body` throws for the first copy, when all are damaged.
    private func withCopy<Result>(
        of id: ContentID, _ body: (Place) async throws -> Result
    ) async throws -> Result {
        var place = try await existingPlace(of: id)
        var first: Failure?
        while true {
            do {
                return try await body(place)
            } catch let failure as Failure where Self.isDamage(failure) {
                first = first ?? failure
                exclude(id, in: place.pack.reference.id)
                let other = try await search(Array(packs.indices), for: id, isLocal: false)
                guard let other else { throw first ?? failure }
                place = other
            }
        }
    }

    private func recipe(of id: ContentID, at place: Place) async throws -> Recipe {
        let block = try await plainBlock(at: place)
        do {
            return try Recipe(decoding: block[place.member.range])
        } catch {
            throw damage(place, id, cause: error)
        }
    }

    private func chunk(_ id: ContentID, at place: Place) async throws -> Chunk {
        let chunk = Chunk(block: try await plainBlock(at: place), range: place.member.range)
        try chunk.withBytes { bytes in
            guard ContentHasher.hash(bytes) == id else { throw damage(place, id) }
        }
        return chunk
    }

    private func streamParts(
        of id: ContentID, recipe: Recipe, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        var whole = ContentHasher()
        for part in recipe.parts {
            let chunk = try await withCopy(of: part.id) { place in
                guard place.member.kind == .chunk else { throw damage(place, part.id) }
                return try await self.chunk(part.id, at: place)
            }
            guard chunk.range.count == part.length else {
                throw damage(try await existingPlace(of: part.id), part.id)
            }
            try chunk.withBytes {
                whole.update($0)
                try body($0)
            }
        }
        guard whole.finish() == id else { throw damage(try await existingPlace(of: id), id) }
    }

    private func plainBlock(at place: Place) async throws -> [UInt8] {
        let key = BlockCache.Key(pack: place.pack.reference.id, block: place.member.block)
        if let bytes = blocks.find(key) { return bytes }
        if let failure = state.withLock({ $0.damagedBlocks[key] }) { throw failure }
        do {
            let bytes = try await place.pack.readBlock(place.member.block)
            if bytes.count <= PackFormat.maximumBlockLength { blocks.keep(key, bytes) }
            return bytes
        } catch let failure as Failure where Self.isDamage(failure) {
            state.withLock { $0.damagedBlocks[key] = failure }
            throw failure
        }
    }

    func existingPlace(of id: ContentID) async throws -> Place {
        if let place = try await find(id) { return place }
        // A damaged multi-pack index may have hidden it.
        if joined != nil,
            let place = try await search(Array(packs.indices), for: id, isLocal: false)
        {
            return place
        }
        // It may be in a pack whose index cannot be read: the user has to know that.
        if let failure = state.withLock({ $0.broken.values.first }) { throw failure }
        throw Failure(
            .corrupt, path: id.description, "The store no longer holds this content.",
            remedy: "Run filesinki repair on a device that still has the file.",
            cause: AbsentContent()
        ).forOtherDevice
    }

    private func damage(_ place: Place, _ id: ContentID, cause: (any Error)? = nil) -> Failure {
        .damagedPack(
            place.pack.reference.keyText, "The content \(id) in the pack is damaged.", cause: cause)
    }
}

extension ContentLocator {
    /// The packs that ``joined`` does not have. The first call joins those whose indexes are in the cache.
    private func loosePacks() -> [Int] {
        if let loose = state.withLock({ $0.loose }) { return loose }
        updateLoosePacks()
        joinIndexes(of: state.withLock { $0.loose } ?? [])
        return state.withLock { $0.loose } ?? []
    }

    private func updateLoosePacks() {
        let known = joined?.packs ?? []
        let loose = packs.indices.filter { !known.contains(packs[$0].reference.id) }
        state.withLock { $0.loose = loose }
    }

    /// Adds packs with loaded or cached indexes to ``joined`` if there are enough of them.
    private func joinIndexes(of numbers: [Int]) {
        guard let joined, numbers.count >= Self.joinedAtOnce else { return }
        var ready: [Int] = []
        var members = 0
        for (position, number) in numbers.enumerated() {
            if let index = packs[number].keptIndex {
                ready.append(number)
                members += index.memberCount
            }
            let isLast = position == numbers.count - 1
            guard members >= Self.membersPerJoin || isLast && ready.count >= Self.joinedAtOnce
            else { continue }
            joined.join(
                ready.compactMap { number in
                    packs[number].keptIndex.map { (packs[number].reference.id, $0) }
                })
            for number in ready { packs[number].releaseIndex() }
            (ready, members) = ([], 0)
        }
        updateLoosePacks()
    }
}

/// Why a content cannot be read that no pack holds: it was removed by a prune, or lost. Packs and indexes that were
/// looked at are sound.
package struct AbsentContent: Error, CustomStringConvertible {
    package var description: String { "no pack holds the content" }
}
