import Glibc

/// One connection through a ``FaultProxy``, handled by one thread.
final class FaultLink {
    private let state: FaultProxyState
    private let client: Int32
    private let server: Int32
    private var up: FaultLane
    private var down: FaultLane
    private var requests = HTTPFaultFraming()
    private var request: FaultRequest?
    /// How the connection is to end after the pending bytes were sent.
    private var ending: FaultProxy.Ending?
    /// After the connection was cut, the time until which incoming bytes are discarded.
    private var drainsUntil: Int64?
    private var isOver = false
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private let handshakeEnd: Int64

    /// How long the peers may take to close the connection: 5 s.
    private static let drainTime: Int64 = 5_000_000_000

    /// Connects to the server. If that fails, resets the client and returns nil.
    init?(_ client: Int32, _ state: FaultProxyState) {
        guard let server = Loopback.connect(to: state.target) else {
            Loopback.endWithReset(client)
            close(client)
            return nil
        }
        (self.client, self.server, self.state) = (client, server, state)
        up = FaultLane(from: client, to: server)
        down = FaultLane(from: server, to: client)
        handshakeEnd = Loopback.now + 2 * state.delay
        for side in [client, server] { Loopback.prepare(side) }
    }

    /// Forwards bytes until the connection ends.
    func forward() {
        while !isOver { waitAndForward() }
        close(client)
        close(server)
    }

    private func waitAndForward() {
        let now = Loopback.now
        var sides = [
            pollfd(fd: client, events: events(reading: up, writing: down, now), revents: 0),
            pollfd(fd: server, events: events(reading: down, writing: up, now), revents: 0),
            pollfd(fd: state.over, events: Int16(POLLIN), revents: 0),
        ]
        // A closed side without wanted events would be reported by every poll.
        for index in 0..<2 where sides[index].events == 0 { sides[index].fd = -1 }
        guard poll(&sides, 3, pollTimeout(now)) >= 0 || errno == EINTR, sides[2].revents == 0 else {
            isOver = true
            return
        }
        if sides[0].revents & ~Int16(POLLOUT) != 0 { receive(.up) }
        if sides[1].revents & ~Int16(POLLOUT) != 0 { receive(.down) }
        advance(Loopback.now)
    }

    private func events(reading: FaultLane, writing: FaultLane, _ now: Int64) -> Int16 {
        let isDue = writing.nextDue.map { $0 <= now } ?? false
        return (reading.wantsMore ? Int16(POLLIN) : 0) | (isDue ? Int16(POLLOUT) : 0)
    }

    /// In milliseconds; negative for no timeout.
    private func pollTimeout(_ now: Int64) -> Int32 {
        if ending != nil, up.isEmpty, down.isEmpty { return 1 }
        let moments = [up.nextDue, down.nextDue, drainsUntil].compactMap { $0 }.filter { $0 > now }
        guard let next = moments.min() else { return -1 }
        return Int32(clamping: (next - now + 999_999) / 1_000_000)
    }

    private func receive(_ way: FaultProxy.Way) {
        let source = way == .up ? client : server
        let count = recv(source, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count < 0 {
            // One side was reset: so is the other.
            end(.reset)
        } else if count == 0 {
            sourceEnded(way)
        } else if drainsUntil == nil, ending == nil {
            let bytes = buffer[..<count]
            if way == .up { cameUp(bytes) } else { cameDown(bytes) }
        }
    }

    private func sourceEnded(_ way: FaultProxy.Way) {
        switch way {
        case .up: up.isSourceOver = true
        case .down:
            down.isSourceOver = true
            if let answer = request?.rewrite(adding: [], isOver: true) { send(answer) }
        }
    }

    // MARK: - Forwarding

    private func cameUp(_ bytes: ArraySlice<UInt8>) {
        requests.add(bytes)
        while ending == nil, let event = requests.next() {
            switch event {
            case .head(let head, let bytes):
                let (id, faults) = state.arrived(head)
                request = FaultRequest(id, head, faults)
                pass(bytes[...], .up)
            case .body(let bytes): pass(bytes[...], .up)
            case .end:
                if let answer = request?.answer { send(answer) }
            }
        }
    }

    private func cameDown(_ bytes: ArraySlice<UInt8>) {
        guard let id = request?.id, request?.isRewriting == true else {
            return pass(bytes, .down)
        }
        state.count(id, .down, bytes)
        if let answer = request?.rewrite(adding: bytes, isOver: false) { send(answer) }
    }

    private func pass(_ bytes: ArraySlice<UInt8>, _ way: FaultProxy.Way) {
        guard let id = request?.id else { return add(bytes, way) }
        state.count(id, way, bytes)
        if way == .up, request?.answer != nil { return }
        guard let outcome = request?.damage(bytes, way) else { return }
        if outcome.hasStruck { state.strike() }
        add(outcome.bytes, way)
        if let ending = outcome.ending { end(ending) }
    }

    private func send(_ answer: FaultProxy.Answer) {
        state.strike()
        down.add(answer.bytes[...], due: due())
        if answer.isEndless { down.repeatForever(answer.bytes) }
        if let ending = answer.ending { end(ending) }
    }

    private func due() -> Int64 { max(Loopback.now, handshakeEnd) + state.delay }

    private func add(_ bytes: ArraySlice<UInt8>, _ way: FaultProxy.Way) {
        if way == .up { up.add(bytes, due: due()) } else { down.add(bytes, due: due()) }
    }

    // MARK: - Ending

    private func end(_ ending: FaultProxy.Ending) {
        if self.ending == nil { self.ending = ending }
    }

    /// Sends what is due, and ends the connection if requested.
    private func advance(_ now: Int64) {
        let isGone = !up.flush(at: now) || !down.flush(at: now)
        if let ending { return conclude(ending, now, isGone: isGone) }
        if isGone { return end(.reset) }
        if up.isSinkOver, down.isSinkOver { isOver = true }
    }

    private func conclude(_ ending: FaultProxy.Ending, _ now: Int64, isGone: Bool) {
        if let drainsUntil {
            isOver = up.isSourceOver && down.isSourceOver || now >= drainsUntil
            return
        }
        let isDelivered = up.isEmpty && down.isEmpty
        guard isGone || isDelivered else { return }
        switch ending {
        case .reset:
            // A reset discards bytes that were not delivered yet.
            guard isGone || Loopback.isDelivered(client) && Loopback.isDelivered(server) else {
                return
            }
            for side in [client, server] { Loopback.endWithReset(side) }
            isOver = true
        case .close:
            // Closing with unread bytes would send a reset, so they are read and discarded.
            up.endSink()
            down.endSink()
            drainsUntil = now + Self.drainTime
        }
    }
}

/// One direction of a connection through a ``FaultProxy``: the bytes received from one side and not yet sent
/// to the other.
struct FaultLane {
    /// Bytes that may be sent from a time on.
    private struct Piece {
        var bytes: ArraySlice<UInt8>
        var due: Int64
    }

