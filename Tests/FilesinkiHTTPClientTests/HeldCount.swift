import Synchronization

/// Adds up numbers from any task.
final class HeldCount: Sendable {
    private let sum = Mutex(0)

    var total: Int { sum.withLock { $0 } }

    /// The sum with the number.
    func add(_ number: Int) -> Int {
        sum.withLock { sum in
            sum += number
            return sum
        }
    }
}
