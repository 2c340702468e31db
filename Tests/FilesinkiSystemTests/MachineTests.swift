import FilesinkiModel
import FilesinkiSystem
import FilesinkiTesting
import Glibc
import Synchronization
import Testing

/// What is asked of this machine.
@Suite struct MachineTests {
    private struct Stop: Error {}

    @Test func `the clock is the system's, and random bytes are as many as wished`() {
        let context = SystemContext.ofMachine
        let (before, now, after) = (time(nil), context.now(), time(nil))
        // time(2) may be a tick behind.
        #expect(now.seconds >= Int64(before) && now.seconds <= Int64(after) + 1)
        #expect([0, 1, 33].map { context.randomBytes($0).count } == [0, 1, 33])
        // As likely as 2⁻²⁵⁶.
        #expect(context.randomBytes(32) != context.randomBytes(32))
    }

    @Test func `a host's name is the part before the first dot`() {
        var buffer = [CChar](repeating: 0, count: 256)
        #expect(gethostname(&buffer, 255) == 0)
        let whole = String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let first = whole.split(separator: ".", omittingEmptySubsequences: false).first
        #expect(nameOfHost() == (first.map { $0.isEmpty ? "device" : String($0) } ?? "device"))
    }

    @Test func `work on another thread gives its result or its error`() async throws {
        #expect(try await offload { 7 } == 7)
        await #expect(throws: Stop.self) { try await offload { throw Stop() } }
    }

    @Test func `this process has the arguments that it was started with`() throws {
        // The two ways to ask must agree where both work.
        #expect(ProcessArguments.all == CommandLine.arguments.map { Array($0.utf8) })
    }

    @Test func `a program that cannot be started leaves this one as it is`() {
        ProcessArguments.replaceProgram(by: "/nowhere/at/all")
        #expect(errno == ENOENT)
    }
}

/// The lock of tasks.
@Suite("Task locks", .timeLimit(.minutes(10)))
struct TaskLockTests {
    private struct Counts {
        var inside = 0
        var most = 0
        var all = 0
    }

    private final class Counter: Sendable {
        let counts = Mutex(Counts())
    }

    @Test func `one task at a time has it, and each gets it`() async {
        let lock = TaskLock()
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await lock.lock()
                    counter.counts.withLock { counts in
                        counts.inside += 1
                        counts.most = max(counts.most, counts.inside)
                        counts.all += 1
                    }
                    for _ in 0..<5 { await Task.yield() }
                    counter.counts.withLock { $0.inside -= 1 }
                    lock.unlock()
                }
            }
        }
        #expect(counter.counts.withLock { $0.most } == 1)
        #expect(counter.counts.withLock { $0.all } == 50)
    }

    @Test func `it is free again after its last holder`() async {
        let lock = TaskLock()
        for _ in 0..<3 {
            await lock.lock()
            lock.unlock()
        }
    }

    @Test func `a task that is cancelled waits for it all the same`() async throws {
        let lock = TaskLock()
        let isHeld = Mutex(true)
        await lock.lock()
        let waiting = Task {
            await lock.lock()
            return isHeld.withLock { $0 }
        }
        waiting.cancel()
        for _ in 0..<10 { await Task.yield() }
        isHeld.withLock { $0 = false }
        lock.unlock()
        #expect(await !waiting.value)
    }
}
