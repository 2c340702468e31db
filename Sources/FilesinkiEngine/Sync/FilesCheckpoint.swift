import FilesinkiManifest
import FilesinkiModel
import FilesinkiStore

/// The rows of a checkpoint of the files: the remote tree as this replica knows it, which is its base
/// and what differs from it there.
///
/// The tables of the manifest are read in pages and merged in the order of paths. Nothing may write to
/// them meanwhile. Of the contents that lie in commits those of the tree are listed, which are looked up one by one in
/// a second pass: the manifest knows those of old versions too, and their number grows with the history. While they are few, they
/// are read at once.
final class FilesCheckpoint {
    private let manifest: ManifestDatabase
    private var tree: TreeRows
    private let packs: RowPages<PackRow>
    /// The tree once more, for its contents; nil if none lies in a commit.
    private var inlineTree: TreeRows?
    /// The commits that contents lie in, if they are few.
    private let places: [ContentID: UInt64]?
    private let pruned: UInt64
    /// Up to which commit tombstones have ended.
    private let ended: UInt64
    /// What was not returned yet of the contents that are lost.
    private var lost: ArraySlice<ContentID>

    /// So many contents in commits are read at once: some megabytes.
    static let fewContents = 1 << 16

    /// - Parameter few: The most contents in commits that are read at once.
    init(_ manifest: ManifestDatabase, readingAtOnce few: Int = fewContents) throws {
        self.manifest = manifest
        tree = TreeRows(manifest)
        packs = manifest.packPages()
        let count = try manifest.inlineCount()
        inlineTree = count > 0 ? TreeRows(manifest) : nil
        places = count <= few ? try Self.places(manifest) : nil
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
        let inline = try nextInline()
        if !inline.isEmpty { return CheckpointRows(inline: inline, pruned: pruned) }
        if lost.isEmpty { return nil }
        let part = Array(lost.prefix(ManifestDatabase.pageSize))
        lost.removeFirst(part.count)
        return CheckpointRows(lost: part, pruned: pruned)
    }

    private func nextEntries() throws -> [CheckpointRow] {
        var entries: [CheckpointRow] = []
        while entries.count < ManifestDatabase.pageSize, let row = try tree.next() {
            if !hasEnded(row.entry) { entries.append(row) }
        }
        return entries
    }

    /// Whether the row says nothing that the absence of the path does not say.
    private func hasEnded(_ entry: VersionedEntry) -> Bool {
        entry.entry.kind == .tombstone && entry.version <= ended
    }

    /// The next contents of the tree that lie in commits; empty at the end. One that several paths have may occur again
    /// later.
    private func nextInline() throws -> [InlineLocation] {
        var found: [InlineLocation] = []
        var met: Set<ContentID> = []
        while found.count < ManifestDatabase.pageSize, let row = try inlineTree?.next() {
            let entry = row.entry.entry
            guard entry.kind == .file, !met.contains(entry.content),
                let sequence = try commit(of: entry.content)
            else { continue }
            met.insert(entry.content)
            found.append(InlineLocation(id: entry.content, sequence: sequence))
        }
        return found
    }

    private func commit(of content: ContentID) throws -> UInt64? {
        if let places { return places[content] }
        return try manifest.inlineSequence(of: content)
    }

    private static func places(_ manifest: ManifestDatabase) throws -> [ContentID: UInt64] {
        var places: [ContentID: UInt64] = [:]
        let pages = manifest.inlinePages()
        while case let page = try pages.next(), !page.isEmpty {
            for row in page { places[row.content] = row.sequence }
        }
        return places
    }
}

/// Reads the remote tree that a manifest knows row by row, in the order of paths.
private struct TreeRows {
    private var base: PathCursor<BaseRow>
    private var tombstones: PathCursor<TombstoneRow>
    private var waiting: PathCursor<RemoteRow>

    init(_ manifest: ManifestDatabase) {
        base = PathCursor(manifest.basePages())
        tombstones = PathCursor(manifest.tombstonePages())
        waiting = PathCursor(manifest.remotePages())
    }

    /// The next row; nil at the end.
    mutating func next() throws -> CheckpointRow? {
        while let path = try nextPath() {
            let row = Self.row(
                try base.removeRow(at: path), try tombstones.removeRow(at: path),
                try waiting.removeRow(at: path))
            if let row { return row }
        }
        return nil
    }

    private mutating func nextPath() throws -> RelativePath? {
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
