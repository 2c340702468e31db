import Synchronization

/// How many connections there are from each address.
final class ConnectionCensus: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let limit: Int

    /// - Parameter limit: The most from one address.
    init(limit: Int) { self.limit = limit }

    /// Counts a connection; false when there are too many from its address.
    func admit(_ address: String) -> Bool {
        counts.withLock { counts in
            guard counts[address, default: 0] < limit else { return false }
            counts[address, default: 0] += 1
            return true
        }
    }

    /// The connection of this address is gone.
    func leave(_ address: String) {
        counts.withLock { counts in
            let left = counts[address, default: 1] - 1
            counts[address] = left == 0 ? nil : left
        }
    }
}
