import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// What both sides of a conflict started from, on a device that has not found it.
///
/// The commit with a conflict copy names, in what it builds on, the version of the path that its writer had before; if the
/// file was renamed since, that of the old path, to which a ``VersionTrail`` leads. The commit of an undo names this
/// version, too, or the commit that had made the copy first, if there is none; that of an `undelete` or a `restore` of the
/// copy names the version, if it is known. Commits of earlier versions of filesinki name none: there the base stays
/// unknown, unless the path was new in the version in place.
struct ConflictBases {
    private let conflicts: Conflicts
    private let rows: [ConflictRow]
    /// As they were read; but what a command has brought back may be based on the version that was deleted.
    private var commits: [UInt64: Commit] = [:]
    private var isRead: Set<UInt64> = []
    /// What the conflicts are called in the commits that were read last: a folder above them may have been renamed since.
    private var names: [ConflictRow: Names] = [:]

    private struct Names {
        var path: RelativePath
        var copy: RelativePath
        /// The version in place, as it was under this name.
        var inPlace: UInt64?
        /// Where the file was at the versions that the commit of the copy names: it may have been renamed since.
        var place: RelativePath
    }

    /// How many edits of a copy are followed back to the commit that made it, and how many of the file in place to its base.
    private static let editLimit = 8

    private init(_ conflicts: Conflicts, _ rows: [ConflictRow]) {
        self.conflicts = conflicts
        self.rows = rows
    }

    /// The bases of conflicts that another device has found.
    ///
    /// Costs two requests for all conflicts together, and one for each time that copies were edited, or the files in place since
    /// their bases, up to a limit; none if all bases are known. Where a file that both sides may have created was deleted and
    /// brought back, the log is read. For commands that show or take a base; a sync does without.
    ///
    /// - Returns: For each row whose base is known now, the base; a tombstone for nothing.
    /// - Throws: As ``History/versions(of:)``.
    static func read(
        of rows: [ConflictRow], _ conflicts: Conflicts
    ) async throws -> [ConflictRow: Entry] {
        let unknown = rows.filter {
            $0.base == nil && $0.rule == Conflicts.receivedRule && $0.copyPath != nil
        }
        guard !unknown.isEmpty else { return [:] }
        var bases = ConflictBases(conflicts, unknown)
        return try await bases.find()
    }

    /// What the commit of an undo names so that every device finds the bases that are not known here: the versions that have
    /// them, else the commits that made the copies first. Costs as much as ``read(of:_:)``.
    ///
    /// - Parameter rows: The conflicts, as they were. Their copies are deleted, or still there.
    static func named(
        of rows: [ConflictRow], _ conflicts: Conflicts
    ) async throws -> [UInt64] {
        let unknown = rows.filter { $0.base == nil && $0.copyPath != nil }
        guard !unknown.isEmpty else { return [] }
        var bases = ConflictBases(conflicts, unknown)
        return try await bases.makers().compactMap { row, commit in
            guard let names = bases.names[row] else { return nil }
            if let base = bases.base(of: names, commit, except: row.theirs) { return base.version }
            let first = bases.first(of: names, commit)
            // A reader would take its version of the path for the base.
            return first?.change(of: names.path) == nil ? first?.sequence : nil
        }
    }

    /// What the commit of a restore names so that every device finds the bases of the conflicts whose copies it brings
    /// back: the versions that have them; none if one would be taken for the base of another conflict. Costs as much
    /// as ``read(of:_:)``.
    ///
    /// - Parameter rows: The conflicts. Their copies are deleted.
    static func named(
        byRestoreOf rows: [ConflictRow], _ conflicts: Conflicts
    ) async throws -> [UInt64] {
        var bases = ConflictBases(conflicts, rows)
        var found: [ConflictRow: UInt64] = [:]
        for (row, commit) in try await bases.makers() {
            // No trail leads from what is restored to an earlier name.
            guard let names = bases.names[row], names.place == row.path else { continue }
            found[row] = bases.base(of: names, commit, except: row.theirs)?.version
        }
        let versions = Set(found.values).sorted()
        let isClear = rows.allSatisfy { row in
            versions.last { bases.commits[$0]?.change(of: row.path) != nil } == found[row]
        }
        return isClear ? versions : []
    }

