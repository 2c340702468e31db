import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRules
import FilesinkiText

/// Finds the chosen paths of a partial replica that cannot be seen, because something else is in place of a folder above them,
/// such as a symlink to another disk.
///
/// It cannot be sent while the store has more in that folder, so the deletion of the chosen paths would go out alone. Neither is
/// sent until the folder is back, or the user deletes the paths by name.
struct CoveredPaths {
    /// What is in place of a folder above a chosen path.
    struct Cover {
        let path: RelativePath
        let kind: FileStatus.Kind
    }

    private let root: RootFolder
    private let choice: PathChoice
    /// What is in place of each folder above the chosen paths; nil for a folder, and for nothing.
    private var covers: [RelativePath: Cover?] = [:]

    init(_ root: RootFolder, _ choice: PathChoice) {
        self.root = root
        self.choice = choice
    }

    /// What is in place of a folder above a chosen path; nil where there is nothing in the way.
    mutating func cover(of path: RelativePath) throws -> Cover? {
        for folder in path.ancestors where choice.isAbove(folder) {
            if let cover = try cover(at: folder) { return cover }
        }
        return nil
    }

    private mutating func cover(at folder: RelativePath) throws -> Cover? {
        if let known = covers[folder] { return known }
        let kind = try root.statusIfThere(folder)?.kind
        let cover = kind.flatMap { $0 == .directory ? nil : Cover(path: folder, kind: $0) }
        covers[folder] = .some(cover)
        return cover
    }

    /// One problem for each chosen path.
    ///
    /// - Parameters:
    ///   - covered: The paths that cannot be seen, each with what is in the way.
    ///   - isFolder: Whether the store has a folder at a path.
    func problems(
        _ covered: [RelativePath: Cover], isFolder: (RelativePath) -> Bool
    ) -> [Problem] {
        var found: [RelativePath: (cover: Cover, files: Int)] = [:]
        for (path, cover) in covered {
            let top = path.ancestors.last(where: choice.contains) ?? path
            found[top, default: (cover, 0)].files += top == path || isFolder(path) ? 0 : 1
        }
        return found.sorted { $0.key < $1.key }.map { top, found in
            Problem(
                top,
                .covered(top, by: found.cover, files: found.files, isFolder: isFolder(top)))
        }
    }
}

extension Failure {
    /// A chosen path cannot be seen.
    ///
    /// - Parameter files: How many files are in it.
    fileprivate static func covered(
        _ path: RelativePath, by cover: CoveredPaths.Cover, files: Int, isFolder: Bool
    ) -> Failure {
        let also = files > 0 ? ", with \(CountText.text(files, "file")) in it" : ""
        let kind = cover.kind == .symlink ? "a symlink" : "no folder"
        return Failure(
            .usage, path: path.bytes,
            "Not sent as deleted\(also): \(cover.path), above the paths that this replica holds, is \(kind) now.",
            remedy:
                "Put the folder back: a symlink is synced as such and never followed. To delete it on all devices, run "
                + "filesinki delete \(isFolder ? "-r " : "")\(ShellWord.path(path.bytes)).",
            cause: HeldDeletionCause.covered)
    }
}
