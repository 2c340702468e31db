import Glibc
import Synchronization

/// A proxy on loopback between a client and a server that counts the traffic and injects faults at an exact
/// byte of a chosen request or of its reply.
///
/// ```
/// let proxy = try FaultProxy(to: server.port)
/// proxy.begin(FaultProxy.at(3, .cut(.down, after: 4096, .reset)))
/// ```
package final class FaultProxy: Sendable {
    /// A direction of the traffic.
    package enum Way: Hashable, Sendable {
        /// From the client to the server.
        case up
        /// From the server to the client.
        case down
    }

    /// How a connection ends.
    package enum Ending: Hashable, Sendable, CaseIterable {
        /// Closed normally: FIN.
        case close
        /// Aborted by the peer: RST.
        case reset
    }

    /// A reply in place of the server's.
    package struct Answer: Sendable {
        package var bytes: [UInt8]
        /// How the connection ends after the bytes; nil when it stays open.
        package var ending: Ending?
        /// Whether the bytes are repeated as long as the client reads them.
        package var isEndless: Bool

        package init(_ bytes: [UInt8], ending: Ending? = nil, isEndless: Bool = false) {
            self.bytes = bytes
            self.ending = ending
            self.isEndless = isEndless
        }
    }

    /// A fault of one request. Bytes are counted from the first one of the request, or of its reply.
    package enum Fault: Sendable {
        /// The connection to both sides ends after this many bytes in a direction.
        case cut(Way, after: Int, Ending)
        /// Nothing more is forwarded in a direction, and the connection stays open.
        case stall(Way, after: Int)
        /// The lowest bit of the byte with this index is inverted.
        case flip(Way, at: Int)
        /// The request is not forwarded, and this is the reply.
        case answer(Answer)
        /// The server does what it is asked, and this is made of its reply.
        case rewrite(@Sendable (HTTPFaultReply) -> Answer)
    }

    /// One request and its reply, as far as they have passed. What is not HTTP, such as TLS, counts as
    /// one request for each connection.
    package struct Exchange: Sendable {
        /// Its number since ``FaultProxy/begin(_:)``, from 1.
        package var number: Int
        /// Such as `GET`; empty if it is not HTTP.
        package var method: String
        /// The path and query.
        package var target: String
        /// The request's head.
        package var head: String
        /// The reply's status; nil without a reply.
        package var status: Int?
        /// The bytes of the request that the client has sent.
        package var bytesUp = 0
        /// The bytes of the reply that the server has sent.
        package var bytesDown = 0
    }

    /// Chooses the faults of a request.
    package typealias Plan = @Sendable (Exchange) -> [Fault]

    /// The port of the proxy on 127.0.0.1.
    package let port: Int
    private let listener: Int32
    private let state: FaultProxyState

    /// - Parameters:
    ///   - target: The server's port on 127.0.0.1.
    ///   - delay: The delay of every byte in each direction. On a new connection, the first byte is delayed by
    ///     twice as much, for the handshake.
    /// - Throws: ``FixtureError`` when it cannot listen.
    package init(
        to target: Int, delay: Duration = .zero, _ plan: @escaping Plan = { _ in [] }
    ) throws {
        (listener, port) = try Loopback.listen()
        state = try FaultProxyState(target: target, delay: delay, plan)
        OwnThread.start { [listener, state] in Self.accept(listener, state) }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        state.end()
    }

    /// `http://127.0.0.1:port`
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Resets all counts, and uses another plan from now on.
    package func begin(_ plan: @escaping Plan = { _ in [] }) { state.begin(plan) }

    /// The requests since ``begin(_:)``, in order.
    package var exchanges: [Exchange] { state.exchanges }

    /// The number of connections since ``begin(_:)``.
    package var connections: Int { state.connections }

    /// Whether a fault was injected since ``begin(_:)``.
    package var hasStruck: Bool { state.hasStruck }

    /// Faults for the request with this number only.
    package static func at(_ number: Int, _ faults: Fault...) -> Plan {
        { $0.number == number ? faults : [] }
    }

    /// Faults for the request with this number and all following ones.
    package static func from(_ number: Int, _ faults: Fault...) -> Plan {
        { $0.number >= number ? faults : [] }
    }

    private static func accept(_ listener: Int32, _ state: FaultProxyState) {
        defer { close(listener) }
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard client >= 0 else { return }
            state.connected()
            OwnThread.start {
                FaultLink(client, state)?.forward()
            }
        }
    }
}

/// The plan and the counts of a ``FaultProxy``, shared by its threads.
final class FaultProxyState: Sendable {
    private struct State {
        var plan: FaultProxy.Plan
        var exchanges: [FaultProxy.Exchange] = []
        var connections = 0
        var hasStruck = false
        /// The number of the ``FaultProxy/begin(_:)`` that the exchanges belong to.
        var period = 0
    }

    /// Identifies an exchange of a period.
    struct ExchangeID {
        fileprivate var period: Int
        fileprivate var index: Int
    }

    let target: Int
    /// In nanoseconds.
    let delay: Int64
    /// Becomes readable when the proxy ends.
    let over: Int32
    private let keeper: Int32
    private let state: Mutex<State>

    init(target: Int, delay: Duration, _ plan: @escaping FaultProxy.Plan) throws {
        self.target = target
        let (seconds, attoseconds) = delay.components
        self.delay = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FixtureError("pipe", "", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (over, keeper) = (ends[0], ends[1])
        state = Mutex(State(plan: plan))
    }

    deinit { close(over) }

    func end() { close(keeper) }

    func begin(_ plan: @escaping FaultProxy.Plan) {
        state.withLock { $0 = State(plan: plan, period: $0.period + 1) }
    }

    var exchanges: [FaultProxy.Exchange] { state.withLock { $0.exchanges } }
    var connections: Int { state.withLock { $0.connections } }
    var hasStruck: Bool { state.withLock { $0.hasStruck } }

    func connected() { state.withLock { $0.connections += 1 } }

    func strike() { state.withLock { $0.hasStruck = true } }

    /// Records a request whose head has arrived, and returns its faults.
    func arrived(_ head: HTTPFaultHead) -> (ExchangeID, [FaultProxy.Fault]) {
        let (id, exchange, plan) = state.withLock { state in
            let exchange = FaultProxy.Exchange(
                number: state.exchanges.count + 1, method: head.method, target: head.target,
                head: head.text)
            state.exchanges.append(exchange)
            let id = ExchangeID(period: state.period, index: state.exchanges.count - 1)
            return (id, exchange, state.plan)
        }
        return (id, plan(exchange))
    }

    /// Counts the bytes of a request or a reply.
    func count(_ id: ExchangeID, _ way: FaultProxy.Way, _ bytes: ArraySlice<UInt8>) {
        state.withLock { state in
            guard id.period == state.period else { return }
            switch way {
            case .up: state.exchanges[id.index].bytesUp += bytes.count
            case .down:
                if state.exchanges[id.index].bytesDown == 0 {
                    state.exchanges[id.index].status = Self.status(bytes)
                }
                state.exchanges[id.index].bytesDown += bytes.count
            }
        }
    }

    /// The status in the first bytes of a reply.
    private static func status(_ bytes: ArraySlice<UInt8>) -> Int? {
        let line = String(decoding: bytes.prefix(12), as: UTF8.self)
        return line.hasPrefix("HTTP/1.") ? Int(line.suffix(3)) : nil
    }
}