    private mutating func find() async throws -> [ConflictRow: Entry] {
        var bases: [ConflictRow: Entry] = [:]
        for (row, commit) in try await makers() {
            guard let names = names[row] else { continue }
            bases[row] = base(of: names, commit)?.entry ?? start(of: names, commit)
        }
        return bases
    }

    /// Follows the files of the conflicts to where they were at the versions that the commits of the copies name.
    private mutating func findPlaces(_ makers: [ConflictRow: Commit]) async throws {
        var trails: [ConflictRow: VersionTrail] = [:]
        for row in makers.keys {
            guard let known = names[row], let inPlace = known.inPlace else { continue }
            trails[row] = VersionTrail(known.path, inPlace)
        }
        for _ in 0..<Self.editLimit {
            var wanted: [UInt64] = []
            for (row, trail) in trails where trail.version > 0 {
                guard let maker = makers[row] else { continue }
                let named = maker.named(besides: names[row]?.inPlace)
                // Where none is named, what was in place then tells whether the path was new.
                guard (named.first ?? maker.sequence) < trail.version,
                    !named.contains(trail.version)
                else { continue }
                if named.isEmpty { await joinDeleted(trail.path, broughtBackBy: trail.version) }
                trails[row]?.goBack(commits[trail.version])
                if let version = trails[row]?.version { wanted.append(version) }
            }
            if wanted.isEmpty { break }
            try await read(wanted)
        }
        for (row, trail) in trails { names[row]?.place = trail.path }
    }

    /// Joins what a command has brought back to the version that was deleted, which only the history of the path tells. Costs
    /// the reading of the log.
    private mutating func joinDeleted(
        _ path: RelativePath, broughtBackBy version: UInt64
    ) async {
        let changes = commits[version]?.changes ?? []
        guard let index = changes.firstIndex(where: { $0.path == path && $0.isBroughtBack }) else {
            return
        }
        // Without it the base stays unknown.
        let versions = (try? await conflicts.history.versions(of: path)) ?? []
        let deleted = versions.last {
            $0.version < version && !$0.isSuperseded && $0.change.entry.kind != .tombstone
        }
        guard let deleted else { return }
        commits[version]?.changes[index].basedOn = deleted.version
    }

    /// The commits that made the conflict copies, or have brought them back, with what they name.
    private mutating func makers() async throws -> [ConflictRow: Commit] {
        let manifest = conflicts.manifest
        var versions: [ConflictRow: UInt64] = [:]
        for row in rows {
            guard let copy = row.copyPath else { continue }
            versions[row] = try manifest.base(copy)?.version ?? manifest.tombstone(copy)?.version
            let inPlace = try manifest.base(row.path)?.version
            names[row] = Names(
                path: row.path, copy: copy, inPlace: inPlace, place: row.path)
        }
        try await read(Array(versions.values) + names.values.compactMap(\.inPlace))
        for _ in 0..<Self.editLimit {
            var earlier: [UInt64] = []
            for (row, commit) in versions.compactMapValues({ commits[$0] }) {
                guard let version = versionBefore(commit, of: row) else { continue }
                versions[row] = version
                earlier += [version, names[row]?.inPlace ?? 0]
            }
            if earlier.isEmpty { break }
            try await read(earlier)
        }
        let makers = versions.compactMapValues { commits[$0] }
            .filter { row, commit in
                commit.makesCopy(names[row]?.copy) || commit.bringsBackCopy(names[row]?.copy)
            }
        try await read(makers.values.flatMap(\.basedOnTokens))
        try await findPlaces(makers)
        return makers
    }

    private mutating func read(_ versions: [UInt64]) async throws {
        let wanted = Set(versions).subtracting(isRead).filter { $0 > 0 }.sorted()
        guard !wanted.isEmpty else { return }
        isRead.formUnion(wanted)
        var found: [UInt64: Commit] = [:]
        try await conflicts.connected().log.read(wanted) { sequence, commit in
            // One that was pruned, or cannot be read, leaves the base unknown.
            if let commit = try? commit.get() { found[sequence] = commit }
        }
        commits.merge(found) { first, _ in first }
    }

