import FilesinkiCompression
import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// Collects blocks into packs and stores each pack when it is full.
///
/// Full packs are stored beside the work of those who add, who wait only when
/// ``maximumUnderWay`` packs are on their way already: so there is never more in memory than these,
/// the pack that grows and a block of each who adds.
package actor PackWriter {
    private let remote: any Remote
    private let systemContext: SystemContext
    private let cache: (any IndexCache)?
    private let targetSize: Int
    private let onStored: @Sendable (PackReference) -> Void
    private var current = PackBuilder()
    /// What ``claim(_:)`` has given away.
    private var claimed: Set<ContentID> = []
    /// What was added.
    private var known: Set<ContentID> = []
    private var packs: [PackReference] = []
    private var underWay: [(id: [UInt8], task: Task<Void, any Error>)] = []

    /// How many packs are on their way to the remote at once.
    private static let maximumUnderWay = 2

    /// When a pack is full: 16 MiB as stored.
    package static let targetSize = 16 << 20

    /// The number of members after which a pack is full, however small they are.
    private static let maximumMemberCount = 500_000

    /// - Parameters:
    ///   - cache: Keeps the indexes of the packs that are stored.
    ///   - onStored: Called with each pack that the remote has taken, one call at a time.
    package init(
        remote: any Remote, systemContext: SystemContext, targetSize: Int = PackWriter.targetSize,
        cache: (any IndexCache)? = nil,
        onStored: @escaping @Sendable (PackReference) -> Void = { _ in }
    ) {
        self.remote = remote
        self.systemContext = systemContext
        self.targetSize = targetSize
        self.cache = cache
        self.onStored = onStored
    }

    /// Says which of the ids nobody has asked for before, and marks them as taken: each id is to be
    /// encoded by the one caller that is told so.
    package func claim(_ ids: [ContentID]) -> [ContentID] {
        ids.filter { claimed.insert($0).inserted }
    }

    /// Adds a block, and begins to store the pack that it fills. A block of which everything was
    /// added before is left out.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` of the remote, also for an earlier pack, or with code
    ///   `limit`; ``abandon()`` the writer then.
    package func add(_ block: EncodedBlock) async throws {
        let fresh = block.members.filter { known.insert($0.id).inserted }
        guard !fresh.isEmpty else { return }
        current.add(block, members: fresh)
        while isFull, underWay.count >= Self.maximumUnderWay { try await finishOne() }
        // Somebody else may have been woken first.
        if isFull { try store() }
    }

    private var isFull: Bool {
        current.size >= targetSize || current.memberCount >= Self.maximumMemberCount
    }

    /// Stores what is left; to be called after every ``add(_:)`` has returned.
    ///
    /// - Returns: All packs that were stored by this writer, for the commit.
    /// - Throws: As ``add(_:)`` does.
    package func finish() async throws -> [PackReference] {
        if current.memberCount > 0 { try store() }
        while !underWay.isEmpty { try await finishOne() }
        return packs
    }

    /// Gives up: when this returns, the writer asks the remote for nothing any more.
    package func abandon() async {
        for (_, task) in underWay { task.cancel() }
        while let (id, task) = underWay.first {
            _ = await task.result
            underWay.removeAll { $0.id == id }
        }
    }

    private func finishOne() async throws {
        guard let (id, task) = underWay.first else { return }
        try await task.value
        underWay.removeAll { $0.id == id }
    }

    private func store() throws {
        var full = PackBuilder()
        swap(&full, &current)
        let id = systemContext.randomBytes(PackReference.idLength)
        let sealed = try full.seal(id: id)
        let key = try ObjectKey(sealed.reference.keyText)
        packs.append(sealed.reference)
        cache?.store(id, sealed.index)
        let task = Task { [remote, bytes = sealed.bytes] in
            try await remote.put(bytes, to: key)
            self.onStored(sealed.reference)
        }
        underWay.append((id, task))
    }
}