    let source: Int32
    let sink: Int32
    private var pieces: [Piece] = []
    private var waiting = 0
    /// Whether the source has closed its side.
    var isSourceOver = false
    /// Whether the sink's side was closed.
    private(set) var isSinkOver = false
    /// The bytes to repeat after the pieces were sent.
    private var repeated: ArraySlice<UInt8> = []

    /// The most pending bytes before the source is not read: 4 MiB, more than a delayed link needs.
    private static let maximum = 4 << 20

    init(from source: Int32, to sink: Int32) {
        self.source = source
        self.sink = sink
    }

    var isEmpty: Bool { pieces.isEmpty && repeated.isEmpty }
    var wantsMore: Bool { !isSourceOver && waiting < Self.maximum }
    /// When the next bytes may be sent; nil when there are none.
    var nextDue: Int64? { pieces.first?.due ?? (repeated.isEmpty ? nil : 0) }

    mutating func add(_ bytes: ArraySlice<UInt8>, due: Int64) {
        guard !bytes.isEmpty else { return }
        waiting += bytes.count
        pieces.append(Piece(bytes: bytes, due: due))
    }

    /// Repeats the end of the bytes as long as the sink reads them.
    mutating func repeatForever(_ bytes: [UInt8]) {
        repeated = Array(Array(repeating: bytes.suffix(4096), count: 16).joined())[...]
    }

    /// Sends what is due, as far as the sink accepts it.
    ///
    /// - Returns: False when the sink has closed the connection.
    mutating func flush(at now: Int64) -> Bool {
        while let piece = pieces.first, piece.due <= now {
            let count = piece.bytes.withUnsafeBytes { buffer in
                send(sink, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            waiting -= count
            if count == piece.bytes.count {
                pieces.removeFirst()
            } else {
                pieces[0].bytes = piece.bytes.dropFirst(count)
            }
            if pieces.isEmpty { add(repeated, due: 0) }
        }
        if isSourceOver, pieces.isEmpty { endSink() }
        return true
    }

    mutating func endSink() {
        guard !isSinkOver else { return }
        isSinkOver = true
        shutdown(sink, Int32(SHUT_WR))
    }
}

/// The current request of a connection, and its faults.
struct FaultRequest {
    /// The bytes after applying the faults.
    struct Outcome {
        var bytes: ArraySlice<UInt8>
        /// How the connection ends after them; nil when it stays open.
        var ending: FaultProxy.Ending?
        var hasStruck = false
    }

    let id: FaultProxyState.ExchangeID
    private let faults: [FaultProxy.Fault]
    private var passedUp = 0
    private var passedDown = 0
    /// Collects the reply to rewrite; nil when it is forwarded unchanged.
    private var reader: HTTPFaultReplyReader?

    init(_ id: FaultProxyState.ExchangeID, _ head: HTTPFaultHead, _ faults: [FaultProxy.Fault]) {
        self.id = id
        self.faults = faults
        for case .rewrite in faults { reader = HTTPFaultReplyReader(method: head.method) }
    }

    /// The reply in place of the server's.
    var answer: FaultProxy.Answer? {
        for case .answer(let answer) in faults { return answer }
        return nil
    }

    /// Whether the reply is held back until it is complete.
    var isRewriting: Bool { reader != nil }

    /// Adds bytes of the reply.
    ///
    /// - Parameter isOver: Whether the server has closed the connection.
    /// - Returns: The rewritten reply; nil while the reply is not complete.
    mutating func rewrite(adding bytes: ArraySlice<UInt8>, isOver: Bool) -> FaultProxy.Answer? {
        reader?.add(bytes)
        guard let reply = reader?.reply(isOver: isOver) else { return nil }
        reader = nil
        for case .rewrite(let change) in faults { return change(reply) }
        return nil
    }

    /// Applies the faults to forwarded bytes.
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
