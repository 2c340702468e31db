/// How much one client may use.
package struct RPCLimits: Sendable {
    /// The most bytes of a line.
    package var line = 16 << 20
    /// The most messages that wait to be answered; then no more are read.
    package var waitingMessages = 64
    /// The most bytes of them.
    package var waitingBytes = 16 << 20
    /// The most watches at once.
    package var watches = 64

    package init() {}
}

/// The messages of a client that wait to be answered, in their order.
actor RPCQueue {
    private let limits: RPCLimits
    private var messages: [(message: RPCMessage, size: Int)] = []
    private var size = 0
    /// The message that was taken last.
    private var current: RPCMessage?
    private var isFinished = false
    /// Waits for room.
    private var writer: CheckedContinuation<Void, Never>?
    /// Waits for a message.
    private var reader: CheckedContinuation<Void, Never>?

    init(_ limits: RPCLimits) { self.limits = limits }

    /// Adds a message, and waits until there is room for it. Called by one task.
    func add(_ message: RPCMessage, size added: Int) async {
        while !isFinished, isFull(adding: added) {
            await withCheckedContinuation { writer = $0 }
        }
        guard !isFinished else { return }
        messages.append((message, added))
        size += added
        Self.wake(&reader)
    }

    /// The next message; nil when there will be none. Called by one task.
    func next() async -> RPCMessage? {
        current = nil
        while messages.isEmpty {
            if isFinished { return nil }
            await withCheckedContinuation { reader = $0 }
        }
        let (message, removed) = messages.removeFirst()
        size -= removed
        Self.wake(&writer)
        current = message
        return message
    }

    /// Whether a request with this id waits, or is in the message that was taken last.
    func contains(_ id: [UInt8]) -> Bool {
        current?.ids.contains(id) == true || messages.contains { $0.message.ids.contains(id) }
    }

    /// Ends the queue; what waits is still answered.
    func finish() {
        isFinished = true
        Self.wake(&reader)
        Self.wake(&writer)
    }

    /// Ends the queue at once.
    func close() {
        messages = []
        finish()
    }

    private func isFull(adding added: Int) -> Bool {
        messages.count >= limits.waitingMessages
            || !messages.isEmpty && size + added > limits.waitingBytes
    }

    private static func wake(_ waiting: inout CheckedContinuation<Void, Never>?) {
        waiting?.resume()
        waiting = nil
    }
}

extension RPCMessage {
    /// The ids of its requests.
    var ids: [[UInt8]] {
        switch self {
        case .single(let call): [call.id].compactMap(\.self)
        case .batch(let calls): calls.compactMap(\.id)
        }
    }
}

extension RPCCall {
    /// The id to answer with; nil for none.
    var id: [UInt8]? {
        switch self {
        case .request(let request): request.id
        case .invalid(_, let id): id
        }
    }
}
