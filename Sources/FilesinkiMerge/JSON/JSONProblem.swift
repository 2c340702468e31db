/// Why some bytes are not a document that can be merged.
struct JSONProblem: Error, Hashable {
    /// Counted from 1.
    var line: Int
    var reason: String

    /// - Parameter side: whose bytes they are, such as `The committed version`.
    func conflict(_ side: String) -> MergeConflict {
        MergeConflict("", "\(side) is not JSON that can be merged: line \(line) \(reason).")
    }
}
