import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import Synchronization

/// Finds out whether the user's rules ignore a path, also for paths that are not in the root.
struct IgnoredPaths {
    let root: RootFolder
    private var folders: FolderFilters<PresentRules>

    init(root: RootFolder, filter: any ScanFilter) {
        self.root = root
        folders = FolderFilters(PresentRules(root: root), filter)
    }

    /// Whether the path, or a folder above it, is ignored. So is what is in a folder that cannot be read.
    mutating func contains(_ path: RelativePath, isDirectory: Bool) -> Bool {
        guard case .kept(let filter) = folders.folder(path.parent) else { return true }
        return filter.ignores(path.name, isDirectory: isDirectory)
    }

    /// Whether a rule says that the path, or a folder above it, is ignored: not that rules above it cannot be read.
    mutating func rulesOut(_ path: RelativePath, isDirectory: Bool) -> Bool {
        switch folders.folder(path.parent) {
        case .kept(let filter): filter.ignores(path.name, isDirectory: isDirectory)
        case .ignored: true
        case .unreadable, .replica: false
        }
    }

    /// Whether the path, or a folder above it, is ignored, of what can be read.
    mutating func hides(_ path: RelativePath, isDirectory: Bool) -> Bool {
        contains(path, isDirectory: isDirectory) && !isUnreadable(path)
    }

    /// Whether a folder above the path cannot be read, so that nothing is known of it.
    mutating func isUnreadable(_ path: RelativePath) -> Bool {
        if case .unreadable = folders.folder(path.parent) { return true }
        return false
    }

    /// Why nothing is written at a path; nil if neither a rule ignores it nor a folder above it cannot be read.
    ///
    /// - Parameter remedy: What to do with a path that a rule ignores in place of the command.
    mutating func refusal(
        of path: RelativePath, isDirectory: Bool, orElse remedy: @autoclosure () -> String? = nil
    ) -> Failure? {
        guard contains(path, isDirectory: isDirectory) else { return nil }
        return isUnreadable(path) ? .unreadableFolder(above: path) : .ignored(path, remedy())
    }

    /// The filter of a folder; nil if it is ignored.
    mutating func filter(in folder: RelativePath?) -> (any ScanFilter)? {
        guard case .kept(let filter) = folders.folder(folder) else { return nil }
        return filter
    }

    /// The bytes of an ignore file in a folder; nil if there is none.
    static func rules(
        _ name: String, in folder: RelativePath, of root: RootFolder
    ) throws -> [UInt8]? {
        guard try root.isFolder(folder) else { return nil }
        let file = folder.appending(name.utf8)
        guard try root.status(file)?.kind == .file else { return nil }
        return try root.readWhole(file, limit: 1 << 24).bytes
    }
}

/// The rules of the root as they are. A folder that is a replica of the same store has none.
private struct PresentRules: FolderRules {
    let root: RootFolder

    func bar(_ folder: RelativePath, in filter: any ScanFilter) -> FilteredFolder? {
        if filter.ignores(folder.name, isDirectory: true) { return .ignored }
        return root.holdsOwnStore(folder) ? .replica : nil
    }

    func bytes(of file: String, in folder: RelativePath) throws -> [UInt8]? {
        try IgnoredPaths.rules(file, in: folder, of: root)
    }
}

extension RootFolder {
    /// Whether the path is a folder, without a symlink above it.
    func isFolder(_ path: RelativePath) throws(Failure) -> Bool {
        try statusIfThere(path)?.kind == .directory
    }
}

extension SyncEngine {
    /// The remote changes that the rules ignore in this replica: nothing is decided about them.
    func ignoredPaths(of view: RemoteView, _ run: SyncRun) -> [RelativePath] {
        var ignored = IgnoredPaths(root: root, filter: run.rules.filter)
        return view.changes.compactMap { path, change in
            guard run.selection.contains(path), !run.wanted.contains(path) else { return nil }
            // The path may be a folder on one side and a file on the other.
            let isDirectory = [change.entry.entry, run.base.row(path)?.entry].contains {
                $0?.kind == .directory
            }
            guard ignored.contains(path, isDirectory: isDirectory) else { return nil }
            // The scan has said that its folder cannot be read.
            let isKnown = path.isAtOrInside(run.local.blocked) && ignored.isUnreadable(path)
            return isKnown ? nil : path
        }
    }

    /// The paths that are ignored after this run, too, of those that it ignores.
    func ignoredForGood(_ paths: [RelativePath], _ run: SyncRun) -> [RelativePath] {
        guard run.rules.hasPatterns, !paths.isEmpty else { return paths }
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        return paths.filter { path in
            run.rules.choice?.holds(path) == false
                || ignored.contains(path, isDirectory: run.isFolder(path))
        }
    }

    /// Removes the deletions of ignored paths at which nothing is here: there is nothing to decide about them.
    ///
    /// - Returns: Their paths.
    func dropDeletions(
        of ignored: some Sequence<RelativePath>, from view: inout RemoteView, _ run: SyncRun
    ) -> Set<RelativePath> {
        var dropped: Set<RelativePath> = []
        for path in ignored
        where view.changes[path]?.entry.entry.kind == .tombstone && run.base.row(path) == nil
            && kind(at: path) == nil
        {
            view.changes[path] = nil
            dropped.insert(path)
        }
        return dropped
    }
}

extension SyncRun {
    /// What a rule ignores now, and the base still has.
    var ignoredInBase: [BaseRow] { base.rows(atAndBelow: local.ignored) }

    /// Notes that a round takes files out of the base that a rule ignores now: no later run finds them there again.
    mutating func noteNewlyIgnored() {
        let isNew = ignoredInBase.contains {
            [.file, .symlink].contains($0.entry.kind) && rules.choice?.holds($0.path) != false
        }
        if isNew { report.ignoresMore = true }
    }

    /// Whether the base or the store has a folder at the path.
    fileprivate func isFolder(_ path: RelativePath) -> Bool {
        [base.row(path)?.entry, remote.changes[path]?.entry.entry].contains {
            $0?.kind == .directory
        }
    }
}

/// Matches paths against the ignore rules as they were when it was made. May be called from any thread.
package final class IgnoreMatcher: Sendable {
    private let paths: Mutex<IgnoredPaths>

    init(root: RootFolder, filter: any ScanFilter) {
        paths = Mutex(IgnoredPaths(root: root, filter: filter))
    }

    package func ignores(_ path: RelativePath, isDirectory: Bool) -> Bool {
        paths.withLock { $0.contains(path, isDirectory: isDirectory) }
    }
}
