import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

extension SyncEngine {
    /// The paths at which a run has found a content that the last run has found nowhere. A file that was renamed since has its
    /// old name in the store.
    func unsentContents(_ run: SyncRun) throws -> Set<RelativePath> {
        try unsentContents(run.local.changes.mapValues(\.entry)) { run.base.row($0)?.entry }
    }

    /// The same of what runs have recorded as waiting.
    func recordedUnsentContents() throws -> Set<RelativePath> {
        let rows = try manifest.loadLocal()
        return try unsentContents(
            Dictionary(uniqueKeysWithValues: rows.map { ($0.path, $0.entry) })
        ) { try manifest.base($0)?.entry }
    }

    private func unsentContents(
        _ changes: [RelativePath: Entry?], _ base: (RelativePath) throws -> Entry?
    ) throws -> Set<RelativePath> {
        var unsent: [RelativePath: Entry] = [:]
        for (path, change) in changes {
            guard let entry = change, entry.kind == .file || entry.kind == .symlink,
                try base(path)?.hasSameContent(as: entry) != true
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
    /// Publishes what is new at the paths, so that it is in the history, and receives what others have published there.
    ///
    /// Where the store was moved, it waits as while the remote is away; the report says so.
    func publishFirst(
        _ paths: [RelativePath], _ options: SyncOptions, _ rules: RunRules
    ) async throws -> SyncReport {
        do {
            return try await sync.syncPaths(paths, options, rules: rules)
        } catch let failure as Failure where options.refusesUnsent && failure.cause is MovedStore {
            var report = SyncReport()
            report.away = failure
            report.unsent = try sync.recordedUnsentContents()
            return report
        }
    }

    /// Refuses to delete what no history could bring back: the remote is away, or the store was moved, and does not have it.
    ///
    /// - Parameter before: The run that has looked for what is new here.
    /// - Throws: Code `usage`; `wrong-store` where the store was moved.
    func requireSent(
        _ paths: [RelativePath], recursive: Bool, _ options: SyncOptions, _ before: SyncReport
    ) throws {
        guard options.refusesUnsent, let away = before.away ?? before.refusal else { return }
        let named = Set(paths)
        let lost = before.unsent.filter {
            recursive ? $0.isAtOrInside(named) : named.contains($0)
        }
        guard !lost.isEmpty else { return }
        throw Failure.onlyHere(lost.sorted(), away)
    }
}

extension Failure {
    /// So many paths are named at most.
    private static let mostNamed = 3

    fileprivate static func onlyHere(_ paths: [RelativePath], _ away: Failure) -> Failure {
        var names = ["This"] + paths.dropFirst().prefix(mostNamed - 1).map { "\($0)" }
        let more = paths.count - names.count
        if more > 0 { names.append("\(CountText.text(more)) more") }
        let last = names.removeLast()
        let all = names.isEmpty ? last : names.joined(separator: ", ") + " and " + last
        let isOne = paths.count == 1
        let isMoved = away.code == .wrongStore
        let cause =
            isMoved ? "nothing is sent to a store that was moved" : "the store cannot be reached"
        return Failure(
            isMoved ? .wrongStore : .usage, path: paths.first?.bytes ?? [],
            "\(all) \(isOne ? "was" : "were") not synced yet, and \(cause): "
                + "nothing could bring \(isOne ? "it" : "them") back. Nothing was deleted.",
            remedy: isMoved
                ? "\(away.message) \(away.remedy)"
                : "Run the command again when the store can be reached, or remove "
                    + "\(isOne ? "the file" : "these files") with rm.")
    }
}
