import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Contents that a repair has given up, because no pack and no commit of the store had a sound copy.
///
/// Such a file stays in the tree. A device that has it stores it again in its next run, before it applies anything:
/// what others have put in its place must not take away the last copy. On a device that does not have it, the file
/// is a problem, until somebody saves it: an edit of an older version is then based on the lost one, whose content
/// there is no way to merge.
extension SyncEngine {
    /// Stores again what the store has lost and the root still has, and names it in a commit without changes.
    ///
    /// A run that is killed meanwhile has recorded its packs. If another device's commit comes first, the next fetch names
    /// them.
    ///
    /// - Throws: What the remote throws. A store that takes nothing from this device is a notice.
    func storeLost(_ run: inout SyncRun) async throws {
        guard !run.lost.isEmpty, replica.lock != nil, !run.options.isDryRun,
            try manifest.movedStore == nil
        else { return }
        do {
            let rows = try await lostRows(&run)
            guard !rows.isEmpty else { return }
            let packs = try await storeAgain(rows, run)
            guard !packs.isEmpty else { return }
            let draft = CommitDraft(
                device: config.device, time: systemContext.now(), changes: [], packs: packs,
                operation: Commit.repair)
            guard let commit = try await zone.publish(draft, after: run.remote.token).commit()
            else { return }
            run.remote.fold(commit)
            run.report.publishedCommits += 1
            run.report.sentBytes += commit.contentBytes
        } catch let failure as Failure where [.notAllowed, .limit, .full].contains(failure.code) {
            run.report.notices.append(Problem(RelativePath(unchecked: []), failure))
        }
    }

    /// The files of the base whose contents the store does not have. Forgets those that it has again.
    private func lostRows(_ run: inout SyncRun) async throws -> [BaseRow] {
        let source = try await storedContents.source(run.remote)
        var rows: [BaseRow] = []
        var stored: Set<ContentID> = []
        for row in run.base.rows
        where row.entry.kind == .file && run.lost.contains(row.entry.content) {
            if try await source.holds(row.entry.content) {
                stored.insert(row.entry.content)
            } else if (try? root.status(row.path))?.stamp.size == row.entry.size {
                // A file of another size has been edited.
                rows.append(row)
            }
        }
        run.lost.subtract(stored)
        let left = try manifest.lost.subtracting(stored)
        if left != (try manifest.lost) { try manifest.write { try $0.setLost(left) } }
        return rows
    }

    /// - Returns: The packs that hold the contents, and those that a killed run has left.
    private func storeAgain(_ rows: [BaseRow], _ run: SyncRun) async throws -> [PackReference] {
        var stored = Observation()
        stored.packs = try await unpublishedPacks(for: run)
        let source = try await storedContents.source(run.remote, stored)
        var rows = rows
        if !stored.packs.isEmpty {
            var missing: [BaseRow] = []
            for row in rows {
                let content = row.entry.content
                // A pack may have the recipe, and another, with the chunks, may never have been stored.
                let isHeld = try await source.holds(content)
                guard isHeld, try await source.isWhole(content, size: row.entry.size) else {
                    missing.append(row)
                    continue
                }
            }
            rows = missing
        }
        guard !rows.isEmpty else { return stored.packs }
        let uploader = ContentUploader.storing(
            Set(rows.map(\.entry.content)), from: root, in: try await packWriter()
        ) { try await source.holdsChunk($0) }
        let result = try await uploader.upload(
            rows.map { ContentUploader.Item(path: $0.path, size: $0.entry.size) })
        try source.requireManifest()
        return stored.packs + result.packs
    }

    /// The base of a plan, in which lost versions that were edited here count as seen. They leave the view.
    ///
    /// What was only found in the root, without a base and without a save, is no edit of a later version.
    func baseWithoutLost(
        _ run: SyncRun, _ view: inout RemoteView
    ) async throws -> any BaseTree {
        guard !run.lost.isEmpty else { return run.base }
        var seen: [RelativePath: VersionedEntry] = [:]
        for (path, change) in view.changes {
            let theirs = change.entry.entry
            guard theirs.kind == .file, run.lost.contains(theirs.content),
                let ours = run.local.changes[path], let entry = ours.entry,
                !entry.hasSameContent(as: theirs), ours.isSaved || run.base.row(path) != nil
            else { continue }
            seen[path] = change.entry
        }
        guard !seen.isEmpty else { return run.base }
        let source = try await storedContents.source(run.remote, run.local)
        for (path, known) in seen {
            if try await source.holds(known.entry.content) { seen[path] = nil }
        }
        for path in seen.keys { view.changes[path] = nil }
        return BaseWithSeen(base: run.base, seen: seen)
    }
}

/// A base, and versions that count as agreed on although they are not in it.
private struct BaseWithSeen: BaseTree {
    let base: BaseIndex
    let seen: [RelativePath: VersionedEntry]

    func entry(_ path: RelativePath) -> VersionedEntry? { seen[path] ?? base.entry(path) }

    func paths(beginning prefix: [UInt8]) -> [RelativePath] {
        base.paths(beginning: prefix)
            + seen.keys.filter { base.row($0) == nil && $0.bytes.starts(with: prefix) }
    }

    var count: Int { base.count + seen.keys.count { base.row($0) == nil } }
}

extension ContentUploader {
    /// Stores some contents, as far as the files that are read have them, and nothing else.
    static func storing(
        _ wanted: Set<ContentID>, from source: any ByteSource, in writer: PackWriter,
        holdsChunk: @escaping @Sendable (ContentID) async throws -> Bool
    ) -> ContentUploader {
        ContentUploader(
            source: source, destination: .packs(writer), knows: { !wanted.contains($0) },
            holdsChunk: holdsChunk, progress: { _, _ in })
    }
}

extension ManifestDatabase {
    static let lostName = "lost-contents"

    /// The contents that a repair has given up, as far as they are not known to be stored again.
    var lost: Set<ContentID> {
        get throws { Set(ContentID.list(try value(Self.lostName) ?? []) ?? []) }
    }
}

extension ManifestWriter {
    func setLost(_ contents: Set<ContentID>) throws {
        let bytes = contents.sorted().flatMap(\.bytes)
        try setValue(ManifestDatabase.lostName, bytes.isEmpty ? nil : bytes)
    }
}

extension Failure {
    /// The content of a version that a repair has given up.
    ///
    /// - Parameter what: The path, or the content's id.
    static func lost(_ what: String) -> Failure {
        Failure(
            .notFound, path: what,
            "Its content is lost: the store was damaged, and a repair found no copy.",
            remedy: "A device that has the file stores it again when it syncs. "
                + "Otherwise save the file anew, or restore an older version.")
    }
}
