import FilesinkiWatch
import Testing

@Suite("Clocks")
struct ClockReadingTests {
    private func reading(_ monotonic: Int, _ boot: Int, _ day: Int) -> ClockReading {
        ClockReading(
            monotonic: .seconds(monotonic), sinceBoot: .seconds(boot), ofDay: .seconds(day))
    }

    @Test(
        "two readings tell whether the clock was set or the machine slept",
        arguments: [
            (100, 100, 100, nil),
            (100, 3700, 3700, ClockReading.Jump.slept),
            // Slept, and was set on waking: the first is enough to look at everything.
            (100, 3700, 9000, .slept),
            (100, 100, 103, .wasSet),
            (100, 100, -86_400, .wasSet),
            (100, 101, 99, nil),
        ])
    func jumps(_ monotonic: Int, _ boot: Int, _ day: Int, _ expected: ClockReading.Jump?) {
        let first = reading(1000, 2000, 1_700_000_000)
        let second = reading(1000 + monotonic, 2000 + boot, 1_700_000_000 + day)
        #expect(first.jump(to: second) == expected)
    }

    @Test("the real clocks advance together")
    func real() {
        let first = ClockReading.now
        #expect(first.jump(to: .now) == nil)
        #expect(first.monotonic > .zero)
        #expect(first.sinceBoot >= first.monotonic)
    }
}
