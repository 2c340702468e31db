import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

/// Prunes a store whose disk is full: a prune writes before it removes, if only a commit of some hundred bytes.
extension StorePrune {
    /// As ``pruneOnce(_:recompresses:isDryRun:after:_:)``. Where the store has no space left for that, first removes what needs no
    /// commit, and begins anew; where that does not suffice, removes only packs of which nothing is needed.
    func prune(
        _ policy: RetentionPolicy, recompresses: Bool, isDryRun: Bool,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws -> PruneReport {
        var log: LogCheck?
        do {
            return try await pruneOnce(
                policy, recompresses: recompresses, isDryRun: isDryRun, after: &log, progress)
        } catch let failure as Failure where failure.isOfFullStore && !isDryRun {
            let room = try await makeRoom(&log)
            guard room != Room() else {
                return try await removeUnused(policy, room, &log, progress)
            }
            do {
                return room.added(
                    to: try await pruneOnce(
                        policy, recompresses: recompresses, isDryRun: false, after: &log,
                        progress))
            } catch let failure as Failure where failure.isOfFullStore {
                // What the failed attempt has stored is in the way.
                _ = try await makeRoom(&log)
                return try await removeUnused(policy, room, &log, progress)
            }
        }
    }

    /// Prunes without rewriting any pack.
    ///
    /// - Throws: Code `full` also if that frees nothing, and rewriting would.
    private func removeUnused(
        _ policy: RetentionPolicy, _ room: Room, _ log: inout LogCheck?,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws -> PruneReport {
        var part = self
        part.rewrites = false
        do {
            var report = room.added(
                to: try await part.pruneOnce(
                    policy, recompresses: false, isDryRun: false, after: &log, progress))
            guard !report.removesNoPack || report.unfreedBytes == 0 else { throw Failure.noSpace }
            report.lacksSpace = true
            return report
        } catch let failure as Failure where failure.isOfFullStore {
            throw failure.ofPrune
        }
    }

    /// What was removed without a commit.
    private struct Room: Equatable {
        var packs = 0
        var bytes: Int64 = 0
        var checkpoints = 0
        var uploads = 0

        func added(to report: PruneReport) -> PruneReport {
            var report = report
            report.removedUnnamedPacks += packs
            report.freedBytes += bytes
            report.removedCheckpoints += checkpoints
            report.removedUploads += uploads
            return report
        }
    }

    /// Removes what this device has stored for a commit that has not come, which its next run stores again, packs that are
    /// retired, superfluous checkpoints, and what killed writers left unfinished.
    private func makeRoom(_ known: inout LogCheck?) async throws -> Room {
        let connection = try await connected()
        let log = try await soundLog(&known, connection)
        var room = Room()
        (room.packs, room.bytes) = try await UnnamedPacks(replica).makeRoom(log, connection)
        known = log
        for sweep in try await checkpointSweeps(connection) {
            room.checkpoints += try await sweep.sweep()
        }
        // Asks the clock of the store's disk by a new file, for which there may be no space yet.
        room.uploads = (try? await sweep(connection.remote)) ?? 0
        return room
    }
}

extension UnnamedPacks {
    /// Removes the packs that the next commit of this replica would name, and those that are retired.
    ///
    /// - Parameter log: Read to its end.
    /// - Returns: The number of packs, and their bytes.
    fileprivate func makeRoom(
        _ log: LogCheck, _ connection: ZoneConnection
    ) async throws -> (packs: Int, bytes: Int64) {
        let found = try await find(log, connection)
        for key in found.left { try await connection.remote.delete(key) }
        try await discard(found.ownIDs, connection)
        return (found.left.count + found.own.count, found.own.values.reduce(0, +))
    }
}

extension Failure {
    fileprivate static let noSpace = Failure(
        .full, "The store has no space left to rewrite packs.", remedy: "")

    /// Whether the store has no space left. The paths of this machine are absolute.
    fileprivate var isOfFullStore: Bool { code == .full && path.first != UInt8(ascii: "/") }

    /// The failure of a prune that has nothing more to remove before it writes.
    fileprivate var ofPrune: Failure {
        var failure = self
        failure.remedy =
            "A prune needs some space for what it writes before it removes. Free some on the disk that holds "
            + "the store, and run again."
        return failure
    }
}