    /// The version of the copy before an edit or a rename of it; nil for the commit that made it.
    private mutating func versionBefore(_ commit: Commit, of row: ConflictRow) -> UInt64? {
        guard let known = names[row], let change = commit.change(of: known.copy) else {
            return nil
        }
        // An undo renames a file to the copy again where a folder has its name. It says what the base is itself.
        let isUndo =
            commit.operation == Change.openedAgain && change.isConflictCopy
            && !commit.basedOnTokens.isEmpty
        if !isUndo, let old = commit.source(of: change), let version = commit.basis(of: old) {
            names[row]?.copy = old
            if let path = commit.change(of: known.path)?.movedFrom {
                names[row]?.path = path
                names[row]?.place = path
                names[row]?.inPlace = commit.basis(of: path)
            }
            return version
        }
        // An undo makes a copy again, and knows no base.
        guard !change.isConflictCopy || commit.basedOnTokens.isEmpty, change.basedOn > 0 else {
            return nil
        }
        return change.basedOn
    }

    /// The newest version of the path that the commit builds on, and that is not the other side.
    ///
    /// - Parameter theirs: The content of the other side; nil if it is not known.
    private func base(
        of names: Names, _ commit: Commit, except theirs: Entry? = nil
    ) -> (version: UInt64, entry: Entry)? {
        for version in commit.named(besides: names.inPlace).reversed() {
            guard let change = commits[version]?.change(of: names.place),
                theirs.map({ !$0.hasSameContent(as: change.entry) }) ?? true
            else { continue }
            return change.entry.kind == .tombstone ? nil : (version, change.entry)
        }
        return nil
    }

    /// The commit that made a copy when the conflict was found; nil if the one that makes it again or brings it back does
    /// not name that.
    private func first(of names: Names, _ commit: Commit) -> Commit? {
        guard commit.operation == Change.openedAgain else {
            return commit.makesCopy(names.copy) ? commit : nil
        }
        return commit.basedOnTokens.compactMap { commits[$0] }
            .first { $0.makesCopy(names.copy) && $0.sequence < commit.sequence }
    }

    /// A tombstone if the path was new in the version that was in place when the copy was made; a folder that keeps its name if the
    /// copy took the place of that. What came with a copy in one commit was new to the store only, such as one that has replaced a
    /// lost one.
    private func start(of names: Names, _ commit: Commit) -> Entry? {
        guard let first = first(of: names, commit), let inPlace = names.inPlace else { return nil }
        // Edits, and a resolve and its undo, have put other versions in place since.
        var trail = VersionTrail(names.path, inPlace)
        trail.goBack(before: first.sequence, in: commits)
        guard let origin = commits[trail.version], let change = origin.change(of: trail.path)
        else { return nil }
        // The commit names versions for all its copies: one of a file may be the base of another path.
        if change.entry.kind == .directory, first.basedOnTokens.contains(trail.version) {
            return change.entry
        }
        let isNew = change.basedOn == 0 && change.movedFrom == nil
        return isNew && !origin.hasFoundConflict(of: trail.path) ? .tombstone : nil
    }
}

extension Commit {
    /// The version of a path before the commit; nil if it did not change the path, or there was none.
    fileprivate func basis(of path: RelativePath) -> UInt64? {
        change(of: path).flatMap { $0.basedOn > 0 ? $0.basedOn : nil }
    }

    /// The earlier versions that it builds on, the oldest first.
    ///
    /// - Parameter inPlace: The version of the other side, which is none of them.
    fileprivate func named(besides inPlace: UInt64?) -> [UInt64] {
        basedOnTokens.filter { $0 < sequence && $0 != inPlace }.sorted()
    }

    fileprivate func makesCopy(_ path: RelativePath?) -> Bool {
        changes.contains { $0.path == path && $0.isConflictCopy }
    }

