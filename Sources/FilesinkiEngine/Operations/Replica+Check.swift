import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What `check` found.
package struct CheckReport: Sendable {
    package var commits = 0
    package var packs = 0
    package var contents = 0
    package var bytes: Int64 = 0
    /// What is wrong with the store; each names the object or the path.
    package var failures: [Failure] = []
    /// The last commit, whose hash two users can compare.
    package var tip: ChangeToken?

    package init() {}
}

extension Replica {
    /// Proves the store: every commit against its parent, every pack's index against the commit
    /// that names it, every content of the tree to be there.
    ///
    /// - Parameter readData: Read every content of the tree, too, and compare it with its hash.
    package func check(
        readData: Bool, progress: (@Sendable (Progress) -> Void)?
    ) async throws -> CheckReport {
        let connection = try await connected()
        var report = CheckReport()
        var view = RemoteView(token: connection.log.genesis)
        do {
            while let commit = try await connection.log.next(after: view.token) {
                view.fold(commit)
                report.commits += 1
                report.failures += commit.refused.map(\.failure)
            }
        } catch let failure as Failure where failure.code != .away {
            report.failures.append(failure)
        }
        report.tip = view.token
        report.packs = view.packs.count
        if let token = try manifest.token, token.sequence > view.token.sequence {
            report.failures.append(
                Failure(
                    .wrongStore, path: connection.remote.address,
                    "The log ends at \(view.token.sequence), but \(token.sequence) was seen.",
                    remedy: "The store was rolled back or restored from a backup."))
        }
        try await checkContents(view, readData: readData, &report, progress)
        return report
    }

    private func checkContents(
        _ view: RemoteView, readData: Bool, _ report: inout CheckReport,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws {
        let source = try await contentSource(view)
        var seen: Set<ContentID> = []
        for (path, change) in view.changes.sorted(by: { $0.key < $1.key }) {
            let entry = change.entry.entry
            guard entry.kind == .file, seen.insert(entry.content).inserted else { continue }
            report.contents += 1
            do {
                guard try await source.holds(entry.content) else { throw Self.missing(path) }
                if readData {
                    try await source.stream(entry.content, size: entry.size) { _ in }
                    report.bytes += entry.size
                }
            } catch var failure as Failure where failure.code != .away {
                failure.message = "\(path): \(failure.message)"
                report.failures.append(failure)
            }
            progress?(Progress(.fetching, files: report.contents, bytes: report.bytes))
        }
    }

    private static func missing(_ path: RelativePath) -> Failure {
        Failure(
            .corrupt, path: path.bytes, "No pack and no commit holds its content.",
            remedy: "A device that still has the file publishes it again when it is touched.")
    }
}
