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
    /// Files that seem to be meant as ignore files, and are none.
    private(set) var misnamed: [Failure] = []

    /// Names that people write in place of ``FilesinkiRules/IgnoreFilter/fileName``.
    private static let wrongNames = [
        ".filesinkignore", ".filesinki-ignore", ".filesinki_ignore", ".filesinkiignore.txt",
        "filesinkiignore", ".FilesinkiIgnore", ".FileSinkiIgnore", ".filesinkiIgnore",
        ".Filesinkiignore", ".FILESINKIIGNORE", ".filesinkiignores", ".filesinki.ignore",
        "filesinki.ignore", "filesinkiignore.txt",
    ]

    /// - Throws: Code `limit` if one is too large.
    init(_ root: RootFolder, gitignore: Bool) throws {
        for name in gitignore ? IgnoreFilter.fileNames : [IgnoreFilter.fileName] {
            let path = try RelativePath(name)
            guard let kind = try root.status(path)?.kind else { continue }
            if kind == .file {
                let text = try root.readWhole(path, limit: RuleFiles.limit).bytes
                texts[name] = text
                if IgnoreDoubt.isUTF16(text), misplaced == nil {
                    misplaced = Self.failure(
                        name, "in UTF-16, which is not read: its rules would not hold.",
                        "Save it as UTF-8.")
                }
            } else if misplaced == nil {
                misplaced = Self.failure(name, kind)
            }
        }
        let right = try root.status(RelativePath(IgnoreFilter.fileName))?.stamp.inode
        misnamed = try Self.wrongNames.filter { name in
            let found = try root.status(RelativePath(name))
            // Where capitals make no difference, another spelling is the ignore file itself.
            return found?.kind == .file && found?.stamp.inode != right
        }.map(Self.misnamed)
    }

    private static func misnamed(_ name: String) -> Failure {
        .noIgnoreFile(name, "Ignore files have the name \(IgnoreFilter.fileName).")
    }

    private static func failure(_ name: String, _ kind: FileStatus.Kind) -> Failure {
        let what =
            switch kind {
            case .symlink: "a symbolic link, which is not followed: its rules would not hold."
            case .directory: "a folder, so that no rules hold."
            case .file, .special: "no regular file, so that no rules hold."
            }
        return failure(name, what, "Put the rules into a file of this name.")
    }

    private static func failure(_ name: String, _ what: String, _ remedy: String) -> Failure {
        var failure = Failure(
            .usage, path: name,
            "The ignore file is \(what) Nothing is synced until it is corrected.", remedy: remedy)
        failure.cause = UnreadableSettings()
        return failure
    }
}

extension Failure {
    /// A file that seems to be meant as an ignore file.
    static func noIgnoreFile(_ path: String, _ remedy: String) -> Failure {
        Failure(
            .usage, path: path, "This is no ignore file, and ignores nothing.", remedy: remedy)
    }
}
