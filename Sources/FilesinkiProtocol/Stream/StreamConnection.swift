import Dispatch
package import FilesinkiModel
import Synchronization

/// One end of a byte stream on which requests and replies are exchanged, many at a time.
///
/// The stream is given as a function that writes, and ``receive(_:)`` for what was read. Writes happen on a
/// thread of their own, in order.
package final class StreamConnection: Sendable {
    package enum Role: Sendable {
        /// Sends requests.
        case client
        /// Replies to them.
        case server
    }

    /// The requests of the other end; none at a client. It ends with the connection.
    package let requests: AsyncStream<StreamExchange>

    private let role: Role
    private let incoming: AsyncStream<StreamExchange>.Continuation
    private let writing = DispatchQueue(label: "filesinki.stream.write")
    private let writeNow: @Sendable ([UInt8]) throws -> Void
    private let closeNow: @Sendable () -> Void
    private let reader = Mutex(StreamFrameReader())
    private let state = Mutex(State())

    private struct State {
        var exchanges: [UInt32: StreamExchange] = [:]
        /// The number of the newest exchange.
        var newest: UInt32 = 0
        var nextWrite = 0
        /// Those who wait for their bytes to be written.
        var writers: [Int: CheckedContinuation<Void, any Error>] = [:]
        /// Why the connection ended; nil while it has not.
        var end: (any Error)?
    }

    /// How many bytes of a request's body a client may send before the server has used some.
    package static let requestRoom = 512 << 10
    /// How many bytes of a reply's body a server may send before the client has used some.
    package static let replyRoom = 2 << 20
    /// The most exchanges at a time. A server refuses requests long before.
    private static let maximumExchanges = 4096

    /// - Parameters:
    ///   - write: Writes all bytes. May block, and is called on one thread.
    ///   - close: Ends the stream, so that the thread which reads notices.
    package init(
        _ role: Role, write: @escaping @Sendable ([UInt8]) throws -> Void,
        close: @escaping @Sendable () -> Void
    ) {
        self.role = role
        writeNow = write
        closeNow = close
        (requests, incoming) = AsyncStream.makeStream()
    }

    /// Whether the connection has ended.
    package var isOver: Bool { state.withLock { $0.end != nil } }

    /// Begins an exchange, and sends its head; for a client.
    ///
    /// - Parameters:
    ///   - head: As ``StreamHead/isValid`` demands.
    ///   - body: The whole body, to be sent with the head, small enough to need no credit; nil to send it
    ///     afterwards.
    /// - Throws: What ended the connection.
    package func open(
        _ head: StreamHead, whole body: [UInt8]? = nil
    ) throws -> StreamExchange {
        try state.withLock { state in
            if let end = state.end { throw end }
            guard state.newest < .max, state.exchanges.count < Self.maximumExchanges else {
                throw StreamFailure.cut
            }
            state.newest += 1
            let exchange = StreamExchange(
                state.newest, self, sending: Self.requestRoom, receiving: Self.replyRoom,
                needsLength: false)
            state.exchanges[state.newest] = exchange
            let frames = StreamExchange.frames(state.newest, head, body)
            // Under the lock, because the other end expects the numbers in their order.
            writing.async { [self] in writeOrClose(frames) }
            return exchange
        }
    }

    /// Takes bytes that were read from the stream, on the thread that reads.
    ///
    /// - Throws: `Failure` with code `corrupt` when they do not follow the protocol. The caller ends the
    ///   connection then.
    package func receive(_ bytes: some Sequence<UInt8>) throws(Failure) {
        reader.withLock { $0.add(bytes) }
        while let frame = try reader.withLock({ reader throws(Failure) in try reader.next() }) {
            try receive(frame)
        }
    }

    private func receive(_ frame: StreamFrame) throws(Failure) {
        let (known, newest) = state.withLock { ($0.exchanges[frame.exchange], $0.newest) }
        if let known { return try known.receive(frame) }
        // Of an exchange that this end has finished with.
        guard frame.exchange > newest else { return }
        guard role == .server, frame.kind == .head else { throw StreamFailure.malformed }
        let exchange = StreamExchange(
            frame.exchange, self, sending: Self.replyRoom, receiving: Self.requestRoom,
            needsLength: true)
        let isAdmitted = state.withLock { state in
            guard state.exchanges.count < Self.maximumExchanges else { return false }
            state.newest = frame.exchange
            state.exchanges[frame.exchange] = exchange
            return true
        }
        guard isAdmitted else { throw StreamFailure.malformed }
        try exchange.receive(frame)
        incoming.yield(exchange)
    }

    /// Ends the connection, for the first reason that is given: every exchange fails with it.
    package func end(_ reason: any Error) {
        let (exchanges, writers) = state.withLock { state in
            state.end = state.end ?? reason
            defer { (state.exchanges, state.writers) = ([:], [:]) }
            return (state.exchanges, state.writers)
        }
        for exchange in exchanges.values { _ = exchange.fail(reason) }
        // Whether the other end still reads what is being written does not matter any more.
        for writer in writers.values { writer.resume(throwing: reason) }
        incoming.finish()
    }

    /// Ends the stream itself.
    package func close() {
        closeNow()
        // A client's thread that reads notices, and knows why.
        if role == .server { end(StreamFailure.cut) }
    }

    /// Writes bytes, and waits until that is done.
    ///
    /// - Throws: What ended the connection; `CancellationError`, when the bytes may still be written.
    package func write(_ bytes: [UInt8]) async throws {
        let number = state.withLock { state in
            state.nextWrite += 1
            return state.nextWrite
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                write(bytes, as: number, continuation)
            }
        } onCancel: {
            finishWrite(number, .failure(CancellationError()))
        }
    }

    private func write(
        _ bytes: [UInt8], as number: Int, _ continuation: CheckedContinuation<Void, any Error>
    ) {
        let end: (any Error)? = state.withLock { state in
            if state.end == nil, !Task.isCancelled {
                // A cancellation that comes later finds it.
                state.writers[number] = continuation
                return nil
            }
            return state.end ?? CancellationError()
        }
        if let end { return continuation.resume(throwing: end) }
        writing.async { [self] in
            do {
                try writeNow(bytes)
                finishWrite(number, .success(()))
            } catch {
                // The thread that reads sees the end, and reports it.
                close()
                finishWrite(number, .failure(StreamFailure.cut))
            }
        }
    }

    private func finishWrite(_ number: Int, _ result: Result<Void, any Error>) {
        state.withLock { $0.writers.removeValue(forKey: number) }?.resume(with: result)
    }

    /// Writes a frame that nobody waits for.
    func post(_ frame: StreamFrame) {
        writing.async { [self] in writeOrClose(frame.encoded) }
    }

    /// The thread that reads sees the end of a stream that cannot be written, and reports it.
    private func writeOrClose(_ bytes: [UInt8]) {
        do { try writeNow(bytes) } catch { close() }
    }

    /// Frames of this exchange that still come are ignored.
    func forget(_ exchange: StreamExchange) {
        state.withLock { state in
            if state.exchanges[exchange.number] === exchange {
                state.exchanges[exchange.number] = nil
            }
        }
    }
}
