import Glibc
import Synchronization

/// A server on loopback that replies to requests with bytes chosen by a test, including invalid ones.
package final class ScriptedServer: Sendable {
    /// The reply to one request.
    package enum Act: Sendable {
        /// Sends these bytes and keeps the connection open.
        case send([UInt8])
        /// Sends these bytes and closes the connection.
        case sendAndClose([UInt8])
        /// Resets the connection.
        case reset
        /// Sends nothing as long as the server lives.
        case silence
    }

    /// A received request.
    package struct Request: Sendable {
        /// The request line and the header fields, with CR LF line ends.
        package var head: String
        package var body: [UInt8]

        /// The value of a header field, by its name in lower case; nil when it is absent.
        package func field(_ name: String) -> String? {
            for line in head.split(separator: "\r\n").dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                if parts.count == 2, parts[0].lowercased() == name {
                    return String(parts[1].drop { $0 == " " })
                }
            }
            return nil
        }
    }

    private struct State {
        var script: [Act] = []
        var requests: [Request] = []
        var connections: [Int32] = []
        var isOver = false
    }

    private let listener: Int32
    /// The port on 127.0.0.1.
    package let port: Int
    private let state = Mutex(State())
    /// What each client is sent before it has asked for anything.
    fileprivate let greeting: [UInt8]

    /// - Parameters:
    ///   - script: An act for each request, in order. Afterwards, connections are reset.
    ///   - greeting: What each client is sent before it has asked for anything.
    /// - Throws: ``FixtureError`` when it cannot listen on a port.
    package init(_ script: [Act], greeting: [UInt8] = []) throws {
        self.greeting = greeting
        (listener, port) = try Loopback.listen()
        state.withLock { $0.script = script }
        start { $0.accept() }
    }

    deinit {
        state.withLock { state in
            state.isOver = true
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// `http://127.0.0.1:port`
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The received requests.
    package var requests: [Request] { state.withLock { $0.requests } }

    /// A complete reply with `Content-Length`.
    package static func reply(
        _ status: String, _ fields: [String] = [], _ body: [UInt8] = []
    ) -> [UInt8] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    /// Runs `body` on a new thread that does not retain the server.
    private func start(_ body: @escaping @Sendable (Worker) -> Void) {
        let worker = Worker(server: self, listener: listener)
        OwnThread.start { body(worker) }
    }

    fileprivate func next(_ request: Request) -> Act {
        state.withLock { state in
            state.requests.append(request)
            return state.script.isEmpty ? .reset : state.script.removeFirst()
        }
    }

    fileprivate func add(_ connection: Int32) -> Bool {
        state.withLock { state in
            if !state.isOver { state.connections.append(connection) }
            return !state.isOver
        }
    }

    fileprivate func remove(_ connection: Int32) {
        state.withLock { $0.connections.removeAll { $0 == connection } }
    }

    fileprivate func serve(_ connection: Int32) {
        start { $0.serve(connection) }
    }
}

/// The work of one thread of the server.
private final class Worker: Sendable {
    private weak let server: ScriptedServer?
    private let listener: Int32

    init(server: ScriptedServer, listener: Int32) {
        self.server = server
        self.listener = listener
    }

    func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { return }
            guard let server, server.add(connection) else {
                close(connection)
                return
            }
            server.serve(connection)
        }
    }

    func serve(_ connection: Int32) {
        defer {
            server?.remove(connection)
            close(connection)
        }
        var held: [UInt8] = []
        if let greeting = server?.greeting, !greeting.isEmpty { send(connection, greeting) }
        while let request = receive(connection, &held), let act = server?.next(request) {
            switch act {
            case .send(let bytes): send(connection, bytes)
            case .sendAndClose(let bytes):
                send(connection, bytes)
                return
            case .reset:
                Loopback.endWithReset(connection)
                return
            case .silence: _ = receive(connection, &held)
            }
        }
    }

    /// The next request; nil when the client closed the connection.
    private func receive(_ connection: Int32, _ held: inout [UInt8]) -> ScriptedServer.Request? {
        let end = Array("\r\n\r\n".utf8)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if let range = held.firstRange(of: end) {
                let head = String(decoding: held[..<range.lowerBound], as: UTF8.self)
                var request = ScriptedServer.Request(head: head, body: [])
                let length = request.field("content-length").flatMap { Int($0) } ?? 0
                if held.count >= range.upperBound + length {
                    request.body = Array(held[range.upperBound..<(range.upperBound + length)])
                    held.removeFirst(range.upperBound + length)
                    return request
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            held += buffer[..<count]
        }
    }

    private func send(_ connection: Int32, _ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    connection, buffer.baseAddress.map { $0 + sent }, buffer.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}
