import Glibc
import Synchronization

/// A proxy on loopback between a client and a server, which counts what passes and breaks what a test
/// wants broken: at an exact byte of a chosen request or of its reply.
///
/// ```
/// let proxy = try FaultProxy(to: server.port)
/// proxy.begin(FaultProxy.at(3, .cut(.down, after: 4096, .reset)))
/// ```
package final class FaultProxy: Sendable {
    /// Which way bytes go.
    package enum Way: Hashable, Sendable {
        /// From the client to the server.
        case up
        /// From the server to the client.
        case down
    }

    /// How a connection ends.
    package enum Ending: Hashable, Sendable, CaseIterable {
        /// As one that was closed in order: FIN.
        case close
        /// As one whose other side died: RST.
        case reset
    }

    /// What a request's answer is made to be.
    package struct Answer: Sendable {
        package var bytes: [UInt8]
        /// How the connection ends behind them; nil when it stays open.
        package var ending: Ending?
        /// Whether the bytes are sent again and again, for as long as somebody takes them.
        package var isEndless: Bool

        package init(_ bytes: [UInt8], ending: Ending? = nil, isEndless: Bool = false) {
            self.bytes = bytes
            self.ending = ending
            self.isEndless = isEndless
        }
    }

    /// What goes wrong with one request. Bytes are counted from the first one of the request's head,
    /// or of its reply's.
    package enum Fault: Sendable {
        /// The connection ends, to both sides, when so many bytes have gone that way.
        case cut(Way, after: Int, Ending)
        /// Nothing more arrives that way, and the connection stays open.
        case stall(Way, after: Int)
        /// The lowest bit of the byte with this number, 0 or more, is another.
        case flip(Way, at: Int)
        /// The server never hears of the request, and this is the answer.
        case answer(Answer)
        /// The server does what it is asked, and this is made of its reply.
        case rewrite(@Sendable (HTTPFaultReply) -> Answer)
    }

    /// One request and its reply, as far as they have passed. What is not HTTP, such as TLS, counts as
    /// one request for each connection.
    package struct Exchange: Sendable {
        /// Its number among all since ``FaultProxy/begin(_:)``, from 1 on.
        package var number: Int
        /// Such as `GET`; empty for what is not HTTP.
        package var method: String
        /// The path and query.
        package var target: String
        /// The request's head.
        package var head: String
        /// The reply's status; nil when none came.
        package var status: Int?
        /// How many bytes the request has, so far as it was sent.
        package var bytesUp = 0
        /// How many bytes the reply had when it came from the server.
        package var bytesDown = 0
    }

    /// Says what goes wrong with a request.
    package typealias Plan = @Sendable (Exchange) -> [Fault]

    /// Where the client connects to on 127.0.0.1.
    package let port: Int
    private let listener: Int32
    private let desk: FaultDesk

    /// - Parameters:
    ///   - target: The server's port on 127.0.0.1.
    ///   - delay: How long every byte takes on its way, to either side. A new connection takes this
    ///     twice before its first byte, as its handshake does.
    /// - Throws: ``FixtureFailure`` when nothing listens.
    package init(
        to target: Int, delay: Duration = .zero, _ plan: @escaping Plan = { _ in [] }
    ) throws {
        (listener, port) = try Loopback.listen()
        desk = try FaultDesk(target: target, delay: delay, plan)
        OwnThread.start { [listener, desk] in Self.accept(listener, desk) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        desk.end()
    }

    /// `http://127.0.0.1:port`
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Counts from nothing again, and breaks by another plan.
    package func begin(_ plan: @escaping Plan = { _ in [] }) { desk.begin(plan) }

    /// The requests since then, in order.
    package var exchanges: [Exchange] { desk.exchanges }

    /// How many connections were made since then.
    package var connections: Int { desk.connections }

    /// Whether a fault has struck since then.
    package var hasStruck: Bool { desk.hasStruck }

    /// Faults for the request with this number only.
    package static func at(_ number: Int, _ faults: Fault...) -> Plan {
        { $0.number == number ? faults : [] }
    }

    /// Faults for the request with this number and all that follow.
    package static func from(_ number: Int, _ faults: Fault...) -> Plan {
        { $0.number >= number ? faults : [] }
    }

    private static func accept(_ listener: Int32, _ desk: FaultDesk) {
        defer { close(listener) }
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard client >= 0 else { return }
            desk.connected()
            OwnThread.start {
                FaultLink(client, desk)?.run()
            }
        }
    }
}
