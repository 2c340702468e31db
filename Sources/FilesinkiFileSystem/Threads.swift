import Glibc
import Synchronization

/// Runs `body` on `count` threads including the caller's, and waits for all of them.
///
/// If the system grants fewer threads, those share the work.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    var threads: [pthread_t] = []
    for _ in 1..<max(count, 1) {
        let work = Unmanaged.passRetained(ThreadWork(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument {
                    Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, work.toOpaque())
        if status == 0 { threads.append(thread) } else { work.release() }
    }
    body()
    for thread in threads { pthread_join(thread, nil) }
}

private final class ThreadWork: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// A last-in, first-out queue of work that creates more work, shared by threads. On a tree this
/// order keeps the queue short.
final class WorkQueue<Item: Sendable>: Sendable {
    private struct State {
        var items: [Item]
        /// The number of items that wait or are being processed.
        var open: Int
    }

    private let state: Mutex<State>
    private let wakeUp = Signal()

    init(_ items: [Item]) {
        state = Mutex(State(items: items, open: items.count))
    }

    /// Processes items until none is left and none can be added any more.
    ///
    /// - Parameter work: Processes an item and returns the items that it creates.
    func drain(_ work: (Item) -> [Item]) {
        while let item = next() {
            let more = work(item)
            let isOver = state.withLock { state in
                state.items += more
                state.open += more.count - 1
                return state.open == 0
            }
            if isOver || more.count > 1 { wakeUp.signal() }
        }
    }

    private func next() -> Item? {
        while true {
            let seen = wakeUp.count
            let (item, isOver) = state.withLock { state in (state.items.popLast(), state.open == 0)
            }
            if item != nil || isOver { return item }
            wakeUp.wait(after: seen)
        }
    }
}

/// A condition variable with a count, so that a signal before the wait is not lost.
private final class Signal: @unchecked Sendable {
    // Guarded by `mutex`, which must not move in memory.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var given = 0

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    var count: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return given
    }

    func signal() {
        pthread_mutex_lock(mutex)
        given += 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }

    func wait(after seen: Int) {
        pthread_mutex_lock(mutex)
        while given == seen { pthread_cond_wait(condition, mutex) }
        pthread_mutex_unlock(mutex)
    }
}
