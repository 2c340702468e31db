import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// A run for some paths that looks at nothing else: what `save`, `load` and `delete` do.
    ///
    /// Its cost does not grow with the tree. Remote changes of other paths are noted for a later
    /// run.
    func runPaths(_ paths: [RelativePath], _ options: SyncOptions) async throws -> SyncReport {
        var options = options
        options.paths = paths
        var run = SyncRun(
            options: options, selection: PathSelection(paths: paths),
            rules: try runRules(options), base: try partialBase(paths), started: surroundings.now())
        run.isPartial = true
        let view = try await fetchOrQueue(&run)
        let seen = try watched(paths, run, view)
        do {
            run.observation = try await observe(only: seen, run, base: run.base, storing: view)
        } catch let failure as Failure where view != nil && failure.code == .away {
            run.report.away = failure
            run.observation = try await observe(only: seen, run, base: run.base, storing: nil)
            run.report.problems += run.observation.problems
            return try queue(&run)
        }
        run.report.problems += run.observation.problems
        return try await finish(&run, view)
    }

    /// The paths themselves, the folders above them, and everything known below them.
    private func watched(
        _ paths: [RelativePath], _ run: SyncRun, _ view: RemoteView?
    ) throws -> [RelativePath] {
        var all: Set<RelativePath> = Set(run.base.rows.map(\.path))
        for path in paths {
            all.insert(path)
            all.formUnion(path.ancestors)
        }
        for path in view?.changes.keys.filter(run.selection.contains) ?? [] { all.insert(path) }
        return all.sorted()
    }

    /// The rows of the base that a run for some paths needs.
    func partialBase(_ paths: [RelativePath]) throws -> BaseIndex {
        var rows: [RelativePath: BaseRow] = [:]
        for path in paths {
            for known in [path] + path.ancestors {
                if let row = try manifest.base(known) { rows[known] = row }
            }
            for row in try manifest.baseRows(below: path) { rows[row.path] = row }
        }
        return BaseIndex(rows.values.sorted { $0.path < $1.path })
    }
}
