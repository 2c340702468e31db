import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

extension Conflicts {
    /// The paths of ended conflicts in whose place nobody has written since, as far as this replica knows: an undo opens them
    /// again. Without those that have an open conflict.
    ///
    /// Asks no remote. Costs a pass over the deleted paths.
    ///
    /// - Returns: The paths in order.
    func reopenable() throws -> [RelativePath] {
        let resolves = try manifest.lastResolves()
        let ends = try receivedEnds()
        let known = Set(ends.keys).union(resolves.paths)
        return try known.subtracting(openRows().map(\.path)).filter { path in
            guard let base = try manifest.base(path) else { return false }
            if let resolve = resolves[path],
                resolve.chosen == nil || resolve.chosen == base.entry.identity
            {
                return true
            }
            // A later version is an edit.
            return ends[path].map { base.version <= $0 } ?? false
        }.sorted()
    }

    /// The versions that deleted conflict copies last, by the paths of the conflicts.
    private func receivedEnds() throws -> [RelativePath: UInt64] {
        var ends: [RelativePath: UInt64] = [:]
        let pages = manifest.tombstonePages()
        var page = try pages.next()
        while !page.isEmpty {
            for row in page {
                guard let path = conflictOriginal(of: row.path)?.path else { continue }
                ends[path] = max(row.version, ends[path] ?? 0)
            }
            page = try pages.next()
        }
        return ends
    }
}
