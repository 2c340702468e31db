/// What somebody hears of until it is cancelled.
public final class Subscription: Sendable {
    private let task = Box<Task<Void, Never>?>(nil)
    private let looking: @Sendable () -> Void

    init(looking: @escaping @Sendable () -> Void) { self.looking = looking }

    func start(_ body: @escaping @Sendable () async -> Void) {
        task.value = Task { await body() }
    }

    /// Looks at once, without waiting for the remote's hint.
    func look() { looking() }

    /// Ends it: no closure is called any more, but for one that is being called at this moment.
    public func cancel() {
        task.value?.cancel()
        Shared.current.remove(self)
    }

    /// Whether it was cancelled.
    public var isCancelled: Bool { task.value?.isCancelled ?? false }
}
