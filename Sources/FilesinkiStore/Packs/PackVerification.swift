import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// The result of verifying a pack.
package struct PackVerification: Sendable {
    /// The number of verified plain bytes.
    package fileprivate(set) var bytes: Int64 = 0
    /// The recipes in the pack. Their chunks may be in other packs.
    package fileprivate(set) var recipes: [(id: ContentID, recipe: Recipe)] = []
    /// The failures, each with the affected contents.
    package fileprivate(set) var failures: [(failure: Failure, contents: [ContentID])] = []
}

extension PackReader {
    /// The maximum stored length of the blocks in one request: 8 MiB.
    private static let verifiedLength: Int64 = 8 << 20

    /// Reads the whole pack and compares every member with its id. Memory is bounded by the blocks
    /// of one request.
    ///
    /// Use a reader without a cache, so that the index at the remote is verified.
    ///
    /// - Throws: Errors of the remote. Damage of the pack is part of the result.
    package func verify() async throws -> PackVerification {
        var result = PackVerification()
        let index: PackIndex
        do {
            let beginning = try await remote.get(
                ObjectKey(reference.keyText), range: 0..<Int64(PackFormat.magic.count))
            guard beginning == PackFormat.magic else {
                throw Failure.damagedPack(
                    reference.keyText, "The object does not begin like a pack.")
            }
            index = try await self.index()
        } catch let failure as Failure where failure.code != .away {
            result.failures.append((failure, []))
            return result
        }
        let members = index.membersByBlock
        for numbers in Self.groups(of: index.blocks) {
            try await verify(numbers, members, &result)
        }
        return result
    }

    /// Groups neighbouring blocks that are read with one request.
    private static func groups(of blocks: [PackIndex.Block]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var start = 0
        var length: Int64 = 0
        for (number, block) in blocks.enumerated() {
            if number > start, length + Int64(block.stored.count) > verifiedLength {
                groups.append(start..<number)
                start = number
                length = 0
            }
            length += Int64(block.stored.count)
        }
        if start < blocks.count { groups.append(start..<blocks.count) }
        return groups
    }

    private func verify(
        _ numbers: Range<Int>, _ members: [Int: [(id: ContentID, place: PackMember)]],
        _ result: inout PackVerification
    ) async throws {
        var blocks: [[UInt8]] = []
        do {
            blocks = try await readBlocks(numbers)
        } catch let failure as Failure where failure.code != .away {
            // Reads them one by one to find the damaged one.
            guard numbers.count > 1 else {
                let contents = (members[numbers.lowerBound] ?? []).map(\.id)
                return result.failures.append((failure, contents))
            }
            for number in numbers { try await verify(number..<(number + 1), members, &result) }
            return
        }
        for (number, block) in zip(numbers, blocks) {
            for member in members[number] ?? [] { verify(member, in: block, &result) }
        }
    }

    private func verify(
        _ member: (id: ContentID, place: PackMember), in block: [UInt8],
        _ result: inout PackVerification
    ) {
        let bytes = block[member.place.range]
        do throws(Failure) {
            switch member.place.kind {
            case .chunk:
                guard ContentHasher.hash(Array(bytes)) == member.id else {
                    throw Failure.damagedPack(
                        reference.keyText, "The content \(member.id) in the pack is damaged.")
                }
            case .recipe:
                result.recipes.append((member.id, try Recipe(decoding: bytes)))
            }
            result.bytes += Int64(bytes.count)
        } catch {
            result.failures.append((error, [member.id]))
        }
    }
}

extension PackReference {
    /// The reference of a pack that no commit names, from its trailer; nil for an object that is
    /// not a pack.
    ///
    /// - Parameters:
    ///   - zone: The zone whose commits could name it; nil for that of files.
    ///   - size: The object's size in bytes.
    /// - Throws: What the remote throws.
    package static func read(
        _ id: [UInt8], zone: String? = nil, size: Int64, from remote: any Remote
    ) async throws -> PackReference? {
        var reference = PackReference(id: id, size: size, indexHash: .none, zone: zone)
        guard size >= Int64(PackTrailer.length),
            let tail = try await remote.get(
                ObjectKey(reference.keyText), range: (size - Int64(PackTrailer.length))..<size),
            tail.count == PackTrailer.length, let hash = ContentID(tail[16..<48])
        else { return nil }
        reference.indexHash = hash
        return reference
    }
}

extension PackReference {
    /// The number of packs per request.
    private static let maximumBatch = 256

    /// The packs that the remote holds, judged by size and trailer.
    ///
    /// Reads 64 bytes of each, many with one request.
    package static func present(
        _ packs: [PackReference], at remote: any Remote
    ) async throws -> [PackReference] {
        var found: [PackReference] = []
        for start in stride(from: 0, to: packs.count, by: maximumBatch) {
            let part = packs[start..<min(start + maximumBatch, packs.count)]
                .filter { $0.size >= Int64(PackTrailer.length) }
            let requests = try part.map { (pack) throws(Failure) in
                ObjectRequest(
                    try ObjectKey(pack.keyText),
                    range: (pack.size - Int64(PackTrailer.length))..<pack.size)
            }
            for (pack, reply) in zip(part, try await remote.replies(to: requests)) {
                guard case .bytes(let bytes) = reply, bytes.count == PackTrailer.length,
                    (try? bytes.withUnsafeBytes { try PackTrailer(endOf: $0, of: pack) }) != nil
                else { continue }
                found.append(pack)
            }
        }
        return found
    }
}
