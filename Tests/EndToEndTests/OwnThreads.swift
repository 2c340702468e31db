import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// Runs tests that wait for processes on threads of their own.
///
/// Such a test holds its thread while it waits, and the pool has as many threads as the machine has
/// processors: two tests here, and the servers and clocks of all other tests stand still until they run
/// into their limits.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await body() }
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await body() }
    }
}

extension Trait where Self == OwnThreads {
    /// On threads of their own, because they wait for processes.
    static var onOwnThreads: Self { OwnThreads() }
}

/// Four times as many threads as the machine has processors, for jobs that may hold them: the processes that they wait
/// for wait much of their time, too, for a disk, for a server, or until a request is tried again.
private final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads(
        count: 4 * max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    private let jobs = Mutex<[UnownedJob]>([])
    /// A byte for each job, so that a thread can wait for one; closed to what is started.
    private let ready: (reading: Int32, writing: Int32)

    private init(count: Int) {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        ready = (ends[0], ends[1])
        for _ in 0..<count { OwnThread.start { self.work() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        var byte: UInt8 = 0
        while write(ready.writing, &byte, 1) < 0, errno == EINTR {}
    }

    private func work() {
        while true {
            var byte: UInt8 = 0
            guard read(ready.reading, &byte, 1) == 1 else { continue }
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
