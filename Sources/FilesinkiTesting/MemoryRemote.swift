package import FilesinkiRemote
import Synchronization

/// A remote in memory, the reference implementation of the contract.
package final class MemoryRemote: Remote {
    private struct State {
        var objects: [ObjectKey: [UInt8]] = [:]
        /// The keys in order; nil after an object was added or removed.
        var keys: [ObjectKey]?
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        /// The prefixes that were waited for, and whether they changed since.
        var changed: [String: Bool] = [:]

        mutating func set(_ bytes: [UInt8], at key: ObjectKey) {
            if objects.updateValue(bytes, forKey: key) == nil { keys = nil }
        }
    }

    private struct Waiter {
        var prefix: String
        var continuation: CheckedContinuation<Void, Never>
        var timer: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let sleep: @Sendable (Duration) async throws -> Void
    package let address: String

    /// - Parameter sleep: The sleep for the timeout of ``wait(prefix:timeout:)``.
    package init(
        address: String = "memory",
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        self.address = address
        self.sleep = sleep
    }

    package func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        guard let bytes = state.withLock({ $0.objects[key] }) else { return nil }
        guard let range else { return bytes }
        let clamped = range.clamped(to: 0..<Int64(bytes.count))
        return Array(bytes[Int(clamped.lowerBound)..<Int(clamped.upperBound)])
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let stored = state.withLock { state in
            if state.objects[slot] == nil { state.set(bytes, at: slot) }
            return state.objects[slot] ?? bytes
        }
        resumeWaiters(slot)
        return PublishOutcome(stored: stored, own: bytes)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        state.withLock { $0.set(bytes, at: key) }
        resumeWaiters(key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        state.withLock { state in
            let keys = state.keys ?? state.objects.keys.sorted()
            state.keys = keys
            let wanted = keys[Self.firstIndex(in: keys, prefix, after)...].lazy
                .prefix { $0.description.utf8.starts(with: prefix.utf8) }
            return wanted.prefix(max(0, limit)).map { key in
                ObjectInfo(key: key, size: Int64(state.objects[key]?.count ?? 0))
            }
        }
    }

    /// Where the keys with a prefix begin, or those of them after another one.
    private static func firstIndex(
        in keys: [ObjectKey], _ prefix: String, _ after: ObjectKey?
    ) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            let key = keys[middle].description
            if key < prefix || after.map({ key <= $0.description }) == true {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    package func delete(_ key: ObjectKey) async throws {
        state.withLock { state in
            if state.objects.removeValue(forKey: key) != nil { state.keys = nil }
        }
    }

    package func wait(prefix: String, timeout: Duration) async throws {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                addWaiter(number, Waiter(prefix: prefix, continuation: continuation), timeout)
                // The task may have been cancelled before the waiter was added.
                if Task.isCancelled { resumeWaiter(number) }
            }
        } onCancel: {
            resumeWaiter(number)
        }
        try Task.checkCancellation()
    }

    /// All objects, for a test to read or to damage.
    package var objects: [ObjectKey: [UInt8]] {
        get { state.withLock { $0.objects } }
        set {
            state.withLock { state in
                state.objects = newValue
                state.keys = nil
            }
        }
    }

    /// Whether a task waits for a change.
    package var isWaitedFor: Bool { state.withLock { !$0.waiters.isEmpty } }

    private func resumeWaiters(_ key: ObjectKey) {
        let numbers = state.withLock { state in
            let notified = state.waiters.filter { key.description.hasPrefix($0.value.prefix) }
            for prefix in state.changed.keys where key.description.hasPrefix(prefix) {
                state.changed[prefix] = !notified.values.contains { $0.prefix == prefix }
            }
            return notified.map(\.key)
        }
        for number in numbers { resumeWaiter(number) }
    }

    private func addWaiter(_ number: Int, _ waiter: Waiter, _ timeout: Duration) {
        let hasChanged = state.withLock { state in
            state.waiters[number] = waiter
            return state.changed.updateValue(false, forKey: waiter.prefix) ?? false
        }
        if hasChanged { return resumeWaiter(number) }
        let timer = Task { [sleep] in
            try? await sleep(timeout)
            self.resumeWaiter(number)
        }
        let isWaiting = state.withLock { state in
            state.waiters[number]?.timer = timer
            return state.waiters[number] != nil
        }
        if !isWaiting { timer.cancel() }
    }

    private func resumeWaiter(_ number: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.timer?.cancel()
        waiter?.continuation.resume()
    }
}
