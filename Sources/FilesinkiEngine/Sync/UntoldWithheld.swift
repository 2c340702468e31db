import FilesinkiManifest
import FilesinkiModel

/// What is withheld since a run whose command then failed, so that no report has named it: the next run of the tree names it,
/// as the run that begins to withhold something does.
extension SyncEngine {
    private static let untoldKey = "untold-withheld"

    /// What no report has named yet.
    func untoldWithheld() throws -> Set<RelativePath> {
        let words = (try manifest.value(Self.untoldKey) ?? []).split(separator: 0)
        return Set(words.map { RelativePath(unchecked: Array($0)) })
    }

    /// Records that no report has named some paths.
    func keepUntold(_ paths: Set<RelativePath>) throws {
        guard !paths.isEmpty else { return }
        try recordUntold(untoldWithheld().union(paths))
    }

    /// Records that a report has named what it says is withheld. Where the remote was away, the exit code says only that, so
    /// that the next run names it once more.
    func endUntold(by report: SyncReport) throws {
        guard !report.isDryRun, report.away == nil, !report.withheld.isEmpty else { return }
        let untold = try untoldWithheld()
        let left = untold.subtracting(report.withheld)
        if left.count < untold.count { try recordUntold(left) }
    }

    private func recordUntold(_ paths: Set<RelativePath>) throws {
        let bytes = Array(paths.sorted().map(\.bytes).joined(separator: [0]))
        try manifest.write { try $0.setValue(Self.untoldKey, paths.isEmpty ? nil : bytes) }
    }
}
