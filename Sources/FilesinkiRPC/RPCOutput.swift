import FilesinkiSystem

/// Writes the messages for a client, each on a line of its own, in the order in which they are given.
///
/// Whoever sends waits until the client has read what was sent before: what waits for it in this
/// process is one message for each sender.
actor RPCOutput {
    private let stream: RPCStream
    /// Held by the sender whose line is being written, also while a part of it is still to come.
    private let line = TaskLock()
    private var writing: Task<Void, any Error>?
    /// Why nothing can be written any more: a part of a line may be out.
    private var failure: (any Error)?

    init(_ stream: RPCStream) { self.stream = stream }

    /// Sends one message.
    func send(_ message: [UInt8]) async throws {
        await line.lock()
        defer { line.unlock() }
        try await write(message + [UInt8(ascii: "\n")])
    }

    /// Sends the answers to a batch as one message, each as soon as it is there; nothing when there is
    /// none.
    func send(
        answersTo calls: [RPCCall], _ answer: @Sendable (RPCCall) async -> [UInt8]?
    ) async throws {
        await line.lock()
        defer { line.unlock() }
        var before = UInt8(ascii: "[")
        for call in calls {
            guard let answer = await answer(call) else { continue }
            try await write([before] + answer)
            before = UInt8(ascii: ",")
        }
        if before == UInt8(ascii: ",") { try await write(Array("]\n".utf8)) }
    }

    /// Ends the output at once, also in the middle of a line.
    func close() {
        failure = failure ?? CancellationError()
        writing?.cancel()
    }

    /// Writes a part of a line. Only ``close()`` interrupts it: a cancelled call must not cut a line off.
    private func write(_ bytes: [UInt8]) async throws {
        if let failure { throw failure }
        let stream = stream
        let writing = Task { try await stream.write(bytes) }
        self.writing = writing
        do { try await writing.value } catch {
            failure = failure ?? error
            throw error
        }
    }
}
