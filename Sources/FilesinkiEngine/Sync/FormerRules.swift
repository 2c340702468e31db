import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules

/// The rules as they were before folders were renamed. The ignore files in these have moved with them, and are read
/// where they are now. Those that were removed with a folder are as they were.
///
/// The patterns of a run are for the present names. They make nothing private, and may let it send what is.
struct FormerRules {
    private enum Folder {
        case ignored
        case kept(any ScanFilter)
    }

    private let root: RootFolder
    private let filter: any ScanFilter
    private let patterns: RunPatterns
    /// The former names of renamed folders.
    private let formerNames: [RelativePath: RelativePath]
    /// The same the other way round.
    private let presentNames: [RelativePath: RelativePath]
    /// The ignore files that were removed with a folder; nil for one that cannot be read.
    private let removed: [RelativePath: [UInt8]?]
    /// By former names.
    private var folders: [RelativePath: Folder] = [:]

    /// - Parameters:
    ///   - filter: That of the root, without the patterns.
    ///   - formerNames: Those of renamed folders.
    ///   - removed: The ignore files that were removed with a folder; nil for one that cannot be read.
    init(
        _ root: RootFolder, _ filter: any ScanFilter, _ patterns: RunPatterns,
        _ formerNames: [RelativePath: RelativePath], removed: [RelativePath: [UInt8]?]
    ) {
        self.root = root
        self.filter = filter
        self.patterns = patterns
        self.formerNames = formerNames
        self.removed = removed
        presentNames = Dictionary(formerNames.map { ($0.value, $0.key) }) { first, _ in first }
    }

    /// The name of a path before its folder was renamed; nil for one in no such folder.
    func formerName(of path: RelativePath) -> RelativePath? {
        Self.name(of: path, formerNames)
    }

    /// Whether the path, or a folder above it, was ignored.
    ///
    /// - Parameter name: The former name.
    mutating func ignored(_ name: RelativePath, isDirectory: Bool) -> Bool {
        guard case .kept(let filter) = folder(name.parent) else { return true }
        return ignores(name, isDirectory: isDirectory, filter)
    }

    private func ignores(
        _ name: RelativePath, isDirectory: Bool, _ filter: any ScanFilter
    ) -> Bool {
        filter.ignores(name.name, isDirectory: isDirectory)
            && !patterns.includes(presentName(of: name), isDirectory: isDirectory)
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

    /// - Parameter name: The former name; nil for the root.
    private mutating func folder(_ name: RelativePath?) -> Folder {
        guard let name else { return .kept(filter) }
        if let known = folders[name] { return known }
        var result = folder(name.parent)
        if case .kept(let above) = result { result = enter(name, above) }
        folders[name] = result
        return result
    }

    private func enter(_ name: RelativePath, _ above: any ScanFilter) -> Folder {
        guard !ignores(name, isDirectory: true, above) else { return .ignored }
        let present = presentName(of: name)
        do {
            return .kept(
                try above.entering(name.name) { [root, removed] file in
                    let former = name.appending(file.utf8)
                    guard let known = removed[former] else {
                        return try IgnoredPaths.rules(file, in: present, of: root)
                    }
                    guard let bytes = known else { throw Failure.unreadableFolder(above: former) }
                    return bytes
                })
        } catch {
            // The scan says why nothing is sent from there.
            return .ignored
        }
    }
}
