import FilesinkiText

/// What came of a request: its result as JSON, or why there is none.
package typealias RPCOutcome = Result<[UInt8], RPCError>

/// Knows the methods, and carries them out.
package protocol RPCService: Sendable {
    /// Carries out a request. It ends early when its task is cancelled.
    func outcome(of request: RPCRequest, for client: RPCClient) async -> RPCOutcome
}

/// A connection to one client, in JSON-RPC 2.0 with a message on each line.
///
/// Requests are carried out one after the other and answered in their order; `rpc.cancel` alone goes
/// before the others. While the client does not read its answers, no more of its requests are carried
/// out, and soon none is read.
package struct RPCConnection<Service: RPCService>: Sendable {
    private let stream: RPCStream
    private let service: Service
    private let limits: RPCLimits

    package init(_ stream: RPCStream, _ service: Service, limits: RPCLimits = RPCLimits()) {
        self.stream = stream
        self.service = service
        self.limits = limits
    }

    /// Serves the client until its input ends and everything is answered, or it does not read any more
    /// because it is gone.
    ///
    /// - Throws: A ``FilesinkiSystem/SystemError`` for a connection that failed, and `CancellationError`.
    package func serve() async throws {
        let client = RPCClient(stream, limits)
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await read(from: client) }
                group.addTask { try await answer(client) }
                do { while try await group.next() != nil {} } catch {
                    group.cancelAll()
                    await client.close()
                    await client.awaitWatches()
                    throw error
                }
            }
        } onCancel: {
            Task { await client.close() }
        }
        await client.close()
        await client.awaitWatches()
    }

    /// Reads messages until the input ends.
    private func read(from client: RPCClient) async throws {
        var lines = RPCLines(limit: limits.line)
        while true {
            try Task.checkCancellation()
            let bytes = try await stream.read()
            var found = lines.add(bytes)
            if bytes.isEmpty, let last = lines.finish() { found.append(last) }
            for line in found { try await add(line, to: client) }
            if bytes.isEmpty { return await client.queue.finish() }
        }
    }

    private func add(_ line: RPCLines.Line, to client: RPCClient) async throws {
        guard case .text(let text) = line else {
            let error = RPCError.invalidRequest("The line has more than \(limits.line) bytes.")
            return await client.queue.add(.single(.invalid(error, id: nil)), size: 0)
        }
        guard text.contains(where: { !" \t\r".utf8.contains($0) }) else { return }
        let message = RPCMessage(text)
        if case .single(let call) = message, case .request(let request) = call,
            request.method == Self.cancelMethod
        {
            guard let answer = await self.answer(to: call, for: client) else { return }
            return try await client.output.send(answer)
        }
        await client.queue.add(message, size: text.count)
    }

    /// Answers messages until there are no more.
    private func answer(_ client: RPCClient) async throws {
        while let message = await client.queue.next() {
            switch message {
            case .single(let call):
                if let answer = await answer(to: call, for: client) {
                    try await client.output.send(answer)
                }
            case .batch(let calls):
                try await client.output.send(answersTo: calls) { call in
                    await answer(to: call, for: client)
                }
            }
            await client.finish(message)
        }
    }

    /// Carries out a call.
    ///
    /// - Returns: The answer; nil for a notification.
    private func answer(to call: RPCCall, for client: RPCClient) async -> [UInt8]? {
        switch call {
        case .invalid(let error, let id):
            return Self.answer(.failure(error), id: id ?? Array("null".utf8))
        case .request(let request):
            let service = service
            let outcome =
                request.method == Self.cancelMethod
                ? await Self.cancel(request.parameters, client)
                : await client.perform(request) {
                    await service.outcome(of: request, for: client)
                }
            return request.id.map { Self.answer(outcome, id: $0) }
        }
    }

    private static func answer(_ outcome: RPCOutcome, id: [UInt8]) -> [UInt8] {
        var answer: JSONObject = ["jsonrpc": "2.0", "id": .written(id)]
        switch outcome {
        case .success(let result): answer.add("result", .written(result))
        case .failure(let error): answer.add("error", .object(error.json))
        }
        return answer.bytes
    }
}

extension RPCConnection {
    /// The method that ends another call: it is not answered in its turn.
    private static var cancelMethod: String { "rpc.cancel" }

    private static func cancel(
        _ parameters: RPCParameters, _ client: RPCClient
    ) async -> RPCOutcome {
        do throws(RPCError) {
            let watch = try parameters.number("watch")
            let isFound: Bool
            switch (watch, parameters.written("id")) {
            case (let watch?, nil): isFound = await client.cancelWatch(watch)
            case (nil, let id?): isFound = await client.cancel(id)
            default: throw .invalidParameters("Give the id of a request, or the number of a watch.")
            }
            var result: JSONObject = ["type": "cancel"]
            result.add("cancelled", isFound)
            return .success(result.bytes)
        } catch {
            return .failure(error)
        }
    }
}
