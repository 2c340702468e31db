package import FilesinkiRemote
import Synchronization

/// A remote in memory that keeps every promise: what the others are measured by.
package final class MemoryRemote: Remote {
    private struct State {
        var objects: [ObjectKey: [UInt8]] = [:]
        /// The keys in order; nil after an object came or went.
        var keys: [ObjectKey]?
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        /// The prefixes that were waited for, and whether there is news since.
        var news: [String: Bool] = [:]

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

    /// - Parameter sleep: How ``wait(prefix:timeout:)`` lets its time pass; a manual clock's returns
    ///   at once.
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
        let held = range.clamped(to: 0..<Int64(bytes.count))
        return Array(bytes[Int(held.lowerBound)..<Int(held.upperBound)])
    }

    package func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        let there = state.withLock { state in
            if state.objects[slot] == nil { state.set(bytes, at: slot) }
            return state.objects[slot] ?? bytes
        }
        wake(slot)
        return there == bytes ? .mine : .theirs(there)
    }

    package func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        state.withLock { $0.set(bytes, at: key) }
        wake(key)
    }

    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        state.withLock { state in
            let keys = state.keys ?? state.objects.keys.sorted()
            state.keys = keys
            let wanted = keys.lazy.filter { key in
                key.description.utf8.starts(with: prefix.utf8) && after.map { $0 < key } ?? true
            }
            return wanted.prefix(max(0, limit)).map { key in
                ObjectInfo(key: key, size: Int64(state.objects[key]?.count ?? 0))
            }
        }
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
                begin(number, Waiter(prefix: prefix, continuation: continuation), timeout)
                // The cancellation may have come before the waiter was in its place.
                if Task.isCancelled { end(number) }
            }
        } onCancel: {
            end(number)
        }
        try Task.checkCancellation()
    }

    /// Every object, as a test wants to look at it or to damage it.
    package var objects: [ObjectKey: [UInt8]] {
        get { state.withLock { $0.objects } }
        set {
            state.withLock { state in
                state.objects = newValue
                state.keys = nil
            }
        }
    }

    /// Whether somebody waits for a change.
    package var isWaitedFor: Bool { state.withLock { !$0.waiters.isEmpty } }

    private func wake(_ key: ObjectKey) {
        let numbers = state.withLock { state in
            let told = state.waiters.filter { key.description.hasPrefix($0.value.prefix) }
            for prefix in state.news.keys where key.description.hasPrefix(prefix) {
                state.news[prefix] = !told.values.contains { $0.prefix == prefix }
            }
            return told.map(\.key)
        }
        for number in numbers { end(number) }
    }

    private func begin(_ number: Int, _ waiter: Waiter, _ timeout: Duration) {
        let hasNews = state.withLock { state in
            state.waiters[number] = waiter
            return state.news.updateValue(false, forKey: waiter.prefix) ?? false
        }
        if hasNews { return end(number) }
        let timer = Task { [sleep] in
            try? await sleep(timeout)
            self.end(number)
        }
        let isWaiting = state.withLock { state in
            state.waiters[number]?.timer = timer
            return state.waiters[number] != nil
        }
        if !isWaiting { timer.cancel() }
    }

    private func end(_ number: Int) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.timer?.cancel()
        waiter?.continuation.resume()
    }
}
