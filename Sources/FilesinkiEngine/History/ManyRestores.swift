import FilesinkiFileSystem
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Brings many paths of the history back with one run before and one behind, which makes one commit: what `restore` and
/// `undelete` of several paths share.
///
/// What cannot be restored is a problem of its path, and the others are restored.
struct ManyRestores: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// An entry to write, with the version that a path of the command had.
    struct Wanted {
        let path: RelativePath
        let entry: Entry
        let version: UInt64
        /// A commit that has it with what was in it; nil if that of the version does, or that is not known.
        var commit: UInt64?
    }

    /// Restores paths, each as it was at a point of the history; a folder with everything that was in it. A path that is named
    /// comes back as it is named, also where a folder above it is named, too.
    ///
    /// Memory grows with the number of paths, and of what was in the folders; contents are written one by one.
    ///
    /// - Throws: What concerns all paths, such as code `away`.
    func restore(
        _ points: [PathAtPoint], _ options: SyncOptions
    ) async throws -> RestoreReport {
        try await sync.reporting { try await writeBack(points, options) }
    }

    private func writeBack(
        _ points: [PathAtPoint], _ options: SyncOptions
    ) async throws -> RestoreReport {
        var report = RestoreReport()
        var synced = try rulesReader.syncedPaths(options)
        let points = try await report.keep(points, path: \.path) { try require($0, &synced) }
        guard !points.isEmpty else { return report }
        try sync.noteEmptiedRoot()
        // What is here now is published first, as the edit that it is.
        let paths = points.map(\.path)
        let before = try await sync.syncPaths(paths, options, rules: synced.rules)
        var options = options
        options.operation = Change.restored
        let replaced = try ReplacedVersions(before, manifest)
        let allowed = try await keepSynced(points, path: \.path, after: before, options, &report)
        let reader = try await reader(of: allowed, after: before)
        let wanted = try Self.wanted(allowed)
        options.basesOfCopies = try await basesOfCopies(in: wanted)
        try await write(wanted, in: reader, options, &report)
        try await publish(allowed.map(\.path), Change.restored, options, after: before, &report)
        await Restores(replica).noteReplaced(replaced, &report)
        try Restores(replica).noteLater(&report)
        return report
    }

    /// Reads the history, with what the trees of the points have met in it.
    ///
    /// - Parameter before: The run that has just ended; nil for none.
    func reader(
        of points: [PathAtPoint], after before: SyncReport?
    ) async throws -> HistoryReader {
        var reader = try await history.historyReader(after: before)
        var known: Set<UInt64> = []
        // What one tree has met is what another of the same commit has.
        for point in points where known.insert(point.tree.sequence).inserted {
            reader = reader.knowing(point.tree.met)
        }
        return reader
    }

    /// What of the items no rule ignores that the run before has received, nor that run withholds; each other one is a problem of
    /// its path.
    func keepSynced<Item>(
        _ items: [Item], path: (Item) -> RelativePath, after before: SyncReport,
        _ options: SyncOptions, _ report: inout RestoreReport
    ) async throws -> [Item] {
        guard before.hasReceivedRules || !before.withheldHere.isEmpty else { return items }
        var synced = try rulesReader.syncedPaths(options)
        return try await report.keep(items, path: path) {
            try before.requireNotWithheld(path($0))
            try synced.require(path($0), orElse: remedyOfIgnored)
        }
    }

    func require(_ point: PathAtPoint, _ synced: inout SyncedPaths) throws {
        let (path, tree) = (point.path, point.tree)
        let found = try tree.entry(path)
        try requireHeld(path, at: tree.sequence)
        try synced.require(path) { remedyOfIgnored($0, found.entry, at: tree.sequence) }
        let places = Restores(replica)
        try places.requireFolders(above: path, commit: tree.sequence)
        try places.requirePlace(for: found.entry, at: path, version: tree.sequence)
    }

    /// The entries of the paths and of what was in them, parents first.
    static func wanted(_ points: [PathAtPoint]) throws -> [Wanted] {
        var found: [RelativePath: Wanted] = [:]
        for point in points {
            found[point.path] = Wanted(
                path: point.path, entry: try point.tree.entry(point.path).entry,
                version: point.tree.sequence)
        }
        // The upper folder, as the first, decides what is in it.
        for point in points.sorted(by: { $0.path < $1.path })
        where found[point.path]?.entry.kind == .directory {
            for (name, entry) in point.tree.inside(point.path) where found[name] == nil {
                found[name] = Wanted(path: name, entry: entry, version: point.tree.sequence)
            }
        }
        return found.values.sorted { $0.path < $1.path }
    }

    /// See ``Conflicts/versions(ofBasesOfRestored:)``.
    func basesOfCopies(in wanted: [Wanted]) async throws -> [UInt64] {
        try await conflicts.versions(ofBasesOfRestored: wanted.map { ($0.path, $0.entry) })
    }

    /// Writes entries into the root, one by one.
    func write(
        _ wanted: [Wanted], in reader: HistoryReader, _ options: SyncOptions,
        _ report: inout RestoreReport
    ) async throws {
        let contents = try await history.historyContents(reader)
        try await contents.prepare(wanted.map(\.entry))
        let places = Restores(replica)
        var ignored = IgnoredPaths(root: root, filter: try rulesReader.runRules(options).filter)
        for item in wanted {
            do {
                try await places.writeBack(
                    item, in: reader, from: contents, leaving: &ignored, &report)
            } catch let failure as Failure where failure.code != .interrupted {
                report.problems.append(Problem(item.path, failure))
            }
        }
    }

    /// Publishes what was written in one run, records it in the journal, and looks where the paths of the command are now.
    ///
    /// - Parameter before: The run before.
    func publish(
        _ paths: [RelativePath], _ command: String, _ options: SyncOptions,
        after before: SyncReport, _ report: inout RestoreReport
    ) async throws {
        report.sync = before
        if let first = report.restored.first {
            let tops = report.restoredTops
            report.sync = try await sync.afterChange(report.doneHere, at: first) {
                try await sync.syncPaths(tops, options, after: before)
            }
            report.sync?.addWithheld(of: before)
            for (version, files) in report.versions.sorted(by: { $0.key < $1.key }) {
                try journal.record(.init(command: command, version: version), files)
            }
        }
        let inPlace = Set(report.restored + report.unchanged)
        for path in paths where inPlace.contains(path) {
            let now = try status.baseState(of: path)
            report.states[path] = now.entry.map { VersionedEntry($0, version: now.version) }
        }
    }
}

/// A path as it was at a point of the history.
package struct PathAtPoint: Sendable {
    package let path: RelativePath
    package let tree: TreeAtPoint

    package init(_ path: RelativePath, in tree: TreeAtPoint) {
        self.path = path
        self.tree = tree
    }
}
