import Synchronization

/// Hands out the numbers from 0 up to a count, each once, to several workers.
final class WorkCursor: Sendable {
    private let position = Mutex(0)
    private let count: Int

    init(count: Int) {
        self.count = count
    }

    func next() -> Int? {
        position.withLock { value in
            guard value < count else { return nil }
            value += 1
            return value - 1
        }
    }
}
