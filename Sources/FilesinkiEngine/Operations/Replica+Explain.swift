import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Why a path is as it is: what runs here did to it, and what the log says of it.
package struct Explanation: Sendable {
    package struct RecordedAction: Sendable {
        package var time: Timestamp
        package var action: String
        package var rule: String
        package var device: Device?
        /// The version that both sides had agreed on before; 0 for none.
        package var baseVersion: UInt64
        package var version: UInt64
        package var note: String
    }

    package var path: RelativePath
    /// What this replica did, the newest first.
    package var deeds: [RecordedAction]
    /// What the log tells, the newest first; empty when the remote is away.
    package var versions: [PathVersion]
    package var base: VersionedEntry?
    package var isPending: Bool
    package var away: Failure?
}

extension History {
    func explain(_ path: RelativePath) async throws -> Explanation {
        var explanation = Explanation(
            path: path,
            deeds: try manifest.journal(of: path, limit: 100).map { row in
                Explanation.RecordedAction(
                    time: row.time, action: row.action, rule: row.rule, device: row.device,
                    baseVersion: row.baseVersion, version: row.version, note: row.note)
            },
            versions: [],
            base: try manifest.base(path).map { VersionedEntry($0.entry, version: $0.version) },
            isPending: try manifest.local(path) != nil)
        do {
            explanation.versions = try await versions(of: path).reversed()
        } catch let failure as Failure where [.away, .notFound].contains(failure.code) {
            explanation.away = failure
        }
        return explanation
    }
}
