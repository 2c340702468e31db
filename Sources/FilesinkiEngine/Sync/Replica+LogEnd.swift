import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// The log ends before commits that the store proves to have had. It is thrown where a person may
/// approve of going on.
struct LogEndError: Error {
    let failure: Failure
}

/// The last commits that objects beside the log prove to have been there.
struct LogEndProof: Sendable {
    var checkpoint: UInt64 = 0
    var acknowledged: UInt64 = 0

    var last: UInt64 { max(checkpoint, acknowledged) }

    /// What it means that a log ends at `end`; nil when nothing is missing.
    ///
    /// - Parameter accepted: What is missing up to here a person has approved of.
    func failure(end: UInt64, accepted: UInt64, log: CommitLog) -> Failure? {
        guard last > max(end, accepted) else { return nil }
        let witness =
            checkpoint > max(end, accepted)
            ? "there is a checkpoint of commit \(checkpoint)"
            : "a device has acknowledged commit \(acknowledged)"
        if last == end + 1, checkpoint <= end {
            return Failure(
                .corrupt, path: log.watchedPrefix,
                "Commit \(last) is missing: the log ends at \(end), but \(witness).",
                remedy: "Restore the object from a copy of the store. " + Self.approving)
        }
        return Failure(
            .wrongStore, path: log.watchedPrefix,
            "The log ends at \(end), but \(witness): the store was restored from a backup, or lost "
                + "commits.",
            remedy: "Restore the missing commits from a copy of the store. " + Self.approving)
    }

    /// The failure for a log that has a commit of which a later one is gone.
    static func gap(at sequence: UInt64, log: CommitLog) -> Failure {
        Failure(
            .wrongStore, path: log.watchedPrefix,
            "Commit \(sequence) is gone while earlier ones are there: the store was restored from a "
                + "backup, or lost commits.",
            remedy: "Restore the missing commits from a copy of the store. " + approving)
    }

    private static let approving = "To go on without them, run filesinki sync and do as it says."
}

extension Replica {
    /// A network's remote is asked for the proof of the log's end at most so often.
    private static let secondsPerProof: Int64 = 60 * 60

    /// Makes sure, before something is published behind the end of the log, that this is its end:
    /// neither a checkpoint nor an acknowledgement names a later commit.
    ///
    /// It costs two lists. So it is done once for each process, and where each request is a round
    /// trip, only when it was not done within the last hour: a store that lost its newest commits
    /// has had them for longer than that.
    func proveLogEnd(_ view: inout RemoteView) async throws {
        let connection = try await connected()
        guard !view.isEndProven, !connection.isEndProven, try isProofDue(connection.remote) else {
            return
        }
        let proof = try await logEndProof(connection, end: view.token.sequence)
        if let failure = try failure(proof, end: view.token.sequence, connection) {
            throw LogEndError(failure: failure)
        }
        view.isEndProven = true
        self.connection?.isEndProven = true
    }

    private func isProofDue(_ remote: any Remote) throws -> Bool {
        if remote.unwrapped(as: (any LocalRemote).self) != nil { return true }
        let time = Int64(clamping: try manifest.counter("end-proven"))
        let passed = surroundings.now().seconds.subtractingReportingOverflow(time)
        return passed.overflow || !(0..<Self.secondsPerProof).contains(passed.partialValue)
    }

    func logEndProof(
        _ connection: StoreConnection, end: UInt64
    ) async throws -> LogEndProof {
        LogEndProof(
            checkpoint: try await connection.shelf.newest(after: end),
            acknowledged: try await connection.devices().lastAcknowledged())
    }

    func failure(
        _ proof: LogEndProof, end: UInt64, _ connection: StoreConnection
    ) throws -> Failure? {
        proof.failure(
            end: end, accepted: try manifest.counter("accepted-end"), log: connection.log)
    }

    /// Makes sure that a log whose beginning is told by a checkpoint was pruned, not restored.
    ///
    /// - Parameter sequence: The last commit that the checkpoint contains.
    func proveNoGap(at sequence: UInt64, _ connection: StoreConnection) async throws {
        guard try manifest.counter("accepted-end") < sequence,
            try await connection.log.isMissing(sequence)
        else { return }
        throw LogEndError(failure: LogEndProof.gap(at: sequence, log: connection.log))
    }
}

extension StoreConnection {
    /// What devices say of themselves in the zone of files.
    func devices() throws(Failure) -> DeviceShelf {
        try DeviceShelf(remote: remote, zone: Self.zone, store: format)
    }
}
