import FilesinkiFileSystem
import FilesinkiModel

/// Something that the base does not have.
private struct NewPath {
    let path: RelativePath
    let isFolder: Bool
    let stamp: FileStamp
}

/// Something new that a rule ignored before its folder was renamed.
private struct RenamedSecret {
    let new: NewPath
    /// Its former name.
    let name: RelativePath

    var path: RelativePath { new.path }
}

/// A rule may name a place: what it ignored in a folder is withheld when the folder has got a name that it does not match.
///
/// A folder is known again by its inode. What was moved to another folder by itself is not found, and neither is anything
/// after the manifest was lost.
extension SyncEngine {
    /// Withholds what is new in renamed folders if the rules ignore it by its former name, and says so. What was synced by
    /// that name is not private. Who names exactly the new path has decided.
    ///
    /// Cost: a pass over the base if there are new folders; nothing is read but ignore files of renamed folders.
    ///
    /// - Parameters:
    ///   - found: What is new in the root, by a scan of all of it.
    ///   - base: The whole base.
    /// - Returns: Whether something was found, so that the root has to be scanned again.
    func withholdRenamed(
        _ found: ScanResult, _ base: BaseIndex, _ run: inout SyncRun
    ) throws -> Bool {
        let changed = found.changed.map {
            NewPath(path: $0.path, isFolder: $0.entry.kind == .directory, stamp: $0.stamp)
        }
        let renamed = renamedFolders(changed, base)
        guard !renamed.isEmpty else { return false }
        let files = found.candidates.map {
            NewPath(path: $0.path, isFolder: false, stamp: $0.status.stamp)
        }
        let named = run.options.isUnattended ? [] : Set(run.options.paths)
        let secrets = formerlyIgnored(changed + files, in: renamed, base, run.rules)
            .filter { !named.contains($0.path) }
        guard !secrets.isEmpty else { return false }
        let paths = Set(secrets.map(\.path))
        if !run.options.isDryRun {
            let known = try withheldNote()
            var note = known
            for secret in secrets { note.inodes[secret.path] = secret.new.stamp.inode }
            try recordWithheld(note, over: known)
            run.report.withheld.formUnion(paths)
        }
        run.rules.withhold(paths)
        let names = Dictionary(secrets.map { ($0.path, $0.name) }) { first, _ in first }
        run.report.notices += Problem.withheld(paths, isUrgent: true, formerly: names)
        return true
    }

    /// Whether a rule ignored one of some new paths before a folder above it was renamed.
    ///
    /// - Parameter base: That of all paths that have changed, with the folders above them.
    func hasRenamedSecrets(
        _ paths: Set<RelativePath>, _ base: BaseIndex, _ rules: RunRules
    ) -> Bool {
        var new: [NewPath] = []
        for path in paths where base.row(path) == nil {
            guard let status = try? root.status(path) else { continue }
            new.append(
                NewPath(path: path, isFolder: status.kind == .directory, stamp: status.stamp))
        }
        let renamed = renamedFolders(new, base)
        return !renamed.isEmpty && !formerlyIgnored(new, in: renamed, base, rules).isEmpty
    }

    /// The former names of new folders that had another name in the base.
    private func renamedFolders(
        _ new: [NewPath], _ base: BaseIndex
    ) -> [RelativePath: RelativePath] {
        let folders = new.filter { $0.isFolder && base.row($0.path) == nil }
        guard !folders.isEmpty else { return [:] }
        let inodes = Set(folders.map(\.stamp.inode))
        var rows: [UInt64: BaseRow] = [:]
        for row in base.rows where row.entry.kind == .directory {
            guard let stamp = row.stamp, inodes.contains(stamp.inode) else { continue }
            rows[stamp.inode] = row
        }
        guard !rows.isEmpty else { return [:] }
        var renamed: [RelativePath: RelativePath] = [:]
        for folder in folders {
            guard let row = rows[folder.stamp.inode], let stamp = row.stamp,
                let status = try? root.status(folder.path),
                // A name is no sign: a new folder may have that of a deleted one, and its inode.
                root.isSameFile(folder.path, status, as: stamp, named: []),
                (try? root.status(row.path))?.stamp.inode != stamp.inode
            else { continue }
            renamed[folder.path] = row.path
        }
        return renamed
    }

    /// The topmost new paths in renamed folders that rules ignore by their former names, with these.
    private func formerlyIgnored(
        _ new: [NewPath], in renamed: [RelativePath: RelativePath], _ base: BaseIndex,
        _ rules: RunRules
    ) -> [RenamedSecret] {
        // The patterns of a run make nothing private, and may let it send what is.
        var byRules = FormerRules(renamed, IgnoredPaths(root: root, filter: rules.ignoring))
        var byRun = FormerRules(renamed, IgnoredPaths(root: root, filter: rules.filter))
        var found: [RenamedSecret] = []
        var above: Set<RelativePath> = []
        for item in new.sorted(by: { $0.path < $1.path }) where base.row(item.path) == nil {
            guard !item.path.isAtOrInside(above), let name = byRules.formerName(of: item.path),
                base.row(name) == nil, byRules.ignored(item.path, isDirectory: item.isFolder),
                byRun.ignored(item.path, isDirectory: item.isFolder)
            else { continue }
            above.insert(item.path)
            found.append(RenamedSecret(new: item, name: name))
        }
        return found
    }
}

/// The rules as they were for what is in renamed folders. The ignore files in these have moved with them.
private struct FormerRules {
    private enum Folder {
        /// In no renamed folder.
        case elsewhere
        case ignored
        case kept(any ScanFilter)
    }

    /// The former name of each renamed folder.
    private let renamed: [RelativePath: RelativePath]
    private var present: IgnoredPaths
    private var folders: [RelativePath: Folder] = [:]

    init(_ renamed: [RelativePath: RelativePath], _ present: IgnoredPaths) {
        self.renamed = renamed
        self.present = present
    }

    /// The name of a path before its folder was renamed; nil for one in no such folder.
    func formerName(of path: RelativePath) -> RelativePath? {
        for folder in [path] + path.ancestors {
            if let old = renamed[folder] { return path.moved(from: folder, to: old) }
        }
        return nil
    }

    /// Whether the path was ignored in its folder as that was called before.
    mutating func ignored(_ path: RelativePath, isDirectory: Bool) -> Bool {
        switch folder(path.parent) {
        case .elsewhere: false
        case .ignored: true
        case .kept(let filter): filter.ignores(path.name, isDirectory: isDirectory)
        }
    }

    private mutating func folder(_ path: RelativePath?) -> Folder {
        guard let path else { return .elsewhere }
        if let known = folders[path] { return known }
        var result = Folder.ignored
        if let old = renamed[path] {
            if let above = present.filter(in: old.parent) { result = enter(path, old.name, above) }
        } else {
            result = folder(path.parent)
            if case .kept(let above) = result { result = enter(path, path.name, above) }
        }
        folders[path] = result
        return result
    }

    /// - Parameter name: The former name of the folder.
    private func enter(
        _ path: RelativePath, _ name: ArraySlice<UInt8>, _ above: any ScanFilter
    ) -> Folder {
        guard !above.ignores(name, isDirectory: true) else { return .ignored }
        do {
            return .kept(
                try above.entering(name) { [present] file in
                    try IgnoredPaths.rules(file, in: path, of: present.root)
                })
        } catch {
            // The scan says why nothing is sent from there.
            return .ignored
        }
    }
}
