/// How many of something each owner has: a token, or an address without one.
struct OwnerCounts: Sendable {
    private var counts: [String: Int] = [:]

    /// Counts one more; false, and nothing counted, when the owner has `limit` already.
    mutating func admit(_ owner: String, limit: Int) -> Bool {
        guard counts[owner, default: 0] < limit else { return false }
        counts[owner, default: 0] += 1
        return true
    }

    /// One is gone.
    mutating func leave(_ owner: String) {
        let left = counts[owner, default: 1] - 1
        counts[owner] = left == 0 ? nil : left
    }
}
