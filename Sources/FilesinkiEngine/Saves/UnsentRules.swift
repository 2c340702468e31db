import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

extension Deletions {
    /// Says that an ignore file which holds for deleted paths has lost something here that no run has sent.
    ///
    /// Who takes out a rule to delete what it ignored may mean all devices, and those that still have the rule keep their
    /// file. To send the ignore file with the deletion would not help: a device that receives both in one run withholds
    /// what the rule ignored.
    ///
    /// - Returns: A notice; nothing where no such file is shorter than it was, or gone.
    func unsentRules(for paths: [RelativePath]) throws -> [Problem] {
        guard let first = paths.first else { return [] }
        let named = Set(paths)
        let folders = Set(paths.flatMap(\.ancestors)).sorted()
        let files = ([nil] + folders.map(Optional.some)).flatMap(RelativePath.filesOfRules(in:))
            .filter { IgnoreFilter.fileName.utf8.elementsEqual($0.name) && !named.contains($0) }
        guard let file = try files.first(where: isShortened) else { return [] }
        return [Problem(first, .rulesUnsent(file, of: first, isOne: paths.count == 1))]
    }

    /// Whether a file is shorter than it was synced, or gone.
    private func isShortened(_ path: RelativePath) throws -> Bool {
        guard let synced = try manifest.base(path), synced.entry.kind == .file else { return false }
        guard let status = try root.statusIfThere(path) else { return true }
        return status.kind == .file && status.stamp.size < synced.entry.size
    }
}

extension Failure {
    /// - Parameters:
    ///   - path: The first of the deleted paths.
    ///   - isOne: Whether it is the only one.
    fileprivate static func rulesUnsent(
        _ file: RelativePath, of path: RelativePath, isOne: Bool
    ) -> Failure {
        let (this, it) = isOne ? ("this path", "it") : ("one of these paths", "that")
        let back = isOne ? " \(ShellWord.path(path.bytes))" : ""
        return Failure(
            .exists, path: path.bytes,
            "What was taken out of \(file) here is not sent yet: a device on which that ignores \(this) keeps "
                + "what it has.",
            remedy:
                "To delete \(it) there, too, bring \(it) back with filesinki undelete\(back), sync each device, "
                + "and delete \(it) again.")
    }
}
