import FilesinkiFileSystem
import FilesinkiModel

/// Looks at what is withheld, and at each folder once.
struct WithheldLook {
    private let root: RootFolder
    private var folders: [RelativePath?: FileStamp] = [:]

    init(_ root: RootFolder) { self.root = root }

    /// What is at a path; nil where nothing is, and where something above it is no folder.
    mutating func item(at path: RelativePath) throws(Failure) -> WithheldNote.Item? {
        guard let status = try root.statusIfThere(path), let parent = try folder(of: path) else {
            return nil
        }
        // A clock may have been ahead when they were made.
        let born = [path, path.parent].compactMap(\.self).compactMap(root.birthTime(of:))
        return WithheldNote.Item(
            inode: status.stamp.inode, folder: parent.inode,
            seen: born.reduce(max(status.stamp.changed, parent.changed), max))
    }

    /// The folder that a path is in; nil if that is not there.
    mutating func folder(of path: RelativePath) throws(Failure) -> FileStamp? {
        let parent = path.parent
        if let known = folders[parent] { return known }
        let status: FileStatus?
        if let parent {
            status = try root.statusIfThere(parent)
        } else {
            status = try root.status()
        }
        folders[parent] = status?.stamp
        return status?.stamp
    }
}

/// Finds withheld items under other names.
struct WithheldSearch {
    private let root: RootFolder
    private var look: WithheldLook
    private var inodes: [UInt64: [WithheldNote.Item]] = [:]
    private var names: [[UInt8]: [WithheldNote.Item]] = [:]
    private var folders: [UInt64: [(name: ArraySlice<UInt8>, item: WithheldNote.Item)]] = [:]
    /// Whether ``ignoredPaths(by:)`` could not look into something, so that an item may be there.
    private(set) var hasUnreadable = false

    /// - Parameter items: What is searched, with the former paths.
    init(_ root: RootFolder, for items: [RelativePath: WithheldNote.Item]) {
        self.root = root
        look = WithheldLook(root)
        for (path, item) in items {
            if item.inode != 0 { inodes[item.inode, default: []].append(item) }
            if item.folder != 0 {
                names[Array(path.name), default: []].append(item)
                folders[item.folder, default: []].append((path.name, item))
            }
        }
    }

    /// Whether a path is that of a searched item: by the inode, or by the name and the inode of the folder.
    mutating func finds(_ path: RelativePath, inode: UInt64) -> Bool {
        let same = inodes[inode] ?? []
        if same.contains(where: { root.mayBeMade(path, by: $0.seen) }) { return true }
        // The folder of what lies directly in the root is not renamed.
        guard let named = names[Array(path.name)], let parent = path.parent,
            let folder = try? look.folder(of: path)
        else { return false }
        return named.contains {
            $0.folder == folder.inode && root.mayBeMade(parent, by: $0.seen)
        }
    }

    /// The paths of what is by the name of a searched item in a folder that has the inode of its folder.
    func items(in folder: RelativePath, inode: UInt64) -> [RelativePath] {
        (folders[inode] ?? []).filter { root.mayBeMade(folder, by: $0.item.seen) }
            .map { folder.appending($0.name) }
            .filter { (try? root.statusIfThere($0)) != nil }
    }
}

extension WithheldSearch {
    /// The searched items that have got a name which a filter ignores, or are in an ignored folder now, or in one whose rules
    /// cannot be read: nothing of that is synced.
    ///
    /// Cost: a look at all that is in the root, also in ignored folders. Nothing is read but ignore files.
    ///
    /// - Parameter filter: That of the root.
    mutating func ignoredPaths(by filter: any ScanFilter) -> Set<RelativePath> {
        var found: Set<RelativePath> = []
        // Without a filter all is ignored.
        var folders: [(path: RelativePath?, filter: (any ScanFilter)?)] = [(nil, filter)]
        while let (folder, filter) = folders.popLast() {
            guard let names = try? (folder.map { try root.names(in: $0) } ?? root.names()) else {
                hasUnreadable = true
                continue
            }
            for name in names where folder != nil || !RelativePath.isStateFolder(name) {
                let path = folder?.appending(name) ?? RelativePath(unchecked: name)
                let present: FileStatus?
                do { present = try root.status(path) } catch {
                    hasUnreadable = true
                    continue
                }
                guard let status = present else { continue }
                let isFolder = status.kind == .directory
                let isIgnored = filter?.ignores(path.name, isDirectory: isFolder) ?? true
                if isIgnored, finds(path, inode: status.stamp.inode) { found.insert(path) }
                // An item may be in another one.
                guard isFolder, !root.holdsOwnStore(path) else { continue }
                let above = isIgnored ? nil : filter
                folders.append((path, above.flatMap { entering(path, $0) }))
            }
        }
        return found
    }

    /// The filter inside a folder; nil if its rules cannot be read.
    private func entering(_ folder: RelativePath, _ above: any ScanFilter) -> (any ScanFilter)? {
        try? above.entering(folder.name) { [root] name in
            try IgnoredPaths.rules(name, in: folder, of: root)
        }
    }
}
