/// The request that is under way on a connection, and what goes wrong with it.
struct FaultRequest {
    /// What is left of bytes that met a fault.
    struct Outcome {
        var bytes: ArraySlice<UInt8>
        /// How the connection ends behind them; nil when it goes on.
        var ending: FaultProxy.Ending?
        var hasStruck = false
    }

    let ticket: FaultDesk.Ticket
    private let faults: [FaultProxy.Fault]
    private var passedUp = 0
    private var passedDown = 0
    /// Collects the reply that another one is made of; nil when it passes as it is.
    private var reader: HTTPFaultReplyReader?

    init(_ ticket: FaultDesk.Ticket, _ head: HTTPFaultHead, _ faults: [FaultProxy.Fault]) {
        self.ticket = ticket
        self.faults = faults
        for case .rewrite in faults { reader = HTTPFaultReplyReader(method: head.method) }
    }

    /// What is answered in the server's stead.
    var answer: FaultProxy.Answer? {
        for case .answer(let answer) in faults { return answer }
        return nil
    }

    /// Whether the reply is kept back until it is complete.
    var isRewriting: Bool { reader != nil }

    /// Takes bytes of the reply.
    ///
    /// - Parameter isOver: Whether the server has ended the connection.
    /// - Returns: What is made of the reply; nil while it is not complete.
    mutating func rewrite(adding bytes: ArraySlice<UInt8>, isOver: Bool) -> FaultProxy.Answer? {
        reader?.add(bytes)
        guard let reply = reader?.reply(isOver: isOver) else { return nil }
        reader = nil
        for case .rewrite(let change) in faults { return change(reply) }
        return nil
    }

    /// Does to bytes that pass what the faults say.
    mutating func damage(_ bytes: ArraySlice<UInt8>, _ way: FaultProxy.Way) -> Outcome {
        let begin = way == .up ? passedUp : passedDown
        let end = begin + bytes.count
        if way == .up { passedUp = end } else { passedDown = end }
        var outcome = Outcome(bytes: bytes)
        for fault in faults {
            switch fault {
            case .flip(way, let at) where (begin..<end).contains(at):
                outcome.bytes[bytes.startIndex + at - begin] ^= 1
                outcome.hasStruck = true
            case .cut(way, let after, let ending) where end >= after:
                outcome.bytes = outcome.bytes.prefix(max(0, after - begin))
                outcome.ending = ending
                outcome.hasStruck = true
            case .stall(way, let after) where end >= after:
                outcome.bytes = outcome.bytes.prefix(max(0, after - begin))
                outcome.hasStruck = true
            default: break
            }
        }
        return outcome
    }
}
