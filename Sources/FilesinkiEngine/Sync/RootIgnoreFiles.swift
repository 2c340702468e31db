import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiRules

/// The ignore files directly in the root.
struct RootIgnoreFiles {
    /// Their bytes, by their names.
    private(set) var texts: [String: [UInt8]] = [:]
    /// Why no run may go by the rules: something else has the place of an ignore file, so that rules which the user sees, or
    /// other devices have, do not hold; nil if all is well.
    private(set) var misplaced: Failure?

    /// - Throws: Code `limit` if one is too large.
    init(_ root: RootFolder, gitignore: Bool) throws {
        for name in gitignore ? IgnoreFilter.fileNames : [IgnoreFilter.fileName] {
            let path = try RelativePath(name)
            guard let kind = try root.status(path)?.kind else { continue }
            if kind == .file {
                texts[name] = try root.readWhole(path, limit: RuleFiles.limit).bytes
            } else if misplaced == nil {
                misplaced = Self.failure(name, kind)
            }
        }
    }

    private static func failure(_ name: String, _ kind: FileStatus.Kind) -> Failure {
        let what =
            switch kind {
            case .symlink: "a symbolic link, which is not followed: its rules would not hold."
            case .directory: "a folder, so that no rules hold."
            case .file, .special: "no regular file, so that no rules hold."
            }
        var failure = Failure(
            .usage, path: name,
            "The ignore file is \(what) Nothing is synced until it is corrected.",
            remedy: "Put the rules into a file of this name.")
        failure.cause = UnreadableSettings()
        return failure
    }
}
