import FilesinkiModel
import FilesinkiProtocol
import Synchronization
import Testing

/// One end of a stream, with a test at the other.
@Suite struct StreamConnectionTests {
    /// What an end has written, and whether it was closed.
    private final class Wire: Sendable {
        private let written = Mutex<[UInt8]>([])
        private let closed = Atomic<Bool>(false)
        let pieces: AsyncStream<[UInt8]>
        private let continuation: AsyncStream<[UInt8]>.Continuation

        init() { (pieces, continuation) = AsyncStream.makeStream() }

        func connection(_ role: StreamConnection.Role) -> StreamConnection {
            StreamConnection(
                role,
                write: { [self] bytes in
                    written.withLock { $0 += bytes }
                    continuation.yield(bytes)
                }, close: { [self] in closed.store(true, ordering: .relaxed) })
        }

        var isClosed: Bool { closed.load(ordering: .relaxed) }

        var frames: [StreamFrame] {
            var reader = StreamFrameReader()
            reader.add(written.withLock { $0 })
            var frames: [StreamFrame] = []
            while let frame = try? reader.next() { frames.append(frame) }
            return frames
        }

        /// Waits until this has been written in all.
        func waitUntil(_ isEnough: ([StreamFrame]) -> Bool) async {
            if isEnough(frames) { return }
            for await _ in pieces where isEnough(frames) { return }
        }
    }

    private static let request = StreamFrame(.head, 1, StreamHead("PUT /a", length: 5).encoded)
    private static let short = StreamFrame(.head, 1, StreamHead("GET /a").encoded)

    /// What a client sends, and whether a server accepts it.
    static let incoming: [(String, [StreamFrame], isAccepted: Bool)] = [
        ("a request", [short, StreamFrame(.end, 1)], true),
        (
            "a body", [request, StreamFrame(.body, 1, [1, 2, 3]), StreamFrame(.body, 1, [4, 5])],
            true
        ),
        ("two requests", [short, StreamFrame(.head, 2, StreamHead("GET /b").encoded)], true),
        ("a cut", [request, StreamFrame(.cut, 1)], true),
        ("what follows a cut", [request, StreamFrame(.cut, 1), StreamFrame(.body, 1, [1])], true),
        ("credit", [short, .credit(1 << 20, 1)], true),
        ("a body first", [StreamFrame(.body, 1, [1])], false),
        ("an end first", [StreamFrame(.end, 1)], false),
        ("two heads", [short, short], false),
        ("a body without a length", [short, StreamFrame(.body, 1, [1])], false),
        ("more than the length", [request, StreamFrame(.body, 1, [1, 2, 3, 4, 5, 6])], false),
        (
            "a body after the end", [request, StreamFrame(.end, 1), StreamFrame(.body, 1, [1])],
            false
        ),
        ("two ends", [short, StreamFrame(.end, 1), StreamFrame(.end, 1)], false),
        ("too much credit", [short, .credit(.max, 1)], false),
        ("a head that is none", [StreamFrame(.head, 1, [0])], false),
        (
            "a negative length",
            [
                StreamFrame(.head, 1, StreamHead("PUT /a", length: -1).encoded),
                StreamFrame(.body, 1, [1]),
            ], false
        ),
    ]

    @Test("a server accepts what may come", arguments: incoming)
    func server(_ what: String, _ frames: [StreamFrame], _ isAccepted: Bool) throws {
        let connection = Wire().connection(.server)
        let bytes = frames.flatMap(\.encoded)
        if isAccepted {
            try connection.receive(bytes)
        } else {
            let failure = #expect(throws: Failure.self) { try connection.receive(bytes) }
            #expect(failure?.code == .corrupt)
        }
    }

