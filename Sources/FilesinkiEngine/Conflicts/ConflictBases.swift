import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// What both sides of a conflict started from, on a device that has not found it.
///
/// The commit with a conflict copy names, in what it builds on, the version of the path that its writer had before. Commits
/// of earlier versions of filesinki do not: there the base stays unknown, unless the path was new in the version in place.
struct ConflictBases {
    private let conflicts: Conflicts
    private let rows: [ConflictRow]
    private var commits: [UInt64: Commit] = [:]
    private var isRead: Set<UInt64> = []

    /// How many edits of a copy are followed back to the commit that made it.
    private static let editLimit = 8

    private init(_ conflicts: Conflicts, _ rows: [ConflictRow]) {
        self.conflicts = conflicts
        self.rows = rows
    }

    /// The bases of conflicts that another device has found.
    ///
    /// Costs two requests for all conflicts together, and one for each time that copies were edited; none if all bases are
    /// known. For commands that show or take a base; a sync does without.
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

    private mutating func find() async throws -> [ConflictRow: Entry] {
        let manifest = conflicts.manifest
        var versions: [ConflictRow: UInt64] = [:]
        var inPlace: [ConflictRow: UInt64] = [:]
        for row in rows {
            if let copy = row.copyPath { versions[row] = try manifest.base(copy)?.version }
            inPlace[row] = try manifest.base(row.path)?.version
        }
        try await read(Array(versions.values) + Array(inPlace.values))
        for _ in 0..<Self.editLimit {
            let edited = versions.compactMapValues { self.commits[$0] }.compactMap { row, commit in
                self.earlier(row, commit).map { (row, $0) }
            }
            if edited.isEmpty { break }
            for (row, version) in edited { versions[row] = version }
            try await read(edited.map(\.1))
        }
        let origins = versions.compactMapValues { self.commits[$0] }
        try await read(origins.values.flatMap(\.basedOnTokens))
        var bases: [ConflictRow: Entry] = [:]
        for (row, commit) in origins {
            bases[row] =
                base(of: row, commit, inPlace[row]) ?? nothing(row, commit, inPlace[row])
        }
        return bases
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

    /// The version of the copy before an edit of it; nil for the commit that made it.
    private func earlier(_ row: ConflictRow, _ commit: Commit) -> UInt64? {
        guard let change = commit.changes.first(where: { $0.path == row.copyPath }),
            // An undo makes a copy again, and knows no base.
            !change.isConflictCopy || commit.basedOnTokens.isEmpty, change.basedOn > 0
        else { return nil }
        return change.basedOn
    }

    /// The newest version of the path that the commit builds on, and that is not the other side.
    private func base(of row: ConflictRow, _ commit: Commit, _ inPlace: UInt64?) -> Entry? {
        guard commit.makesCopy(row.copyPath) else { return nil }
        let earlier = commit.basedOnTokens.filter { $0 < commit.sequence && $0 != inPlace }
            .sorted()
        for version in earlier.reversed() {
            if let change = commits[version]?.changes.first(where: { $0.path == row.path }) {
                return change.entry.kind == .tombstone ? nil : change.entry
            }
        }
        return nil
    }

    /// A tombstone if the path was new in the version that was in place when the copy was made. What came with its copy in one commit
    /// was new to the store only, such as one that has replaced a lost one.
    private func nothing(_ row: ConflictRow, _ commit: Commit, _ inPlace: UInt64?) -> Entry? {
        guard commit.makesCopy(row.copyPath), let inPlace, inPlace < commit.sequence,
            let change = commits[inPlace]?.changes.first(where: { $0.path == row.path }),
            change.basedOn == 0, change.movedFrom == nil
        else { return nil }
        return .tombstone
    }
}

extension Commit {
    fileprivate func makesCopy(_ path: RelativePath?) -> Bool {
        changes.contains { $0.path == path && $0.isConflictCopy }
    }
}

extension Change {
    /// Whether it made a conflict copy.
    var isConflictCopy: Bool {
        entry.kind != .tombstone && reason == Reason.conflictCopy(of: path).word
    }
}

extension Array where Element == Step {
    /// The versions that the conflict copies among the steps are based on, for ``FilesinkiStore/CommitDraft/basedOnTokens``:
    /// a device that receives the conflict finds its base by them.
    ///
    /// - Parameter given: What a command says that makes copies again: nobody has changed the path since.
    func basesOfCopies(in plan: [Step], _ given: [UInt64]) -> [UInt64] {
        let copied = Set(compactMap(\.copied))
        guard !copied.isEmpty else { return [] }
        let versions =
            given
            + plan.compactMap { step in
                // Where nobody has changed it there, an undo makes the copy.
                copied.contains(step.path) && step.base?.version != step.theirs?.version
                    ? step.base?.version : nil
            }
        // A commit has a limited size.
        return Set(versions).sorted().suffix(1000).map { $0 }
    }
}

extension Conflicts {
    /// The versions of a path that have the bases of conflicts, for ``SyncOptions/basesOfCopies``. Costs the reading of the log.
    func versions(
        ofBasesOf rows: [ConflictRow], at path: RelativePath, in reader: HistoryReader
    ) async throws -> [UInt64] {
        let bases = rows.compactMap(\.base)
        guard !bases.isEmpty else { return [] }
        let known = try await history.versions(of: path, in: reader).filter { !$0.isSuperseded }
        return bases.compactMap { base in
            known.last { $0.change.entry.hasSameContent(as: base) }?.version
        }
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
