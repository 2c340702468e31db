/// The conflicts of one merge, as many as a person may want to read.
final class ConflictList {
    private var conflicts: [MergeConflict] = []

    private static let limit = 20

    /// Notes a conflict, and ends the merge when there are enough.
    func add(_ place: String, _ reason: String) throws(SQLiteTrouble) {
        conflicts.append(MergeConflict(place, reason))
        if conflicts.count >= Self.limit { throw .declined(conflicts) }
    }

    var isEmpty: Bool { conflicts.isEmpty }

    /// Ends the merge if there are conflicts.
    func check() throws(SQLiteTrouble) {
        if !conflicts.isEmpty { throw .declined(conflicts) }
    }
}