    @Test func `a client accepts replies to its own requests only`() throws {
        let connection = Wire().connection(.client)
        let exchange = try connection.open(StreamHead("GET /a"))
        let reply = StreamHead("200").encoded
        try connection.receive(StreamFrame(.head, exchange.number, reply).encoded)
        #expect(throws: Failure.self) {
            try connection.receive(StreamFrame(.head, exchange.number + 1, reply).encoded)
        }
    }

    @Test func `an end that nobody reads receives no more than its room`() throws {
        let connection = Wire().connection(.server)
        let length = StreamConnection.requestRoom + 1
        try connection.receive(
            StreamFrame(.head, 1, StreamHead("PUT /a", length: length).encoded).encoded)
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        for _ in 0..<StreamConnection.requestRoom / piece.count {
            try connection.receive(StreamFrame(.body, 1, piece).encoded)
        }
        #expect(throws: Failure.self) { try connection.receive(StreamFrame(.body, 1, [0]).encoded) }
    }

    @Test func `a sender waits for credit`() async throws {
        let wire = Wire()
        let connection = wire.connection(.client)
        let room = StreamConnection.requestRoom
        let body = [UInt8](repeating: 7, count: room + 100)
        let exchange = try connection.open(StreamHead("PUT /a", length: body.count))
        let sending = Task {
            try await exchange.send(body: body[...])
            try await exchange.sendEnd()
        }
        await wire.waitUntil { Self.bodyLength($0) == room }
        #expect(!wire.frames.contains { $0.kind == .end })
        try connection.receive(StreamFrame.credit(60, exchange.number).encoded)
        await wire.waitUntil { Self.bodyLength($0) == room + 60 }
        #expect(!wire.frames.contains { $0.kind == .end })
        try connection.receive(StreamFrame.credit(60, exchange.number).encoded)
        try await sending.value
        #expect(Self.bodyLength(wire.frames) == body.count)
        #expect(wire.frames.last?.kind == .end)
    }

    @Test func `a sender without credit ends with the exchange, the connection and its task`()
        async throws
    {
        let body = [UInt8](repeating: 7, count: StreamConnection.requestRoom + 1)
        for way in 0..<3 {
            let wire = Wire()
            let connection = wire.connection(.client)
            let exchange = try connection.open(StreamHead("GET /a"))
            let sending = Task { try await exchange.send(body: body[...]) }
            await wire.waitUntil { Self.bodyLength($0) == body.count - 1 }
            switch way {
            case 0: try connection.receive(StreamFrame(.cut, exchange.number).encoded)
            case 1: connection.end(StreamFailure.cut)
            default: sending.cancel()
            }
            await #expect(throws: (any Error).self, "way \(way)") { try await sending.value }
        }
    }

    @Test func `what was used is given back as credit, not for each piece`() async throws {
        let wire = Wire()
        let connection = wire.connection(.client)
        let exchange = try connection.open(StreamHead("GET /a"))
        try connection.receive(
            StreamFrame(.head, exchange.number, StreamHead("200").encoded).encoded)
        let piece = [UInt8](repeating: 0, count: 64 << 10)
        var given = 0
        // Four times its room.
        for _ in 0..<StreamConnection.replyRoom / piece.count * 4 {
            try connection.receive(StreamFrame(.body, exchange.number, piece).encoded)
            exchange.taken(piece.count)
            given += piece.count
        }
        await wire.waitUntil { Self.credit($0) == given }
        #expect(wire.frames.filter { $0.kind == .credit }.count == 16)
    }

    @Test func `the end of a connection is the end of every exchange`() async throws {
        let connection = Wire().connection(.client)
        let exchanges = [
            try connection.open(StreamHead("GET /a")), try connection.open(StreamHead("GET /a")),
        ]
        let gone = Failure(.away, "Gone.", remedy: "")
        let told = Atomic<Int>(0)
        for exchange in exchanges { exchange.whenCut { told.add(1, ordering: .relaxed) } }
        connection.end(gone)
        connection.end(Failure(.io, "Later.", remedy: ""))
        for exchange in exchanges {
            let failure = await #expect(throws: Failure.self) {
                for try await _ in exchange.events {}
            }
            #expect(failure?.message == gone.message)
            exchange.whenCut { told.add(1, ordering: .relaxed) }
        }
        let count = told.load(ordering: .relaxed)
        #expect(count == 4)
        #expect(connection.isOver)
        let failure = #expect(throws: Failure.self) { try connection.open(StreamHead("GET /a")) }
        #expect(failure?.message == gone.message)
    }

    @Test func `exchanges begin in the order of their numbers, whoever opens them`() async throws {
        let wire = Wire()
        let connection = wire.connection(.client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for count in 0..<200 {
                group.addTask {
                    _ = try connection.open(
                        StreamHead("PUT /a", length: count),
                        whole: [UInt8](repeating: 1, count: count))
                }
            }
            try await group.waitForAll()
        }
        await wire.waitUntil { $0.filter { $0.kind == .end }.count == 200 }
        #expect(wire.frames.filter { $0.kind == .head }.map(\.exchange) == Array(1...200))
        // A whole message is in one piece.
        let server = Wire().connection(.server)
        try server.receive(wire.frames.flatMap(\.encoded))
    }

    @Test func `a write that fails closes the stream`() async throws {
        let closed = Atomic<Bool>(false)
        let connection = StreamConnection(
            .client, write: { _ in throw StreamFailure.cut },
            close: { closed.store(true, ordering: .relaxed) })
        await #expect(throws: Failure.self) {
            try await connection.open(StreamHead("GET /")).send(body: [1])
        }
        let isClosed = closed.load(ordering: .relaxed)
        #expect(isClosed)
    }

    private static func bodyLength(_ frames: [StreamFrame]) -> Int {
        frames.filter { $0.kind == .body }.reduce(0) { $0 + $1.payload.count }
    }

    private static func credit(_ frames: [StreamFrame]) -> Int {
        frames.compactMap(\.creditCount).reduce(0, +)
    }
}

extension StreamHead {
    /// The head of a request with a body.
    fileprivate init(_ first: String, length: Int) {
        self.init(first, [Field("Content-Length", String(length))])
    }
}
