import FilesinkiCompression
import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// Collects blocks into packs and stores each pack when it is full.
///
/// The task whose block fills a pack stores that pack, while other tasks go on adding to the next:
/// so there are never more packs in memory than tasks that add, and one.
package actor PackWriter {
    private let remote: any Remote
    private let surroundings: Surroundings
    private let targetSize: Int
    private var current = PackBuilder()
    /// What ``claim(_:)`` has given away.
    private var claimed: Set<ContentID> = []
    /// What was added.
    private var known: Set<ContentID> = []
    private var stored: [PackReference] = []

    /// When a pack is full: 16 MiB as stored.
    package static let targetSize = 16 << 20

    /// The number of members after which a pack is full, however small they are.
    private static let maximumMemberCount = 500_000

    package init(
        remote: any Remote, surroundings: Surroundings, targetSize: Int = PackWriter.targetSize
    ) {
        self.remote = remote
        self.surroundings = surroundings
        self.targetSize = targetSize
    }

    /// Says which of the ids nobody has asked for before, and marks them as taken: each id is to be
    /// encoded by the one caller that is told so.
    package func claim(_ ids: [ContentID]) -> [ContentID] {
        ids.filter { claimed.insert($0).inserted }
    }

    /// Adds a block, and stores the pack that it fills. A block of which everything was added
    /// before is left out.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` of the remote or with code `limit`; the writer is of no
    ///   further use then.
    package func add(_ block: EncodedBlock) async throws {
        let fresh = block.members.filter { known.insert($0.id).inserted }
        guard !fresh.isEmpty else { return }
        current.add(block, members: fresh)
        if current.size >= targetSize || current.memberCount >= Self.maximumMemberCount {
            try await store()
        }
    }

    /// Stores what is left; to be called after every ``add(_:)`` has returned.
    ///
    /// - Returns: All packs that were stored by this writer, for the commit.
    /// - Throws: As ``add(_:)`` does.
    package func finish() async throws -> [PackReference] {
        if current.memberCount > 0 { try await store() }
        return stored
    }

    private func store() async throws {
        // Others may add while this one waits for the remote, so the pack is taken out first.
        var full = PackBuilder()
        swap(&full, &current)
        let id = surroundings.randomBytes(PackReference.idLength)
        let (bytes, reference) = try full.seal(id: id)
        try await remote.put(bytes, to: ObjectKey(reference.keyText))
        stored.append(reference)
    }
}
