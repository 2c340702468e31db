internal import FilesinkiModel

/// The changes of a stored commit: those that can be applied, and what was refused.
struct CommitChanges {
    private(set) var accepted: [Change] = []
    var refused: [RefusedRow] = []

    /// - Throws: `Failure` with code `corrupt` when the columns do not fit together.
    init(_ message: StoredCommit, key: String) throws(Failure) {
        var limit = CommitLog.maximumPathBytes
        guard
            var rows = RowsDecoder(
                message.changes, maximumCount: CommitLog.maximumChanges, pathLimit: &limit),
            let origins = PathColumn.decode(
                message.movedFrom, count: message.movedRows.count, limit: &limit),
            message.reasonRows.count == message.reasons.count,
            message.mergedRows.count == message.mergedWith.count
        else { throw Envelope.damaged(key, "The commit does not fit together.") }
        let moves = Dictionary(zip(message.movedRows, origins)) { _, last in last }
        let reasons = Dictionary(zip(message.reasonRows, message.reasons)) { _, last in last }
        let merges = Dictionary(zip(message.mergedRows, message.mergedWith)) { _, last in last }
        let sequence = message.sequence
        var accepted: [Change] = []
        var refused: [RefusedRow] = []
        accepted.reserveCapacity(Int(message.changes.count))
        rows.forEachRow { index, path, row in
            do throws(Failure) {
                let other = merges[UInt32(index)]
                guard row.version < sequence, other ?? 0 < sequence else {
                    throw RefusedRow(row.path, "The change builds on a later commit.").failure
                }
                let origin = moves[UInt32(index)]
                accepted.append(
                    Change(
                        path: path, entry: row.entry, basedOn: row.version,
                        movedFrom: try origin.map { bytes throws(Failure) in
                            try RelativePath(bytes)
                        },
                        reason: reasons[UInt32(index)] ?? "", mergedWith: other))
            } catch {
                refused.append(RefusedRow(path: row.path, failure: error))
            }
        } refuse: {
            refused.append($0)
        }
        self.refused = refused
        self.accepted = withoutDuplicates(accepted)
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
