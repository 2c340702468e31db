import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore

/// The rows of a checkpoint of the files: the remote tree as this replica knows it, which is its base
/// and what differs from it there.
///
/// The tables of the manifest are read in pages and merged in the order of paths. Nothing may write to
/// them meanwhile.
final class FilesCheckpoint {
    private var base: PathCursor<BaseRow>
    private var tombstones: PathCursor<TombstoneRow>
    private var waiting: PathCursor<RemoteRow>
    private let packs: RowPages<PackRow>
    private let inline: RowPages<InlineRow>
    private let pruned: UInt64
    /// Up to which commit tombstones have ended.
    private let ended: UInt64
    /// What was not returned yet of the contents that are lost.
    private var lost: ArraySlice<ContentID>

    init(_ manifest: ManifestDatabase) throws {
        base = PathCursor(manifest.basePages())
        tombstones = PathCursor(manifest.tombstonePages())
        waiting = PathCursor(manifest.remotePages())
        packs = manifest.packPages()
        inline = manifest.inlinePages()
        pruned = try manifest.pruned
        ended = try manifest.endedTombstones
        lost = try manifest.lost.sorted()[...]
    }

    /// The next rows, as ``FilesinkiStore/CheckpointSource`` returns them; nil at the end.
    ///
    /// - Throws: `Failure` with code `corrupt` when the manifest is damaged or lacks rows: then the
    ///   rows before must not become a checkpoint, which would say that the rest was deleted.
    func next() throws -> CheckpointRows? {
        let entries = try nextEntries()
        if !entries.isEmpty { return CheckpointRows(entries: entries, pruned: pruned) }
        let packs = try packs.next()
        if !packs.isEmpty {
            return CheckpointRows(packs: packs.map(PackReference.init(row:)), pruned: pruned)
        }
        let inline = try inline.next()
        if !inline.isEmpty {
            return CheckpointRows(
                inline: inline.map { InlineLocation(id: $0.content, sequence: $0.sequence) },
                pruned: pruned)
        }
        if lost.isEmpty { return nil }
        let part = Array(lost.prefix(ManifestDatabase.pageSize))
        lost.removeFirst(part.count)
        return CheckpointRows(lost: part, pruned: pruned)
    }

    private func nextEntries() throws -> [CheckpointRow] {
        var entries: [CheckpointRow] = []
        while entries.count < ManifestDatabase.pageSize, let path = try nextPath() {
            let row = Self.row(
                try base.removeRow(at: path), try tombstones.removeRow(at: path),
                try waiting.removeRow(at: path))
            if let row, !hasEnded(row.entry) { entries.append(row) }
        }
        return entries
    }

    /// Whether the row says nothing that the absence of the path does not say.
    private func hasEnded(_ entry: VersionedEntry) -> Bool {
        entry.entry.kind == .tombstone && entry.version <= ended
    }

    private func nextPath() throws -> RelativePath? {
        var first = try base.path()
        for path in [try tombstones.path(), try waiting.path()] {
            if let path, first.map({ path < $0 }) ?? true { first = path }
        }
        return first
    }

    /// The row of one path, from what each table has of it; nil if it is not part of the remote tree.
    private static func row(
        _ base: BaseRow?, _ tombstone: TombstoneRow?, _ waiting: RemoteRow?
    ) -> CheckpointRow? {
        var row: CheckpointRow?
        if let base {
            row = CheckpointRow(
                path: base.path, entry: VersionedEntry(base.entry, version: base.version))
        } else if let tombstone, tombstone.version > 0 {
            // What was never published has no version and is not part of the remote tree.
            row = CheckpointRow(
                path: tombstone.path,
                entry: VersionedEntry(.tombstone, version: tombstone.version),
                formerContents: tombstone.contents)
        }
        guard let waiting else { return row }
        var former = row?.formerContents ?? []
        if let before = row?.entry.entry, before.kind != .directory, let identity = before.identity
        {
            former.append(identity)
        }
        return CheckpointRow(
            path: waiting.path, entry: waiting.entry,
            formerContents: waiting.entry.entry.kind == .tombstone ? former : [])
    }
}

/// Reads the pages of a table row by row, in the order of paths.
private struct PathCursor<Row: RowWithPath> {
    private let pages: RowPages<Row>
    private var page: ArraySlice<Row> = []

    init(_ pages: RowPages<Row>) { self.pages = pages }

    /// The path of the next row; nil at the end.
    mutating func path() throws -> RelativePath? {
        if page.isEmpty { page = try pages.next()[...] }
        return page.first?.path
    }

    /// Removes and returns the next row if it has this path.
    mutating func removeRow(at path: RelativePath) throws -> Row? {
        try self.path() == path ? page.removeFirst() : nil
    }
}

private protocol RowWithPath {
    var path: RelativePath { get }
}

extension BaseRow: RowWithPath {}
extension TombstoneRow: RowWithPath {}
extension RemoteRow: RowWithPath {}
