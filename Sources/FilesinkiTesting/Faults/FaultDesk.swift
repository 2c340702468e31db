import Glibc
import Synchronization

/// What the threads of a ``FaultProxy`` share: the plan, and what was counted.
final class FaultDesk: Sendable {
    private struct State {
        var plan: FaultProxy.Plan
        var exchanges: [FaultProxy.Exchange] = []
        var connections = 0
        var hasStruck = false
        /// Which ``FaultProxy/begin(_:)`` the numbers belong to.
        var period = 0
    }

    /// Names a request for as long as its numbers count.
    struct Ticket {
        fileprivate var period: Int
        fileprivate var index: Int
    }

    let target: Int
    /// In nanoseconds.
    let delay: Int64
    /// Readable when the proxy is over.
    let over: Int32
    private let keeper: Int32
    private let state: Mutex<State>

    init(target: Int, delay: Duration, _ plan: @escaping FaultProxy.Plan) throws {
        self.target = target
        let (seconds, attoseconds) = delay.components
        self.delay = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FixtureFailure("pipe", "", errno) }
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

    /// Numbers a request whose head has arrived, and says what goes wrong with it.
    func arrived(_ head: HTTPFaultHead) -> (Ticket, [FaultProxy.Fault]) {
        let (ticket, exchange, plan) = state.withLock { state in
            let exchange = FaultProxy.Exchange(
                number: state.exchanges.count + 1, method: head.method, target: head.target,
                head: head.text)
            state.exchanges.append(exchange)
            let ticket = Ticket(period: state.period, index: state.exchanges.count - 1)
            return (ticket, exchange, state.plan)
        }
        return (ticket, plan(exchange))
    }

    /// Counts bytes of a request or a reply.
    func count(_ ticket: Ticket, _ way: FaultProxy.Way, _ bytes: ArraySlice<UInt8>) {
        state.withLock { state in
            guard ticket.period == state.period else { return }
            switch way {
            case .up: state.exchanges[ticket.index].bytesUp += bytes.count
            case .down:
                if state.exchanges[ticket.index].bytesDown == 0 {
                    state.exchanges[ticket.index].status = Self.status(bytes)
                }
                state.exchanges[ticket.index].bytesDown += bytes.count
            }
        }
    }

    /// The status of a reply that begins so.
    private static func status(_ bytes: ArraySlice<UInt8>) -> Int? {
        let line = String(decoding: bytes.prefix(12), as: UTF8.self)
        return line.hasPrefix("HTTP/1.") ? Int(line.suffix(3)) : nil
    }
}
