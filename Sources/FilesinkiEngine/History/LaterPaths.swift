import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile

/// What is in folders that hold all that was in them at a point of the history, and came since.
package struct LaterPaths: Sendable {
    /// The folder with the first of them.
    package let folder: RelativePath
    /// In path order: files; folders where no file came.
    package let paths: [RelativePath]
    package let areFolders: Bool

    fileprivate init?(_ found: [RelativePath: Entry], in folders: Set<RelativePath>) {
        let files = found.filter { $0.value.kind != .directory }
        areFolders = files.isEmpty
        paths = (files.isEmpty ? found : files).keys.sorted()
        guard let folder = paths.first?.ancestors.first(where: folders.contains) else { return nil }
        self.folder = folder
    }
}

extension Restores {
    /// Finds what came since into the folders of a restore that has found everything in its place.
    ///
    /// - Parameter planned: The steps of the run before, where that has recorded nothing.
    func noteLater(_ report: inout RestoreReport, planned: [Step] = []) throws {
        guard report.restored.isEmpty, report.problems.isEmpty else { return }
        let unchanged = Set(report.unchanged)
        let tops = unchanged.outermost
        var found: [RelativePath: Entry] = [:]
        for top in tops {
            for row in try manifest.baseRows(below: top) { found[row.path] = row.entry }
            for row in try manifest.localRows(below: top) { found[row.path] = row.entry }
        }
        for step in planned where step.path.ancestors.contains(where: tops.contains) {
            if let entry = step.action.entry { found[step.path] = entry }
        }
        found = found.filter { $0.value.kind != .tombstone && !unchanged.contains($0.key) }
        report.later = LaterPaths(found, in: tops)
    }
}
