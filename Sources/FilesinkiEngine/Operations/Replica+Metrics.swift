import FilesinkiManifest
package import FilesinkiModel

/// What a monitor wants to know of a replica beside its status.
package struct ReplicaMetrics: Sendable {
    /// How the last run went that ended.
    package struct Run: Sendable {
        package var ended: Timestamp
        package var exitCode: Int32
        /// Stored bytes that went to the remote.
        package var sentBytes: Int64
        /// Bytes of files that came from there.
        package var receivedBytes: Int64
    }

    /// Nil before the first run.
    package var lastRun: Run?
}

extension ReplicaStatus {
    /// Reads only the manifest, as ``status()`` does.
    func metrics() throws -> ReplicaMetrics {
        let runs = try manifest.runs(limit: 100)
        let last = runs.lazy.compactMap { row -> ReplicaMetrics.Run? in
            guard let ended = row.ended, let code = row.exitCode else { return nil }
            return ReplicaMetrics.Run(
                ended: ended, exitCode: code, sentBytes: row.counts.sent,
                receivedBytes: row.counts.received)
        }.first
        return ReplicaMetrics(lastRun: last)
    }
}
