import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules

/// The rules as they were before folders were renamed. The ignore files in these have moved with them, and are read
/// where they are now. Those that were removed with a folder are as they were.
///
/// The patterns of a run are for the present names. They make nothing private, and may let it send what is.
struct FormerRules {
    private var folders: FolderFilters<FormerFolders>

    /// - Parameters:
    ///   - filter: That of the root, without the patterns.
    ///   - formerNames: Those of renamed folders.
    ///   - removed: The ignore files that were removed with a folder; nil for one that cannot be read.
    init(
        _ root: RootFolder, _ filter: any ScanFilter, _ patterns: RunPatterns,
        _ formerNames: [RelativePath: RelativePath], removed: [RelativePath: [UInt8]?]
    ) {
        folders = FolderFilters(FormerFolders(root, patterns, formerNames, removed), filter)
    }

    /// The name of a path before its folder was renamed; nil for one in no such folder.
    func formerName(of path: RelativePath) -> RelativePath? { folders.rules.formerName(of: path) }

    /// Whether the path, or a folder above it, was ignored. So is what is in a folder that cannot be read.
    ///
    /// - Parameter name: The former name.
    mutating func ignored(_ name: RelativePath, isDirectory: Bool) -> Bool {
        guard case .kept(let filter) = folders.folder(name.parent) else { return true }
        return folders.rules.ignores(name, isDirectory: isDirectory, filter)
    }
}

/// The rules of folders by their former names.
private struct FormerFolders: FolderRules {
    private let root: RootFolder
    private let patterns: RunPatterns
    /// The former names of renamed folders.
    private let formerNames: [RelativePath: RelativePath]
    /// The same the other way round.
    private let presentNames: [RelativePath: RelativePath]
    /// The ignore files that were removed with a folder; nil for one that cannot be read.
    private let removed: [RelativePath: [UInt8]?]

    init(
        _ root: RootFolder, _ patterns: RunPatterns, _ formerNames: [RelativePath: RelativePath],
        _ removed: [RelativePath: [UInt8]?]
    ) {
        self.root = root
        self.patterns = patterns
        self.formerNames = formerNames
        self.removed = removed
        presentNames = Dictionary(formerNames.map { ($0.value, $0.key) }) { first, _ in first }
    }

    func formerName(of path: RelativePath) -> RelativePath? { Self.name(of: path, formerNames) }

    func ignores(_ name: RelativePath, isDirectory: Bool, _ filter: any ScanFilter) -> Bool {
        filter.ignores(name.name, isDirectory: isDirectory)
            && !patterns.includes(presentName(of: name), isDirectory: isDirectory)
    }

    func bar(_ folder: RelativePath, in filter: any ScanFilter) -> FilteredFolder? {
        ignores(folder, isDirectory: true, filter) ? .ignored : nil
    }

    func bytes(of file: String, in folder: RelativePath) throws -> [UInt8]? {
        let former = folder.appending(file.utf8)
        guard let known = removed[former] else {
            return try IgnoredPaths.rules(file, in: presentName(of: folder), of: root)
        }
        guard let bytes = known else { throw Failure.unreadableFolder(above: former) }
        return bytes
    }

    /// Where that is now which had a name.
    private func presentName(of name: RelativePath) -> RelativePath {
        Self.name(of: name, presentNames) ?? name
    }

    private static func name(
        of path: RelativePath, _ names: [RelativePath: RelativePath]
    ) -> RelativePath? {
        for folder in [path] + path.ancestors {
            if let other = names[folder] { return path.moved(from: folder, to: other) }
        }
        return nil
    }
}
