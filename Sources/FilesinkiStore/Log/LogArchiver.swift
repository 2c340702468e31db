import FilesinkiModel
import FilesinkiRemote

/// Which commits go into an archive.
package struct ArchiveExtent: Hashable, Sendable {
    /// So many of the newest commits keep their slots: devices that sync often read no archives.
    package var keptSlots: UInt64
    /// Nothing is archived while fewer commits could be.
    package var minimum: UInt64
    /// An archive is full at this length before compression, in bytes. A longer commit has one of its
    /// own.
    package var length: Int

    /// - Parameter keptSlots: At least 1: the end of the log is always in a slot.
    package init(keptSlots: UInt64, minimum: UInt64, length: Int) {
        self.keptSlots = max(1, keptSlots)
        self.minimum = max(1, minimum)
        self.length = length
    }

    /// 1,024 commits keep their slots, and 4,096 make an archive of at most 16 MiB.
    package static let standard = ArchiveExtent(keptSlots: 1024, minimum: 4096, length: 16 << 20)
}

/// Moves the old commits of a log from slots into archives.
///
/// An archive is stored first; then the slots of its commits are removed, the oldest first and one at a
/// time, so that readers never take an empty slot for the end of the log. It can be stopped at any time,
/// and several may run at once: see ``LogArchives``.
package struct LogArchiver: Sendable {
    private let log: CommitLog
    private let extent: ArchiveExtent
    private let newID: @Sendable () -> [UInt8]

    /// - Parameter newID: Makes 16 random bytes.
    package init(
        _ log: CommitLog, _ extent: ArchiveExtent = .standard,
        newID: @escaping @Sendable () -> [UInt8]
    ) {
        self.log = log
        self.extent = extent
        self.newID = newID
    }

    /// The number of commits that ``archive()`` would archive, about. Lists the slots.
    ///
    /// - Throws: What the remote throws.
    package func plannedCount() async throws -> Int {
        let archived = try await log.archives.lastArchived()
        return Int(clamping: count(after: archived, try await slots().last ?? 0))
    }

    /// Archives what the extent allows.
    ///
    /// Reads the commits since the newest archive, and lists their slots. Costs a request for each slot
    /// that is removed.
    ///
    /// - Returns: The number of commits.
    /// - Throws: `Failure` with code `corrupt` or `wrong-store` for a damaged log, and what the remote
    ///   throws. What was archived until then stays so.
    package func archive() async throws -> Int {
        let start = try await log.archives.newest()?.end ?? log.genesis
        let slots = try await slots()
        // A run that was stopped has left these, or a device that did not know of the archive.
        for slot in slots where slot <= start.sequence { try await remove(slot) }
        let count = count(after: start.sequence, slots.last ?? 0)
        guard count > 0 else { return 0 }
        var reader = LogReader(log, after: start, upTo: start.sequence + count)
        var archive = LogArchive(after: start)
        var archived = 0
        while let (record, _) = try await reader.nextRecord() {
            // Another device archives the same commits.
            if reader.isInArchive { return archived }
            if !archive.commits.isEmpty, archive.length + record.plain.count > extent.length {
                archived += try await store(archive)
                archive = LogArchive(after: archive.end)
            }
            archive.append(record)
        }
        if archive.commits.count >= extent.minimum { archived += try await store(archive) }
        return archived
    }

    /// The number of commits that can be archived after the last archived one.
    private func count(after archived: UInt64, _ end: UInt64) -> UInt64 {
        guard end > archived, end - archived > extent.keptSlots else { return 0 }
        let count = end - archived - extent.keptSlots
        return count >= extent.minimum ? count : 0
    }

    private func store(_ archive: LogArchive) async throws -> Int {
        try Task.checkCancellation()
        try await log.archives.put(archive, id: newID())
        for sequence in archive.first...archive.last { try await remove(sequence) }
        return archive.commits.count
    }

    /// The numbers of the log's slots, ascending.
    private func slots() async throws -> [UInt64] {
        var found: [UInt64] = []
        try await log.remote.listPages(prefix: log.prefix) { page in
            found += page.compactMap { StoreLayout.sequence(of: $0.key, below: log.prefix) }
        }
        return found
    }

    private func remove(_ sequence: UInt64) async throws {
        try await log.remote.delete(log.slot(sequence))
    }
}
