import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

extension SyncEngine {
    /// The paths at which a run has found a content that the last run has found nowhere. A file that was renamed since has its
    /// old name in the store.
    func unsentContents(_ run: SyncRun) throws -> Set<RelativePath> {
        var unsent: [RelativePath: Entry] = [:]
        for (path, change) in run.local.changes {
            guard let entry = change.entry, entry.kind == .file || entry.kind == .symlink,
                run.base.row(path)?.entry.hasSameContent(as: entry) != true
            else { continue }
            unsent[path] = entry
        }
        guard !unsent.isEmpty else { return [] }
        let renamed = Set(
            try manifest.loadLocal().filter { $0.entry == nil }
                .compactMap { try manifest.base($0.path)?.entry.identity })
        return Set(unsent.filter { !renamed.contains($0.value.identity ?? .none) }.keys)
    }
}

extension Deletions {
    /// Refuses to delete what no history could bring back: the remote is away, and does not have it.
    ///
    /// - Parameter before: The run that has looked for what is new here.
    /// - Throws: Code `usage`.
    func requireSent(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions, _ before: SyncReport
    ) throws {
        guard options.refusesUnsent, before.away != nil else { return }
        let named = Set(paths)
        let lost = before.unsent.filter {
            recursive ? $0.isAtOrInside(named) : named.contains($0)
        }
        guard !lost.isEmpty else { return }
        throw Failure.onlyHere(lost.sorted())
    }
}

extension Failure {
    /// So many paths are named at most.
    private static let mostNamed = 3

    fileprivate static func onlyHere(_ paths: [RelativePath]) -> Failure {
        var names = ["This"] + paths.dropFirst().prefix(mostNamed - 1).map { "\($0)" }
        let more = paths.count - names.count
        if more > 0 { names.append("\(CountText.text(more)) more") }
        let last = names.removeLast()
        let all = names.isEmpty ? last : names.joined(separator: ", ") + " and " + last
        let isOne = paths.count == 1
        return Failure(
            .usage, path: paths.first?.bytes ?? [],
            "\(all) \(isOne ? "was" : "were") not synced yet, and the store cannot be reached: "
                + "nothing could bring \(isOne ? "it" : "them") back. Nothing was deleted.",
            remedy: "Run the command again when the store can be reached, or remove "
                + "\(isOne ? "the file" : "these files") with rm.")
    }
}
