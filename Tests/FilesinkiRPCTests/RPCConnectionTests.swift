import FilesinkiRPC
import FilesinkiSystem
import Glibc
import Synchronization
import Testing

@Suite("A connection of JSON-RPC")
struct RPCConnectionTests {
    private func request(_ id: String, _ method: String, _ value: String? = nil) -> String {
        let parameters = value.map { #","params":{"value":\#($0)}"# } ?? ""
        return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"\#(parameters)}"#
    }

    @Test func `answers keep the order, the id and the value as they were written`() async throws {
        let found = try await answers(
            to: """
                \(request("1", "echo", #"{ "a" : [1.0, 1e400] }"#))

                \(request(#""\u0061""#, "echo", "\"\u{E9}\""))\r
                \(request("1.5", "fail"))
                {"jsonrpc":"2.0","method":"echo","id":null}
                """)
        #expect(
            found == [
                #"{"jsonrpc":"2.0","id":1,"result":{ "a" : [1.0, 1e400] }}"#,
                #"{"jsonrpc":"2.0","id":"\u0061","result":"é"}"#,
                #"{"jsonrpc":"2.0","id":1.5,"error":{"code":-32000,"message":"It failed.","data":[1]}}"#,
                #"{"jsonrpc":"2.0","id":null,"result":null}"#,
            ])
    }

    @Test func `notifications are carried out in their turn, and get no answer`() async throws {
        let service = EchoService()
        let found = try await answers(
            to: """
                {"jsonrpc":"2.0","method":"fail"}
                \(request("1", "echo"))
                {"jsonrpc":"2.0","method":"none"}
                """, service)
        #expect(found == [#"{"jsonrpc":"2.0","id":1,"result":null}"#])
        #expect(service.methods == ["fail", "echo", "none"])
    }

    @Test func `a batch is answered by one message, without its notifications`() async throws {
        let found = try await answers(
            to: """
                [\(request("1", "echo", "1")),{"jsonrpc":"2.0","method":"echo"},7,\(request("2", "fail"))]
                [{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","method":"echo"}]
                \(request("3", "echo"))
                """)
        try #require(found.count == 2, "\(found)")
        #expect(
            found[0].hasPrefix(#"[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":null,"#)
        )
        #expect(found[0].hasSuffix(#""data":[1]}}]"#))
        #expect(found[1] == #"{"jsonrpc":"2.0","id":3,"result":null}"#)
    }

