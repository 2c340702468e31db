import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What `restore` brought back.
package struct RestoreReport: Sendable {
    package var restored: [RelativePath] = []
    package var sync: SyncReport?
    package var problems: [Problem] = []
}

extension Replica {
    /// Brings a path back to an older version, here and everywhere.
    package func restore(
        _ path: RelativePath, version: UInt64, _ options: SyncOptions
    ) async throws -> RestoreReport {
        guard let entry = try await entry(path, at: version), entry.kind != .tombstone else {
            throw Failure(
                .notFound, path: path.bytes, "There is no version \(version) of it.",
                remedy: "See which there are with filesinki log.")
        }
        // What is there now goes into the history before it is replaced.
        _ = try await runPaths([path], options)
        try await put(entry, at: path)
        let report = try await runPaths([path], options)
        return RestoreReport(restored: [path], sync: report)
    }

    /// Writes the tree as it was at a moment into a folder outside the root.
    ///
    /// - Parameters:
    ///   - moment: Commits made later are left out; their own clocks count.
    ///   - selection: Only these paths and what is below them; empty for all.
    ///   - write: Writes one entry; its content comes piece by piece.
    package func restore(
        at moment: Timestamp, _ selection: [RelativePath],
        write: @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    ) async throws -> RestoreReport {
        let tree = try await tree { $0.time <= moment }
        let contents = try await historyContents()
        let chosen = PathSelection(paths: selection)
        var report = RestoreReport()
        for (path, known) in tree.sorted(by: { $0.key < $1.key }) where chosen.contains(path) {
            do {
                let entry = known.entry
                let bytes =
                    entry.kind == .file
                    ? try await contents.read(entry.content, size: entry.size) : nil
                try write(path, entry, bytes)
                report.restored.append(path)
            } catch let failure as Failure {
                report.problems.append(Problem(path, failure))
            }
        }
        return report
    }
}
