import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// A device that is behind shows the versions of a conflict as it last received them. What another one has written in their
/// places since is not replaced before it was shown here.
extension Conflicts {
    /// The options of a run that ends before it changes anything if another device has edited what a resolve is about.
    ///
    /// - Parameters:
    ///   - rows: The conflicts that it ends. Of a copy that is gone see ``requireOpen(_:_:)``; without a copy, the store's version
    ///     is not in place here, and is not compared.
    ///   - chosen: The content that the path is to get; nil if it is not known. Who has written that has chosen the same.
    func refusingUnseen(
        of rows: [ConflictRow], choosing chosen: ContentID?, _ options: SyncOptions
    ) throws -> SyncOptions {
        let copies = rows.compactMap(\.copyPath)
        guard let path = rows.last?.path, copies.count == rows.count else { return options }
        let shown = try ([path] + copies).compactMap { try manifest.base($0) }
        let device = config.device
        let waiting = try waitingNames(of: [path] + copies)
        var options = options
        options.checkFetched = { view in
            if let change = view.changes[path], change.entry.entry.kind == .tombstone,
                let name = view.name(ofRenamed: path, waiting)
            {
                let isWhole = copies.contains {
                    guard let copy = view.name(ofRenamed: $0, waiting) else { return false }
                    return conflictOriginal(of: copy)?.path == name
                }
                throw Failure.renamedElsewhere(path, name, change, withCopy: isWhole)
            }
            let isResolved = copies.contains { view.changes[$0]?.entry.entry.kind == .tombstone }
            if isResolved { return }
            for row in shown {
                guard let change = view.changes[row.path],
                    change.isUnseen(beside: row.entry, by: device),
                    row.path != path || chosen == nil || change.entry.entry.identity != chosen
                else { continue }
                throw Failure.editedElsewhere(row.path, change)
            }
        }
        return options
    }

    /// The new names of paths in the remote changes that wait: a run for some paths reads only those of the paths.
    private func waitingNames(
        of paths: [RelativePath]
    ) throws -> [RelativePath: RelativePath] {
        let gone = try paths.filter { try manifest.remote($0)?.entry.entry.kind == .tombstone }
        guard !gone.isEmpty else { return [:] }
        let names = try manifest.loadRemote().compactMap { row in
            row.movedFrom.flatMap { gone.contains($0) ? ($0, row.path) : nil }
        }
        return Dictionary(names) { first, _ in first }
    }
}

extension RemoteView {
    /// The new name of a path that was renamed; nil if it was not.
    ///
    /// - Parameter waiting: Names of changes that were not read into the view.
    fileprivate func name(
        ofRenamed path: RelativePath, _ waiting: [RelativePath: RelativePath]
    ) -> RelativePath? {
        changes.first { $0.value.movedFrom == path }?.key ?? waiting[path]
    }
}

extension RemoteChange {
    /// Whether another device has written this, and it is not what is shown here.
    func isUnseen(beside shown: Entry, by device: Device) -> Bool {
        self.device?.id != device.id && !entry.entry.hasSameContent(as: shown)
    }

    /// Who has done what, as the beginning of a sentence.
    var deed: String {
        "\(doer) has \(entry.entry.kind == .tombstone ? "deleted" : "edited") it"
    }

    fileprivate var doer: String { device.map { printable($0.name.utf8) } ?? "Another device" }
}

extension Failure {
    /// - Parameters:
    ///   - change: What the rename has left at the old path.
    ///   - withCopy: Whether the conflict copy was renamed, too, so that the conflict is one of the new name.
    fileprivate static func renamedElsewhere(
        _ path: RelativePath, _ name: RelativePath, _ change: RemoteChange, withCopy: Bool
    ) -> Failure {
        Failure(
            .changing, path: path.bytes,
            "\(change.doer) has renamed it to \(printable(name.bytes)) meanwhile, "
                + "in version \(change.entry.version). Nothing was changed here.",
            remedy: withCopy
                ? "Run filesinki sync; the conflict goes on under that name then."
                : "Run filesinki sync; the conflict ends then, and the conflict copy stays.")
    }

    fileprivate static func editedElsewhere(_ path: RelativePath, _ change: RemoteChange) -> Failure
    {
        Failure(
            .changing, path: path.bytes,
            "\(change.deed) meanwhile, in version \(change.entry.version). Nothing was changed here.",
            remedy: change.entry.entry.kind == .tombstone
                ? "Run filesinki sync; the conflict ends then, and the conflict copy stays."
                : "Run filesinki sync; filesinki conflicts shows it then.")
    }
}
