import FilesinkiModel
import FilesinkiStore
import Synchronization

/// Finds contents in the store: in packs by their indexes, or inside the commit that published them.
final class ContentSource: Sendable {
    let packs: PackLocations
    let log: CommitLog
    private let inline: InlineIndex
    /// Where contents lie that are in none of these.
    let old: OldContents
    /// Contents in memory: of commits that were just read, or that this run is to publish.
    private let atHand: [ContentID: [UInt8]]
    /// Contents that a repair has given up. Since then one may have been stored again.
    let lost: Set<ContentID>
    /// The commit read last: contents of one commit are mostly asked for together.
    private let recent = Mutex<Commit?>(nil)
    /// What ``readAhead(_:)`` has read.
    private let ahead = Mutex(CarriedContents())

    init(
        packs: PackLocations, log: CommitLog, inline: InlineIndex, old: OldContents,
        carried: CarriedContents, pending: [InlineContent] = [], lost: Set<ContentID> = []
    ) {
        self.packs = packs
        self.log = log
        self.inline = inline
        self.old = old
        let pending = pending.map { ($0.id, $0.bytes) }
        atHand = carried.contents.merging(pending) { first, _ in first }
        self.lost = lost
    }

    /// Ends a run whose look-ups in the manifest failed: those who read contents take any error for a problem
    /// of one path.
    ///
    /// - Throws: The first failure of a look-up.
    func requireManifest() throws {
        if let failure = packs.manifest.failure { throw failure }
    }

    /// Whether the store holds the content.
    ///
    /// - Parameter isLocal: Send no request: a content in a pack whose index is not cached is not found.
    func holds(_ content: ContentID, isLocal: Bool = false) async throws -> Bool {
        if try isAtHand(content) || commit(of: content) != nil { return true }
        return try await isPacked(content, isLocal: isLocal)
    }

    /// Whether a commit may name the content without storing it. If no file of the tree has it, what lies in a commit
    /// of an earlier run is stored again: a device that begins with a checkpoint does not know its place.
    ///
    /// - Parameters:
    ///   - isInTree: Whether a file of the tree has it.
    ///   - isLocal: As for ``holds(_:isLocal:)``.
    func mayBeNamed(
        _ content: ContentID, isInTree: Bool, isLocal: Bool = false
    ) async throws -> Bool {
        if isInTree { return try await holds(content, isLocal: isLocal) }
        if isAtHand(content) || inline.isFetched(content) { return true }
        return try await isPacked(content, isLocal: isLocal)
    }

    private func isPacked(_ content: ContentID, isLocal: Bool) async throws -> Bool {
        guard let place = try await packs.find(content, isLocal: isLocal) else { return false }
        // Of one that was lost the recipe may have stayed.
        guard place.member.kind == .recipe, lost.contains(content) else { return true }
        return isLocal ? false : try await isWhole(content, size: .max)
    }

    /// Whether all of a content can be read that ``holds(_:isLocal:)`` finds: of a large one all chunks.
    ///
    /// - Parameter size: The size of the content in bytes.
    func isWhole(_ content: ContentID, size: Int64) async throws -> Bool {
        if size <= Int64(Chunker.maximumSize) { return true }
        if try isAtHand(content) || commit(of: content) != nil { return true }
        let locator = try packs.locator()
        guard let recipe = try await locator.recipe(of: content) else { return true }
        return try await locator.holdsChunks(of: recipe)
    }

    /// Whether a pack holds the chunk.
    ///
    /// - Parameter isLocal: As for ``holds(_:isLocal:)``.
    func holdsChunk(_ chunk: ContentID, isLocal: Bool = false) async throws -> Bool {
        try await packs.find(chunk, isLocal: isLocal)?.member.kind == .chunk
    }

    /// Whether the content is in memory.
    func isAtHand(_ content: ContentID) -> Bool { atHand[content] != nil }

    /// The number of the commit that the content travels in; nil for one in packs.
    func commit(of content: ContentID) throws -> UInt64? {
        try inline.commit(of: content) ?? old.commit(of: content)
    }

    /// The bytes of a content that travels inside a commit; nil for one in packs.
    func inlineBytes(_ content: ContentID) async throws -> [UInt8]? {
        if let bytes = atHand[content] ?? ahead.withLock({ $0.contents[content] }) { return bytes }
        if try commit(of: content) == nil { try await locate([content]) }
        guard let sequence = try commit(of: content) else { return nil }
        if let commit = recent.withLock({ $0 }), commit.sequence == sequence {
            return commit.inlineContent(content)
        }
        guard let commit = try await log.read(sequence) else {
            throw Self.missing(content, sequence)
        }
        recent.withLock { $0 = commit }
        return commit.inlineContent(content)
    }

    /// Reads contents that travel inside commits, many with each request, for those who read them one by one then. What
    /// exceeds the limit of ``CarriedContents`` is read when it is wanted.
    ///
    /// - Throws: What the remote throws.
    func readAhead(_ contents: some Sequence<ContentID>) async throws {
        var wanted: [UInt64: Set<ContentID>] = [:]
        for content in contents where !isAtHand(content) {
            guard let sequence = try commit(of: content) else { continue }
            wanted[sequence, default: []].insert(content)
        }
        guard wanted.count > 1 else { return }
        var kept = CarriedContents()
        try await log.read(wanted.keys.sorted()) { sequence, result in
            guard let commit = try? result.get(), let own = wanted[sequence] else { return }
            kept.keep(commit.inline.filter { own.contains($0.id) })
        }
        ahead.withLock { [kept] in $0 = kept }
    }

    static func missing(_ content: ContentID, _ sequence: UInt64) -> Failure {
        Failure(
            .corrupt, path: content.description,
            "The commit \(sequence) that holds this content is gone.",
            remedy: "Run filesinki check.")
    }

    /// A content's bytes, verified.
    ///
    /// - Throws: Code `not-found` when the store does not hold it, `limit` beyond `limit` bytes.
    func read(_ content: ContentID, size: Int64) async throws -> [UInt8] {
        if let bytes = try await inlineBytes(content) {
            try Self.check(bytes.count, content, size)
            return bytes
        }
        return try await explainingLoss(of: content) {
            try await packs.locator().read(content, size: size)
        }
    }

    /// Gives a content's bytes piece by piece, verified.
    func stream(
        _ content: ContentID, size: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        if let bytes = try await inlineBytes(content) {
            try Self.check(bytes.count, content, size)
            try bytes.withUnsafeBytes(body)
        } else {
            try await explainingLoss(of: content) {
                try await packs.locator().stream(content, size: size, body)
            }
        }
    }

    /// Reads a content; that it was lost is said as such, not as damage.
    private func explainingLoss<Result>(
        of content: ContentID, _ read: () async throws -> Result
    ) async throws -> Result {
        do { return try await read() } catch let failure as Failure
            where failure.code == .corrupt && lost.contains(content)
        {
            throw Failure.lost(content.description)
        }
    }

    /// - Parameter size: What the entry says; `Int64.max` where nothing does.
    static func check(_ count: Int, _ content: ContentID, _ size: Int64) throws(Failure) {
        guard size == .max || Int64(count) == size else {
            throw Failure(
                .corrupt, path: content.description,
                "The content has \(count) bytes where its entry says \(size).",
                remedy: "Run filesinki check; the other files are not concerned.")
        }
    }
}
