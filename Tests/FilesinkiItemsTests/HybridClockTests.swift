import FilesinkiModel
import Testing

@testable import FilesinkiItems

/// Times that always advance, and that no wrong clock drags along.
@Suite struct HybridClockTests {
    private static let minute: Int64 = 60_000_000_000
    private static let now = Timestamp(nanoseconds: 100 * minute)

    @Test(
        "a time of another device moves the clock up to half of what is accepted",
        arguments: [
            (0, 0), (100 * minute, 100 * minute), (105 * minute, 105 * minute),
            (105 * minute + 1, 0), (110 * minute, 0), (Int64.max, 0), (-1, 0),
        ] as [(Int64, Int64)])
    func observed(_ time: Int64, _ last: Int64) {
        var clock = HybridClock()
        clock.observe(time, now: Self.now)
        #expect(clock.last == last)
    }

    @Test func `an earlier time does not move the clock back`() {
        var clock = HybridClock(last: 50)
        clock.observe(49, now: Self.now)
        #expect(clock.last == 50)
        clock.observe(51, now: Self.now)
        #expect(clock.last == 51)
    }

    @Test(
        "the next time is after the last one, and not before now",
        arguments: [
            (0, 100 * minute), (100 * minute - 1, 100 * minute),
            (100 * minute, 100 * minute + 1), (104 * minute, 104 * minute + 1),
            // A clock that was far ahead counts from the bound on.
            (105 * minute, 105 * minute + 1), (200 * minute, 105 * minute + 1),
            (Int64.max, 105 * minute + 1),
        ] as [(Int64, Int64)])
    func ticks(_ last: Int64, _ next: Int64) {
        var clock = HybridClock(last: last)
        #expect(clock.tick(Self.now) == next)
        #expect(clock.last == next)
    }

    @Test func `two times at the same moment differ, also when the clock is set back`() {
        var clock = HybridClock()
        let times = [0, 0, -1, -Self.minute, 0].map {
            clock.tick(Timestamp(nanoseconds: Self.now.nanoseconds + $0))
        }
        #expect(times == (0..<5).map { Self.now.nanoseconds + $0 })
    }

    @Test func `at the end of time nothing overflows`() {
        let end = Timestamp(nanoseconds: .max)
        #expect(HybridClock.horizon(end) == .max)
        #expect(HybridClock.horizon(Self.now) == 110 * Self.minute)
        var clock = HybridClock(last: .max)
        #expect(clock.tick(end) == .max)
    }
}