    @Test func `a call is cancelled while it is carried out, and while it waits`() async throws {
        let found = try await answers(
            to: """
                \(request("1", "wait"))
                \(request("2", "wait"))
                {"jsonrpc":"2.0","id":"c1","method":"rpc.cancel","params":{"id":2}}
                {"jsonrpc":"2.0","id":"c2","method":"rpc.cancel","params":{"id":1}}
                {"jsonrpc":"2.0","id":"c3","method":"rpc.cancel","params":{"id":9}}
                {"jsonrpc":"2.0","id":"c4","method":"rpc.cancel"}
                """)
        let cancelled = #""error":{"code":-32000,"message":"Cancelled."}}"#
        #expect(found.count == 6)
        #expect(found.contains(#"{"jsonrpc":"2.0","id":1,"# + cancelled))
        #expect(found.contains(#"{"jsonrpc":"2.0","id":2,"# + cancelled))
        for (id, isFound) in [("c1", true), ("c2", true), ("c3", false)] {
            let result = #"{"type":"cancel","cancelled":\#(isFound)}"#
            #expect(found.contains(#"{"jsonrpc":"2.0","id":"\#(id)","result":\#(result)}"#))
        }
        #expect(
            found.contains { $0.hasPrefix(#"{"jsonrpc":"2.0","id":"c4","error":{"code":-32602"#) })
    }

    @Test func `of a client that does not read, only so many messages are read`() async throws {
        var limits = RPCLimits()
        limits.waitingMessages = 8
        let service = EchoService()
        let (reads, read) = AsyncStream<Void>.makeStream()
        let count = Mutex(0)
        let line = Array((request("1", "echo") + "\n").utf8)
        let stream = RPCStream(
            read: {
                count.withLock { $0 += 1 }
                read.yield()
                return line
            },
            write: { _ in try await Task.sleep(for: .seconds(600)) })
        let serving = Task { [limits] in
            try await RPCConnection(stream, service, limits: limits).serve()
        }
        // One is answered, eight wait, and one has no room.
        let expected = 10
        var seen = 0
        for await _ in reads {
            seen += 1
            if seen == expected { break }
        }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(count.withLock { $0 } == expected)
        #expect(service.methods.count == 1)
        serving.cancel()
        await #expect(throws: CancellationError.self) { try await serving.value }
    }

    @Test func `messages that are larger than the room for them are answered one by one`()
        async throws
    {
        var limits = RPCLimits()
        limits.waitingBytes = 500
        let text = request("1", "echo", "\"\(String(repeating: "x", count: 1_000))\"")
        let found = try await answers(
            to: Array(repeating: text, count: 20).joined(separator: "\n"), limits: limits)
        #expect(found.count == 20)
    }

    @Test func `watches are numbered, limited, and end with their client`() async throws {
        var limits = RPCLimits()
        limits.watches = 2
        let calls = (1...3).map { request(String($0), "watch") }.joined(separator: "\n")
        let found = try await answers(
            to: calls + "\n" + #"{"jsonrpc":"2.0","id":4,"method":"echo"}"#, limits: limits)
        #expect(found.contains(#"{"jsonrpc":"2.0","id":1,"result":1}"#))
        #expect(found.contains(#"{"jsonrpc":"2.0","id":2,"result":2}"#))
        #expect(found.contains { $0.hasPrefix(#"{"jsonrpc":"2.0","id":3,"error""#) })
    }
}

@Suite("A connection over pipes")
struct RPCPipeTests {
    @Test func `a slow reader gets everything, and holds nobody else up`() async throws {
        let readiness = try Readiness()
        let requests = try Pipe()
        let results = try Pipe()
        let service = EchoService()
        let stream = RPCStream(
            input: requests.reading.raw, output: results.writing.raw, readiness)
        let serving = Task { try await RPCConnection(stream, service).serve() }
        let calls = 200
        let line = #"{"jsonrpc":"2.0","id":1,"method":"large"}"# + "\n"
        let text = Array(String(repeating: line, count: calls).utf8)
        let writer = requests.writing.raw
        let writing = Task { try await readiness.write(text, to: writer) }
        // This one is served while the answers of the first do not fit into its pipe.
        #expect(try await answers(to: line, service).count == 1)
        var received = 0
        while received < calls {
            let bytes = try await readiness.read(from: results.reading.raw, limit: 64 << 10)
            received += bytes.count { $0 == UInt8(ascii: "\n") }
        }
        try await writing.value
        #expect(received == calls)
        serving.cancel()
        _ = try? await serving.value
    }

    @Test func `a client that is gone ends the connection`() async throws {
        let readiness = try Readiness()
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let line = #"{"jsonrpc":"2.0","id":1,"method":"large"}"# + "\n"
        try await readiness.write(Array(String(repeating: line, count: 500).utf8), to: ends[1])
        close(ends[1])
        let stream = RPCStream(input: ends[0], output: ends[0], readiness)
        await #expect(throws: SystemError(EPIPE)) {
            try await RPCConnection(stream, EchoService()).serve()
        }
    }

    @Test func `a wait for a descriptor ends when its task is cancelled`() async throws {
        let readiness = try Readiness()
        let pipe = try Pipe()
        let descriptor = pipe.reading.raw
        let waiting = Task { try await readiness.wait(for: .readable, of: descriptor) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        // The next one is not confused by it.
        try pipe.writing.write([7])
        #expect(try await readiness.read(from: descriptor, limit: 10) == [7])
    }
}
