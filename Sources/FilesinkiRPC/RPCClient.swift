import FilesinkiText

/// One client, as the service sees it: what it is sent beside answers, and what can be ended.
package actor RPCClient {
    let output: RPCOutput
    let queue: RPCQueue
    private let limits: RPCLimits
    /// The request that is being answered.
    private var running: (id: [UInt8], end: @Sendable () -> Void)?
    /// Requests that wait and are to end as soon as they begin.
    private var cancelled: Set<[UInt8]> = []
    private var watches: [UInt64: Task<Void, Never>] = [:]
    private var lastWatch: UInt64 = 0

    init(_ stream: RPCStream, _ limits: RPCLimits) {
        output = RPCOutput(stream)
        queue = RPCQueue(limits)
        self.limits = limits
    }

    /// Sends a notification, and waits until the client has read what was sent before.
    package nonisolated func notify(_ method: String, _ parameters: [UInt8]) async throws {
        var message: JSONObject = ["jsonrpc": "2.0", "method": .string(method)]
        message.add("params", .written(parameters))
        try await output.send(message.bytes)
    }

    /// Starts work that goes on beside the client's calls until it ends, ``cancelWatch(_:)`` ends it, or
    /// the client is gone.
    ///
    /// - Parameter body: Receives the number of the watch.
    /// - Returns: The number.
    /// - Throws: ``RPCError`` if there are too many.
    package func startWatch(
        _ body: @escaping @Sendable (UInt64) async -> Void
    ) throws(RPCError) -> UInt64 {
        guard watches.count < limits.watches else {
            throw .invalidRequest("There are \(limits.watches) watches; end one with rpc.cancel.")
        }
        lastWatch += 1
        let number = lastWatch
        watches[number] = Task {
            await body(number)
            watches[number] = nil
        }
        return number
    }

    /// Ends a watch.
    ///
    /// - Returns: Whether there is one of this number.
    package func cancelWatch(_ number: UInt64) -> Bool {
        guard let watch = watches.removeValue(forKey: number) else { return false }
        watch.cancel()
        return true
    }

    /// Cancels a request, also one that waits.
    ///
    /// - Parameter id: The id as the client wrote it.
    /// - Returns: Whether there is one.
    func cancel(_ id: [UInt8]) async -> Bool {
        if let running, running.id == id {
            running.end()
            return true
        }
        guard await queue.contains(id) else { return false }
        cancelled.insert(id)
        return true
    }

    /// Forgets what was to be cancelled of a message that is answered.
    func finish(_ message: RPCMessage) { cancelled.subtract(message.ids) }

    /// Answers a request in a task of its own, which ``cancel(_:)`` reaches.
    func perform(
        _ request: RPCRequest, _ body: @escaping @Sendable () async -> RPCOutcome
    ) async -> RPCOutcome {
        let task = Task { await body() }
        if let id = request.id {
            running = (id, { task.cancel() })
            if cancelled.remove(id) != nil { task.cancel() }
        }
        defer { running = nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Ends everything at once.
    func close() async {
        for watch in watches.values { watch.cancel() }
        await output.close()
        await queue.close()
    }

    /// Waits for the end of all watches, which were told to end.
    func awaitWatches() async {
        for watch in Array(watches.values) {
            watch.cancel()
            await watch.value
        }
    }
}
