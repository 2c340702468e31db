import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

extension Deletions {
    /// Says that an ignore file which holds for deleted paths may have lost a rule here, which no run has sent.
    ///
    /// Who takes out a rule to delete what it ignored may mean all devices, and those that still have it keep their
    /// file. To send the ignore file with the deletion would not help: a device that receives both in one run withholds
    /// what the rule ignored.
    ///
    /// A file that is removed without this command is no such case: the base has nothing of an ignored path, so the
    /// next run receives it again.
    ///
    /// - Parameter isDryRun: Whether nothing was deleted yet.
    /// - Returns: A notice; nothing where each such file is as it was synced, or has more rules at its end.
    func unsentRules(for paths: [RelativePath], isDryRun: Bool) throws -> [Problem] {
        guard let first = paths.first else { return [] }
        let named = Set(paths)
        let folders = Set(paths.flatMap(\.ancestors)).sorted()
        let files = ([nil] + folders.map(Optional.some)).flatMap(RelativePath.filesOfRules(in:))
            .filter { IgnoreFilter.fileName.utf8.elementsEqual($0.name) && !named.contains($0) }
        guard let file = try files.first(where: mayEndRule) else { return [] }
        let failure = Failure.rulesUnsent(
            file, of: first, isOne: paths.count == 1, isDryRun: isDryRun)
        return [Problem(first, failure)]
    }

    /// Whether a file is not as it was synced, or gone. More rules at its end, without a `!`, end none.
    private func mayEndRule(_ path: RelativePath) throws -> Bool {
        guard let synced = try manifest.base(path)?.entry, synced.kind == .file else {
            return false
        }
        guard let status = try root.statusIfThere(path) else { return true }
        // What cannot be read is reported by the next run.
        guard status.kind == .file,
            let bytes = try? root.readWhole(path, limit: RuleFiles.limit).bytes
        else { return false }
        guard bytes.count >= synced.size else { return true }
        let former = Array(bytes.prefix(Int(synced.size)))
        guard ContentHasher.hash(former) == synced.content else { return true }
        let newline = UInt8(ascii: "\n")
        let added = bytes.dropFirst(former.count)
        let isNewLine = [former.last, added.first].contains(newline)
        let isLonger = !former.isEmpty && !added.isEmpty && !isNewLine
        return isLonger
            || added.split(separator: newline).contains { $0.first == UInt8(ascii: "!") }
    }
}

extension Failure {
    /// - Parameters:
    ///   - path: The first of the deleted paths.
    ///   - isOne: Whether it is the only one.
    ///   - isDryRun: Whether nothing was deleted yet.
    fileprivate static func rulesUnsent(
        _ file: RelativePath, of path: RelativePath, isOne: Bool, isDryRun: Bool
    ) -> Failure {
        let (this, it) = isOne ? ("this path", "it") : ("one of these paths", "that")
        let back = isOne ? " \(ShellWord.path(path.bytes))" : ""
        let steps =
            isDryRun
            ? "sync each device first, this one before the others."
            : "bring \(it) back with filesinki undelete\(back), sync each device, and delete \(it) again."
        return Failure(
            .exists, path: path.bytes,
            "The change of \(file) here is not sent yet: a device on which its former rules ignore \(this) keeps "
                + "what it has.",
            remedy: "To delete \(it) there, too, \(steps)")
    }
}
