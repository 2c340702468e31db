import FilesinkiModel
import Synchronization

/// A request and its reply on a ``StreamConnection``: what this end sends, and what it receives.
package final class StreamExchange: Sendable {
    /// What the other end sent.
    package enum Event: Sendable {
        case head(StreamHead)
        /// A piece of the body. After it was used, ``taken(_:)`` makes room for more.
        case body([UInt8])
        /// The body is complete.
        case end
    }

    package let number: UInt32
    /// What the other end sends, for one reader. It fails when the exchange is cut. Without ``Event/end`` the
    /// message is incomplete.
    package let events: AsyncThrowingStream<Event, any Error>

    private let continuation: AsyncThrowingStream<Event, any Error>.Continuation
    private let connection: StreamConnection
    private let window: StreamWindow
    private let state: Mutex<State>

    private struct State {
        var hasHead = false
        var isComplete = false
        /// Why it was cut; nil while it is not.
        var end: (any Error)?
        /// How many bytes of the body the other end may still send.
        var allowance: Int
        /// How many bytes were used, and not given back as credit yet.
        var taken = 0
        /// How many bytes the body may still have; nil where its head does not say.
        var rest: Int64?
        var whenCut: [@Sendable () -> Void] = []
    }

    /// How many bytes of a body the other end may send before this end has used some.
    private let room: Int
    /// Whether a body without a length is not allowed, as that of a request.
    private let needsLength: Bool

    /// - Parameters:
    ///   - sending: How many bytes of the body may be sent without credit.
    ///   - receiving: The same for what is received.
    init(
        _ number: UInt32, _ connection: StreamConnection, sending: Int, receiving: Int,
        needsLength: Bool
    ) {
        self.number = number
        self.connection = connection
        self.needsLength = needsLength
        room = receiving
        window = StreamWindow(sending)
        state = Mutex(State(allowance: receiving))
        (events, continuation) = AsyncThrowingStream.makeStream()
    }
}

// What this end sends.
extension StreamExchange {
    /// Sends the head of a reply. That of a request is sent when the exchange begins.
    ///
    /// - Throws: What ended the exchange or the connection; `CancellationError`.
    package func send(_ head: StreamHead) async throws {
        try await write(StreamFrame(.head, number, head.encoded))
    }

    /// Sends a piece of the body, as the other end has room for it.
    ///
    /// - Throws: As ``send(_:)`` does.
    package func send(body: ArraySlice<UInt8>) async throws {
        var rest = body
        while !rest.isEmpty {
            let count = try await window.take(upTo: min(rest.count, StreamFrame.maximumPayload))
            try await write(StreamFrame(.body, number, rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a whole reply at once. Its body must be small enough to need no credit.
    ///
    /// - Throws: As ``send(_:)`` does.
    package func sendWhole(_ head: StreamHead, body: [UInt8]) async throws {
        if let end = state.withLock({ $0.end }) { throw end }
        try await connection.write(Self.frames(number, head, body))
    }

    /// The bytes of a head, and of a whole body that follows it.
    static func frames(_ number: UInt32, _ head: StreamHead, _ body: [UInt8]?) -> [UInt8] {
        var bytes = StreamFrame(.head, number, head.encoded).encoded
        guard let body else { return bytes }
        for start in stride(from: 0, to: body.count, by: StreamFrame.maximumPayload) {
            let piece = body[start..<min(start + StreamFrame.maximumPayload, body.count)]
            bytes += StreamFrame(.body, number, piece).encoded
        }
        return bytes + StreamFrame(.end, number).encoded
    }

    /// Says that the body is complete.
    ///
    /// - Throws: As ``send(_:)`` does.
    package func sendEnd() async throws { try await write(StreamFrame(.end, number)) }

    private func write(_ frame: StreamFrame) async throws {
        if let end = state.withLock({ $0.end }) { throw end }
        try await connection.write(frame.encoded)
    }

    /// Ends the exchange at both ends: what is missing does not come any more.
    package func cut(_ reason: any Error) {
        if fail(reason) { connection.post(StreamFrame(.cut, number)) }
        connection.forget(self)
    }

    /// Frees what the connection holds for an exchange that is complete at this end.
    package func close() {
        window.end(StreamFailure.cut)
        connection.forget(self)
    }

    /// Ends the connection, with all its exchanges.
    package func closeConnection() { connection.close() }

    /// Calls `body` when the exchange is cut by the other end, or the connection ends; at once if it was.
    package func whenCut(_ body: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if state.end == nil { state.whenCut.append(body) }
            return state.end != nil
        }
        if isOver { body() }
    }
}

// What the other end sends.
extension StreamExchange {
    /// Says that a piece of the body was used, so that the other end may send more.
    package func taken(_ count: Int) {
        let credit = state.withLock { state in
            state.taken += count
            // In few frames, but long before the other end has to wait.
            guard state.taken * 4 >= room, !state.isComplete, state.end == nil else { return 0 }
            defer { state.taken = 0 }
            state.allowance += state.taken
            return state.taken
        }
        if credit > 0 { connection.post(.credit(UInt32(credit), number)) }
    }

    /// Takes a frame of the other end, on the thread that receives.
    ///
    /// - Throws: `Failure` with code `corrupt` for a frame that must not come now.
    func receive(_ frame: StreamFrame) throws(Failure) {
        switch frame.kind {
        case .head: try receive(head: StreamHead.decode(frame.payload))
        case .body: try receive(body: frame.payload)
        case .end:
            try state.withLock { state throws(Failure) in
                guard state.hasHead, !state.isComplete else { throw StreamFailure.malformed }
                state.isComplete = true
            }
            continuation.yield(.end)
            continuation.finish()
        case .credit:
            guard let count = frame.creditCount, window.add(count) else {
                throw StreamFailure.malformed
            }
        case .cut:
            _ = fail(StreamFailure.cut)
            connection.forget(self)
        }
    }

    private func receive(head: StreamHead) throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard !state.hasHead else { throw StreamFailure.malformed }
            state.hasHead = true
            state.rest = head["Content-Length"].flatMap { Int64($0) } ?? (needsLength ? 0 : nil)
        }
        continuation.yield(.head(head))
    }

    private func receive(body: [UInt8]) throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard state.hasHead, !state.isComplete, body.count <= state.allowance,
                state.rest.map({ body.count <= $0 }) ?? true
            else { throw StreamFailure.malformed }
            state.allowance -= body.count
            if let rest = state.rest { state.rest = rest - Int64(body.count) }
        }
        continuation.yield(.body(body))
    }

    /// Ends the exchange at this end.
    ///
    /// - Returns: False when it was ended before.
    func fail(_ reason: any Error) -> Bool {
        let calls: [@Sendable () -> Void]? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = reason
            defer { state.whenCut = [] }
            return state.whenCut
        }
        guard let calls else { return false }
        window.end(reason)
        continuation.finish(throwing: reason)
        for call in calls { call() }
        return true
    }
}
