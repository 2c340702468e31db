import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Paths that a rule ignored until another device deleted the folder that the rule was in.
///
/// What is there was private, and nobody meant to publish it by deleting: runs leave it alone, as if the rule still
/// held, until the user names it to `sync`, ignores it again, or removes it.
struct ExposedFilter: ScanFilter {
    private let paths: Set<RelativePath>
    private let filter: any ScanFilter
    /// The path of this folder with a trailing slash; empty for the root.
    private let folder: [UInt8]

    /// - Parameter filter: The filter of the root.
    init(_ paths: Set<RelativePath>, within filter: any ScanFilter) {
        self.init(paths, filter, folder: [])
    }

    private init(_ paths: Set<RelativePath>, _ filter: any ScanFilter, folder: [UInt8]) {
        self.paths = paths
        self.filter = filter
        self.folder = folder
    }

    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        filter.ignores(name, isDirectory: isDirectory)
            || paths.contains(RelativePath(unchecked: folder + name))
    }

    func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter {
        ExposedFilter(
            paths, try filter.entering(name, read: read),
            folder: folder + name + [UInt8(ascii: "/")])
    }
}

extension RulesReader {
    fileprivate static let exposedKey = "exposed-paths"

    /// The exposed paths that the manifest lists.
    func exposedPaths() throws -> Set<RelativePath> {
        let bytes = try manifest.value(Self.exposedKey) ?? []
        return Set(bytes.split(separator: 0).map { RelativePath(unchecked: Array($0)) })
    }
}

extension SyncEngine {
    private func recordExposed(_ paths: Set<RelativePath>) throws {
        guard try paths != rulesReader.exposedPaths() else { return }
        let bytes = Array(paths.sorted().map(\.bytes).joined(separator: [0]))
        try manifest.write {
            try $0.setValue(RulesReader.exposedKey, paths.isEmpty ? nil : bytes)
        }
    }

    /// Takes from the list what the user has named, what is ignored again, and what is gone; reports the rest.
    func reviewExposed(_ run: inout SyncRun, released: [RelativePath]) throws {
        let listed = try rulesReader.exposedPaths()
        guard !listed.isEmpty else { return }
        let named = Set(released)
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        let left = listed.filter { path in
            !path.isAtOrInside(named) && isExposed(path, &ignored)
        }
        if !run.options.isDryRun { try recordExposed(left) }
        if !run.options.isUnattended { run.report.notices += Self.exposureNotices(of: left) }
    }

    func isExposed(_ path: RelativePath, _ ignored: inout IgnoredPaths) -> Bool {
        do {
            guard let status = try root.status(path) else { return false }
            return !ignored.contains(path, isDirectory: status.kind == .directory)
        } catch {
            // What cannot be looked at is not gone.
            return true
        }
    }

    /// Lists what is ignored in the folders that the steps are about to delete with the rules in them, before they do: a
    /// killed run must not expose it either.
    ///
    /// Cost: these folders are walked. Memory grows with the number of ignored paths in them.
    ///
    /// - Returns: These paths; empty if no rules go with their folder.
    func listExposable(_ steps: [Step], _ run: SyncRun) throws -> Set<RelativePath> {
        let folders = Self.foldersDeletedWithRules(steps)
        guard !folders.isEmpty else { return [] }
        var ignored = IgnoredPaths(root: root, filter: run.rules.ignoring)
        var found: Set<RelativePath> = []
        for folder in folders where !folder.ancestors.contains(where: folders.contains) {
            found.formUnion(try ignoredPaths(in: folder, &ignored) { _ in false })
        }
        try recordExposed(rulesReader.exposedPaths().union(found))
        return found
    }

    private static func foldersDeletedWithRules(_ steps: [Step]) -> Set<RelativePath> {
        let deleted = steps.lazy.filter { $0.action.entry?.kind == .tombstone }.map(\.path)
        let folders = Set(deleted.filter(\.isIgnoreFile).compactMap(\.parent))
        return folders.isEmpty ? [] : Set(deleted.filter(folders.contains))
    }

    /// The topmost ignored paths in a folder that is not ignored itself; nil for the root.
    ///
    /// - Parameter isLeftOut: Whether a path does not count. What is in such a folder does.
    func ignoredPaths(
        in folder: RelativePath?, _ ignored: inout IgnoredPaths,
        except isLeftOut: (RelativePath) throws -> Bool
    ) throws -> Set<RelativePath> {
        guard ignored.filter(in: folder) != nil else { return [] }
        var found: Set<RelativePath> = []
        var folders = [folder]
        while let folder = folders.popLast() {
            // What cannot be listed is not synced either.
            let names = (try? folder.map { try root.names(in: $0) } ?? root.names()) ?? []
            for name in names where folder != nil || !RelativePath.isStateFolder(name) {
                let path = folder?.appending(name) ?? RelativePath(unchecked: name)
                let isDirectory = (try? root.status(path))?.kind == .directory
                if ignored.contains(path, isDirectory: isDirectory), try !isLeftOut(path) {
                    found.insert(path)
                } else if isDirectory {
                    folders.append(path)
                }
            }
        }
        return found
    }

    /// Keeps of the listed paths those that no rule ignores any more, and leaves them alone from here on.
    func holdExposed(_ listed: Set<RelativePath>, _ run: inout SyncRun) throws {
        guard !listed.isEmpty else { return }
        let earlier = try rulesReader.exposedPaths().subtracting(listed)
        let rules = try rulesReader.runRules(run.options)
        var ignored = IgnoredPaths(root: root, filter: rules.ignoring)
        let exposed = listed.filter { isExposed($0, &ignored) }
        try recordExposed(earlier.union(exposed))
        guard !exposed.isEmpty else { return }
        run.rules.filter = ExposedFilter(exposed, within: run.rules.filter)
        run.report.notices += Self.exposureNotices(of: exposed.subtracting(run.rules.exposed))
        run.rules.exposed.formUnion(exposed)
    }

    /// So many paths are named, each in a notice.
    private static let named = 10

    private static func exposureNotices(of paths: Set<RelativePath>) -> [Problem] {
        notices(of: paths, each: { .exposed($0) }, more: { .moreExposed($0) })
    }

    /// - Parameters:
    ///   - each: What is said of one path.
    ///   - more: What is said of so many others.
    static func notices(
        of paths: Set<RelativePath>, each: (RelativePath) -> Failure, more: (String) -> Failure
    ) -> [Problem] {
        let sorted = paths.sorted()
        var notices = sorted.prefix(named).map { Problem($0, each($0), isUrgent: true) }
        if sorted.count > named {
            let count = CountText.text(sorted.count - named)
            notices.append(Problem(RelativePath(unchecked: []), more(count), isUrgent: true))
        }
        return notices
    }
}

extension Failure {
    /// A path that was ignored until another device deleted its folder with the rules in it.
    static func exposed(_ path: RelativePath) -> Failure {
        Failure(
            .usage, path: path.bytes,
            "Not synced: it was ignored until another device deleted the folder with its rules.",
            remedy: "To publish it, run filesinki sync \(ShellWord.path(path.bytes)); "
                + "to keep it private, list it in .filesinki/ignore.")
    }

    fileprivate static func moreExposed(_ count: String) -> Failure {
        Failure(
            .usage, "\(count) more were ignored until then, and are not synced.",
            remedy: "filesinki sync FOLDER publishes all that is in a folder.")
    }
}
