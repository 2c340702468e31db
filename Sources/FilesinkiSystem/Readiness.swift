import Dispatch
package import FilesinkiModel
import Glibc
import Synchronization

/// Waits until descriptors can be read or written: one thread in poll(2) for all that wait, so that any
/// number of idle streams occupies no thread of Swift's tasks.
///
/// It does not change a descriptor's mode, which other processes may share. The caller keeps the
/// descriptor open until the wait has ended.
package final class Readiness: Sendable {
    /// What can be done without waiting.
    package enum Event: Sendable {
        case readable, writable

        fileprivate var flags: Int16 { Int16(self == .readable ? POLLIN : POLLOUT) }
    }

    private let loop: ReadinessLoop

    /// - Throws: `Failure` with code `io` when no pipe can be created.
    package init() throws(Failure) {
        let loop = try ReadinessLoop()
        DispatchQueue(label: "filesinki.readiness").async { loop.run() }
        self.loop = loop
    }

    deinit { loop.end() }

    /// Waits until the descriptor is ready, closed at its other end, or invalid: the next call on it does
    /// not block.
    ///
    /// - Throws: `CancellationError`.
    package func wait(for event: Event, of descriptor: Int32) async throws {
        try Task.checkCancellation()
        // Mostly it is ready, and no other thread is needed.
        if Self.isReady(descriptor, event) { return }
        let number = loop.nextNumber()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                loop.add(number, descriptor, event, continuation)
                // The handler may have run before there was anything to end.
                if Task.isCancelled { loop.cancel(number) }
            }
        } onCancel: {
            loop.cancel(number)
        }
    }

    /// Reads what is there, `limit` bytes at most; waits until there is something. Empty at the end.
    package func read(from descriptor: Int32, limit: Int) async throws -> [UInt8] {
        while true {
            try await wait(for: .readable, of: descriptor)
            var failed: SystemError?
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
                let count = unlessInterrupted {
                    Glibc.read(descriptor, buffer.baseAddress, limit)
                }
                if count < 0 { failed = .last }
                filled = max(0, count)
            }
            guard let failed else { return bytes }
            // The descriptor may be non-blocking, and another process may have read from it.
            guard failed.number == EAGAIN else { throw failed }
        }
    }

    /// Writes all bytes to a socket or a pipe, and waits whenever its reader is slower.
    ///
    /// When it throws, a part of the bytes may be written.
    package func write(_ bytes: [UInt8], to descriptor: Int32) async throws {
        var done = 0
        while done < bytes.count {
            try await wait(for: .writable, of: descriptor)
            done += try bytes[done...].withUnsafeBytes { rest throws(SystemError) in
                try Self.writeWithoutWaiting(rest, to: descriptor)
            }
        }
    }

    /// - Returns: The number of bytes that were written; 0 if there is no room.
    private static func writeWithoutWaiting(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
    ) throws(SystemError) -> Int {
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        var count = unlessInterrupted {
            send(descriptor, bytes.baseAddress, bytes.count, flags)
        }
        if count < 0, errno == ENOTSOCK {
            // A pipe that is ready has room for so many bytes (pipe(7)), and takes them at once.
            let size = min(bytes.count, Int(PIPE_BUF))
            count = unlessInterrupted { Glibc.write(descriptor, bytes.baseAddress, size) }
        }
        if count >= 0 { return count }
        guard errno == EAGAIN else { throw .last }
        return 0
    }

    private static func isReady(_ descriptor: Int32, _ event: Event) -> Bool {
        var file = pollfd(fd: descriptor, events: event.flags, revents: 0)
        return unlessInterrupted { poll(&file, 1, 0) } > 0
    }
}

/// The thread of a ``Readiness``, and what waits for it.
private final class ReadinessLoop: Sendable {
    private struct Wait {
        var file: pollfd
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastNumber: UInt64 = 0
        var isEnded = false
    }

    private let state = Mutex(State())
    private let pipe: WakePipe

    init() throws(Failure) { pipe = try WakePipe() }

    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    func add(
        _ number: UInt64, _ descriptor: Int32, _ event: Readiness.Event,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let file = pollfd(fd: descriptor, events: event.flags, revents: 0)
        state.withLock { $0.waits[number] = Wait(file: file, continuation: continuation) }
        pipe.wake()
    }

    func cancel(_ number: UInt64) {
        remove(number)?.resume(throwing: CancellationError())
        pipe.wake()
    }

    func end() {
        state.withLock { $0.isEnded = true }
        pipe.wake()
    }

    func run() {
        while let waits = state.withLock({ $0.isEnded ? nil : $0.waits.mapValues(\.file) }) {
            let numbers = Array(waits.keys)
            var files = [pollfd(fd: pipe.file, events: Int16(POLLIN), revents: 0)]
            files += numbers.compactMap { waits[$0] }
            _ = unlessInterrupted { poll(&files, nfds_t(files.count), -1) }
            if files[0].revents != 0 { _ = pipe.drain() }
            for (number, file) in zip(numbers, files.dropFirst()) where file.revents != 0 {
                remove(number)?.resume()
            }
        }
    }

    /// The continuation of a wait, which is over; nil when it was resumed before.
    private func remove(_ number: UInt64) -> CheckedContinuation<Void, any Error>? {
        state.withLock { $0.waits.removeValue(forKey: number)?.continuation }
    }
}