    /// Whether it brings back a conflict copy that was deleted, and names what that is based on.
    fileprivate func bringsBackCopy(_ path: RelativePath?) -> Bool {
        !basedOnTokens.isEmpty && changes.contains { $0.path == path && $0.isBroughtBack }
    }
}

extension ConflictRow {
    /// One whose base is looked up in the log.
    fileprivate var withoutBase: ConflictRow {
        var row = self
        row.base = nil
        return row
    }
}

extension Change {
    /// Whether it made a conflict copy, or an undo has brought back one that had been edited, which its name does not tell.
    var isConflictCopy: Bool {
        guard entry.kind != .tombstone else { return false }
        return reason == Reason.conflictCopy(of: path).word
            || reason == Self.openedAgain && conflictOriginal(of: path) != nil
    }
}

extension Conflicts {
    /// The versions by which every device finds the bases of conflicts that an undo opens again, for
    /// ``SyncOptions/basesOfCopies``. Costs the reading of the log for bases that this device knows, and else
    /// what ``ConflictBases/named(of:_:)`` does.
    func versions(
        ofBasesOf rows: [ConflictRow], at path: RelativePath, in reader: HistoryReader
    ) async throws -> [UInt64] {
        var unknown = rows.filter { $0.base == nil }
        let known = rows.filter { $0.base != nil }
        let versions =
            known.isEmpty
            ? [] : try await history.versions(of: path, in: reader).filter { !$0.isSuperseded }
        var found: [UInt64] = []
        for row in known {
            let version = versions.last { row.base?.hasSameContent(as: $0.change.entry) == true }
            if let version {
                found.append(version.version)
            } else {
                unknown.append(row.withoutBase)
            }
        }
        // Without them the undo is done nevertheless.
        let named = (try? await ConflictBases.named(of: unknown, self)) ?? []
        return found + named
    }

    /// The versions by which every device finds the bases of conflicts that a restore opens again, for
    /// ``SyncOptions/basesOfCopies``. Costs requests only if conflict copies come back.
    ///
    /// - Parameter wanted: What comes back, and is deleted.
    func versions(
        ofBasesOfRestored wanted: [(RelativePath, Entry)]
    ) async throws -> [UInt64] {
        let entries = Dictionary(wanted) { first, _ in first }
        let rows = try wanted.compactMap { copy, entry -> ConflictRow? in
            guard entry.kind == .file || entry.kind == .symlink,
                let path = conflictOriginal(of: copy)?.path, try manifest.base(copy) == nil,
                let theirs = try entries[path] ?? manifest.base(path)?.entry
            else { return nil }
            return ConflictRow(
                path: path, base: nil, ours: entry, theirs: theirs, copyPath: copy,
                rule: Self.receivedRule, time: entry.modified)
        }
        guard !rows.isEmpty else { return [] }
        // Without them the restore is done nevertheless.
        return (try? await ConflictBases.named(byRestoreOf: rows, self)) ?? []
    }

    /// Conflicts with their bases, as far as these can be found: see ``ConflictBases/read(of:_:)``.
    func withBases(_ open: [OpenConflict]) async throws -> [OpenConflict] {
        let rows = try openRows().map(present)
        let bases = try await ConflictBases.read(of: rows, self)
        return open.map { conflict in
            let row = rows.first { $0.path == conflict.path && $0.copyPath == conflict.copy }
            guard let row, let base = bases[row] else { return conflict }
            return conflict.based(on: base)
        }
    }

    /// The rows of conflicts with their bases, which an undo keeps.
    ///
    /// - Throws: Why a base that is chosen cannot be found.
    func withBases(
        _ rows: [ConflictRow], for choice: ConflictChoice
    ) async throws -> [ConflictRow] {
        let bases: [ConflictRow: Entry]
        do {
            bases = try await ConflictBases.read(of: rows, self)
        } catch {
            if case .base = choice { throw error }
            return rows
        }
        return rows.map { row in
            guard let base = bases[row], base.kind != .tombstone else { return row }
            var row = row
            row.base = base
            return row
        }
    }
}
