internal import FilesinkiModel

/// The rows of a stored commit: those that can be used, and what was refused.
struct CommitChanges {
    private(set) var accepted: [Change] = []
    /// Contents that gave way; a path may occur several times.
    private(set) var superseded: [Change] = []
    var refused: [RefusedRow] = []

    /// - Parameter plain: The record's plain length, which bounds what its rows may take.
    /// - Throws: `Failure` with code `corrupt` when the columns do not fit together.
    init(_ message: StoredCommit, plain: Int, key: String) throws(Failure) {
        let bounds = ReadableCommit(plain: plain)
        var pathBytes = bounds.pathBytes
        guard
            var rows = RowsDecoder(
                message.changes, maximumCount: ReadableCommit.changes, pathLimit: &pathBytes),
            let details = RowDetails(message, pathLimit: &pathBytes),
            var superseded = RowsDecoder(
                message.superseded, maximumCount: bounds.superseded, pathLimit: &pathBytes)
        else { throw Envelope.damaged(key, "The commit does not fit together.") }
        read(&rows, details, before: message.sequence)
        read(superseded: &superseded, message)
    }

    private mutating func read(
        _ rows: inout RowsDecoder, _ details: RowDetails, before sequence: UInt64
    ) {
        var changes: [Change] = []
        var refused: [RefusedRow] = []
        changes.reserveCapacity(rows.count)
        rows.forEachRow { index, path, row in
            do throws(Failure) {
                changes.append(try details.change(index, path, row, before: sequence))
            } catch {
                refused.append(RefusedRow(path: row.path, failure: error))
            }
        } refuse: {
            refused.append($0)
        }
        self.refused = refused
        accepted = withoutDuplicates(changes)
    }

    /// What gave way is no part of the tree: a row that cannot be used is left out without a word.
    private mutating func read(superseded rows: inout RowsDecoder, _ message: StoredCommit) {
        var found: [Change] = []
        found.reserveCapacity(rows.count)
        rows.forEachRow { index, path, row in
            guard row.version < message.sequence else { return }
            let reasons = message.supersededReasons
            found.append(
                Change(
                    path: path, entry: row.entry, basedOn: row.version,
                    reason: index < reasons.count ? reasons[index] : ""))
        } refuse: { _ in
        }
        superseded = found
    }

    /// The last change of each path; earlier ones are refused.
    private mutating func withoutDuplicates(_ changes: [Change]) -> [Change] {
        let isAscending = zip(changes, changes.dropFirst()).allSatisfy { $0.path < $1.path }
        if isAscending { return changes }
        var seen: Set<RelativePath> = []
        var kept: [Change] = []
        for change in changes.reversed() {
            if seen.insert(change.path).inserted {
                kept.append(change)
            } else {
                refused.append(
                    RefusedRow(
                        change.path.bytes, "The commit changes the path twice; the last counts."))
            }
        }
        return kept.reversed()
    }
}

/// What some rows of a commit have besides their entry.
private struct RowDetails {
    private let origins: [UInt32: [UInt8]]
    private let reasons: [UInt32: String]
    private let merges: [UInt32: UInt64]

    /// - Returns: nil when the columns do not fit together.
    init?(_ message: StoredCommit, pathLimit: inout Int) {
        guard
            let paths = PathColumn.decode(
                message.movedFrom, count: message.movedRows.count, limit: &pathLimit),
            message.reasonRows.count == message.reasons.count,
            message.mergedRows.count == message.mergedWith.count
        else { return nil }
        origins = Dictionary(zip(message.movedRows, paths)) { _, last in last }
        reasons = Dictionary(zip(message.reasonRows, message.reasons)) { _, last in last }
        merges = Dictionary(zip(message.mergedRows, message.mergedWith)) { _, last in last }
    }

    /// The change of a row.
    ///
    /// - Throws: `Failure` when it names a commit that is not before `sequence`, or an impossible origin.
    func change(
        _ index: Int, _ path: RelativePath, _ row: Row, before sequence: UInt64
    ) throws(Failure) -> Change {
        let number = UInt32(truncatingIfNeeded: index)
        let other = merges[number]
        guard row.version < sequence, other ?? 0 < sequence else {
            throw RefusedRow(row.path, "The change builds on a later commit.").failure
        }
        var change = Change(
            path: path, entry: row.entry, basedOn: row.version, reason: reasons[number] ?? "",
            mergedWith: other)
        if let origin = origins[number] { change.movedFrom = try RelativePath(origin) }
        return change
    }
}
