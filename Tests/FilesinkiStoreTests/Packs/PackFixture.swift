import FilesinkiCompression
import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import Synchronization

/// Objects in memory, and a note of every ranged read.
final class ShelfRemote: Remote {
    private let state = Mutex<[ObjectKey: [UInt8]]>([:])
    private let asked = Mutex<[Range<Int64>]>([])

    var address: String { "shelf" }
    var objects: [ObjectKey: [UInt8]] { state.withLock { $0 } }
    var reads: [Range<Int64>] { asked.withLock { $0 } }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        guard let bytes = objects[key] else { return nil }
        guard let range else { return bytes }
        asked.withLock { $0.append(range) }
        let held = range.clamped(to: 0..<Int64(bytes.count))
        return Array(bytes[Int(held.lowerBound)..<Int(held.upperBound)])
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        state.withLock { $0[key] = bytes }
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome { .mine }
    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] { [] }
    func delete(_ key: ObjectKey) async throws { state.withLock { $0[key] = nil } }

    /// Flips a bit of an object.
    func damage(_ key: ObjectKey, at offset: Int) {
        state.withLock { $0[key]?[offset] ^= 1 }
    }
    func wait(prefix: String, timeout: Duration) async throws {}
}

/// SystemContext that count instead of rolling dice.
func countingSystemContext(after start: UInt8 = 0) -> SystemContext {
    let counter = CountingBytes(start)
    return SystemContext(
        now: { Timestamp(nanoseconds: 0) }, randomBytes: { counter.next($0) }, sleep: { _ in })
}

private final class CountingBytes: Sendable {
    private let count: Mutex<UInt8>

    init(_ start: UInt8) { count = Mutex(start) }

    func next(_ length: Int) -> [UInt8] {
        let value = count.withLock { count -> UInt8 in
            count += 1
            return count
        }
        return Array(repeating: value, count: length)
    }
}

/// The chunks that a content is cut into when it arrives in pieces of this size.
func chunks(of bytes: [UInt8], piece: Int = .max) -> [ArraySlice<UInt8>] {
    var chunker = Chunker()
    var result: [ArraySlice<UInt8>] = []
    var start = 0
    var position = 0
    bytes.withUnsafeBytes { all in
        while position < bytes.count {
            let stop = min(bytes.count, piece == .max ? bytes.count : position + piece)
            let part = UnsafeRawBufferPointer(rebasing: all[position..<stop])
            if let end = chunker.end(in: part) {
                position += end
                result.append(bytes[start..<position])
                start = position
            } else {
                position = stop
            }
        }
    }
    if start < bytes.count { result.append(bytes[start...]) }
    return result
}

/// A store of packs for tests.
struct PackFixture {
    let remote = ShelfRemote()
    var references: [PackReference] = []

    /// Stores the contents as the engine would: cut when large, joined to blocks, in packs.
    init(_ contents: [[UInt8]], blockSize: Int = 4 << 20, packSize: Int = 16 << 20) async throws {
        try await store(contents, blockSize, packSize, countingSystemContext())
    }

    /// Stores each list of contents in packs of its own.
    init(separately lists: [[UInt8]]...) async throws {
        let context = countingSystemContext()
        for list in lists { try await store(list, 4 << 20, 16 << 20, context) }
    }

    private mutating func store(
        _ contents: [[UInt8]], _ blockSize: Int, _ packSize: Int, _ context: SystemContext
    ) async throws {
        let writer = PackWriter(remote: remote, systemContext: context, targetSize: packSize)
        var builder = BlockBuilder(compressor: ZstdCompressor(level: 3), targetSize: blockSize)
        for (id, kind, bytes) in try contents.flatMap(Self.members) {
            if !builder.fits(bytes.count), let block = try builder.finish() {
                try await writer.add(block)
            }
            bytes.withUnsafeBytes { builder.add(id, kind: kind, bytes: $0) }
        }
        if let block = try builder.finish() { try await writer.add(block) }
        references += try await writer.finish()
    }

    /// Stores a recipe in a pack of its own, whether or not its chunks are there.
    mutating func store(_ recipe: Recipe, of content: ContentID) async throws {
        let writer = PackWriter(
            remote: remote, systemContext: countingSystemContext(after: 100))
        var builder = BlockBuilder(compressor: ZstdCompressor(level: 3))
        try recipe.encoded().withUnsafeBytes { builder.add(content, kind: .recipe, bytes: $0) }
        if let block = try builder.finish() { try await writer.add(block) }
        references += try await writer.finish()
    }

    private static func members(
        of content: [UInt8]
    ) throws -> [(ContentID, MemberKind, [UInt8])] {
        let id = ContentHasher.hash(content)
        if content.count <= Chunker.maximumSize { return [(id, .chunk, content)] }
        let parts = chunks(of: content).map { (ContentHasher.hash(Array($0)), Array($0)) }
        let recipe = Recipe(parts.map { Recipe.Part(id: $0.0, length: $0.1.count) })
        return try parts.map { ($0.0, .chunk, $0.1) } + [(id, .recipe, recipe.encoded())]
    }

    var readers: [PackReader] {
        references.map { PackReader(remote: remote, reference: $0) }
    }

    var locator: ContentLocator { ContentLocator(packs: readers) }

    func read(_ content: [UInt8]) async throws -> [UInt8] {
        try await locator.read(ContentHasher.hash(content), size: Int64(content.count))
    }
}

/// The code of the failure that `body` ends with; nil when it succeeds.
func packFailure(_ body: () async throws -> Void) async -> Failure.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? Failure)?.code
    }
}
