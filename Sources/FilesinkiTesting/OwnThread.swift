import Glibc

/// Threads beside the pool, for what waits in the kernel.
package enum OwnThread {
    /// Runs on a thread of its own.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Job(body: body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        if result == 0 { pthread_detach(thread) } else { box.release() }
    }

    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
