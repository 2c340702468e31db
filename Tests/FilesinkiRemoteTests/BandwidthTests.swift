import FilesinkiModel
import FilesinkiRemote
import FilesinkiTesting
import Synchronization
import Testing

@Suite struct BandwidthTests {
    let clock = ManualClock()

    func bandwidth(sending: Int64? = nil, receiving: Int64? = nil) -> Bandwidth {
        Bandwidth(sending: sending, receiving: receiving, systemContext: clock.systemContext)
    }

    var waited: Duration { clock.slept.reduce(.zero, +) }

    @Test func `bytes take their time, and the first do, too`() async throws {
        let limited = bandwidth(sending: 1000)
        for _ in 0..<10 { try await limited.send(500) }
        #expect(waited == .seconds(5))
    }

    @Test func `each direction has a rate of its own`() async throws {
        let limited = bandwidth(sending: 1000)
        try await limited.receive(1_000_000)
        #expect(waited == .zero)
        let other = bandwidth(receiving: 1000)
        try await other.send(1_000_000)
        #expect(waited == .zero)
        try await other.receive(2000)
        #expect(waited == .seconds(2))
    }

    @Test func `who comes while others wait waits for their bytes, too`() async throws {
        var context = clock.systemContext
        let pauses = Pauses()
        // A clock that stands still: all come at the same moment.
        context.sleep = { pauses.add($0) }
        let limited = Bandwidth(sending: 1000, receiving: nil, systemContext: context)
        for _ in 0..<3 { try await limited.send(1000) }
        #expect(pauses.all == [.seconds(1), .seconds(2), .seconds(3)])
    }

    @Test func `a pause that has passed is not waited for again`() async throws {
        let limited = bandwidth(sending: 1000)
        try await limited.send(1000)
        clock.advance(by: .seconds(100))
        try await limited.send(1000)
        #expect(clock.slept == [.seconds(1), .seconds(1)])
    }

    @Test func `nobody waits for a clock that was set back`() async throws {
        let limited = bandwidth(sending: 1000)
        try await limited.send(1000)
        clock.advance(by: .seconds(-86_400))
        try await limited.send(1000)
        #expect(waited <= .seconds(3))
    }

    @Test func `small requests are not held up one by one, but counted`() async throws {
        let limited = bandwidth(sending: 1_000_000)
        for _ in 0..<10 { try await limited.send(100) }
        #expect(clock.slept == [.milliseconds(1)])
    }

    @Test func `the time of a transfer is that of the slower direction`() {
        #expect(bandwidth(sending: 1000, receiving: 500).time(for: 1000) == .seconds(2))
        #expect(bandwidth().time(for: 1000) == .zero)
    }
}

private final class Pauses: Sendable {
    private let pauses = Mutex<[Duration]>([])

    var all: [Duration] { pauses.withLock { $0 } }

    func add(_ pause: Duration) { pauses.withLock { $0.append(pause) } }
}
