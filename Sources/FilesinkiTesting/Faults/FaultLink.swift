import Glibc

/// One connection through a ``FaultProxy``, served by one thread.
final class FaultLink {
    private let desk: FaultDesk
    private let client: Int32
    private let server: Int32
    private var up: FaultLane
    private var down: FaultLane
    private var requests = HTTPFaultFraming()
    private var request: FaultRequest?
    /// How the connection is to end, once what is under way has gone.
    private var ending: FaultProxy.Ending?
    /// Until when the sides may say what nobody hears any more, after the connection was cut.
    private var drainsUntil: Int64?
    private var isOver = false
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private let handshakeEnd: Int64

    /// How long a side that was told of the end is given to end too: 5 s.
    private static let drainTime: Int64 = 5_000_000_000

    /// Connects to the server; nil, and the client is reset, when it does not answer.
    init?(_ client: Int32, _ desk: FaultDesk) {
        guard let server = Loopback.connect(to: desk.target) else {
            Loopback.endWithReset(client)
            close(client)
            return nil
        }
        (self.client, self.server, self.desk) = (client, server, desk)
        up = FaultLane(from: client, to: server)
        down = FaultLane(from: server, to: client)
        handshakeEnd = Loopback.now + 2 * desk.delay
        for side in [client, server] { Loopback.prepare(side) }
    }

    /// Passes bytes on until the connection ends.
    func run() {
        while !isOver { turn() }
        close(client)
        close(server)
    }

    private func turn() {
        let now = Loopback.now
        var sides = [
            pollfd(fd: client, events: events(reading: up, writing: down, now), revents: 0),
            pollfd(fd: server, events: events(reading: down, writing: up, now), revents: 0),
            pollfd(fd: desk.over, events: Int16(POLLIN), revents: 0),
        ]
        // A side of which nothing is wanted would say again and again that it has ended.
        for index in 0..<2 where sides[index].events == 0 { sides[index].fd = -1 }
        guard poll(&sides, 3, patience(now)) >= 0 || errno == EINTR, sides[2].revents == 0 else {
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

    /// How long to wait for something to happen, in milliseconds; negative for as long as it takes.
    private func patience(_ now: Int64) -> Int32 {
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

    // MARK: What passes

    private func cameUp(_ bytes: ArraySlice<UInt8>) {
        requests.add(bytes)
        while ending == nil, let event = requests.next() {
            switch event {
            case .head(let head, let bytes):
                let (ticket, faults) = desk.arrived(head)
                request = FaultRequest(ticket, head, faults)
                pass(bytes[...], .up)
            case .body(let bytes): pass(bytes[...], .up)
            case .end:
                if let answer = request?.answer { send(answer) }
            }
        }
    }

    private func cameDown(_ bytes: ArraySlice<UInt8>) {
        guard let ticket = request?.ticket, request?.isRewriting == true else {
            return pass(bytes, .down)
        }
        desk.count(ticket, .down, bytes)
        if let answer = request?.rewrite(adding: bytes, isOver: false) { send(answer) }
    }

    private func pass(_ bytes: ArraySlice<UInt8>, _ way: FaultProxy.Way) {
        guard let ticket = request?.ticket else { return add(bytes, way) }
        desk.count(ticket, way, bytes)
        if way == .up, request?.answer != nil { return }
        guard let outcome = request?.damage(bytes, way) else { return }
        if outcome.hasStruck { desk.strike() }
        add(outcome.bytes, way)
        if let ending = outcome.ending { end(ending) }
    }

    private func send(_ answer: FaultProxy.Answer) {
        desk.strike()
        down.add(answer.bytes[...], due: due())
        if answer.isEndless { down.repeatForever(answer.bytes) }
        if let ending = answer.ending { end(ending) }
    }

    private func due() -> Int64 { max(Loopback.now, handshakeEnd) + desk.delay }

    private func add(_ bytes: ArraySlice<UInt8>, _ way: FaultProxy.Way) {
        if way == .up { up.add(bytes, due: due()) } else { down.add(bytes, due: due()) }
    }

    // MARK: The end

    private func end(_ ending: FaultProxy.Ending) {
        if self.ending == nil { self.ending = ending }
    }

    /// Sends what may go, and ends what is to end.
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
            // A reset takes with it what is still under way.
            guard isGone || Loopback.isDelivered(client) && Loopback.isDelivered(server) else {
                return
            }
            for side in [client, server] { Loopback.endWithReset(side) }
            isOver = true
        case .close:
            // Whoever closes with bytes unread sends a reset: they are read, and forgotten.
            up.endSink()
            down.endSink()
            drainsUntil = now + Self.drainTime
        }
    }
}
