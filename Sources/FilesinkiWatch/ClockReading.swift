import CKernel
import FilesinkiSystem
import Glibc

/// The kernel's three clocks at one moment. Two readings show whether the machine was suspended or
/// its clock was set in between.
package struct ClockReading: Hashable, Sendable {
    /// Does not advance while the machine is suspended.
    package var monotonic: Duration
    /// Advances while the machine is suspended.
    package var sinceBoot: Duration
    /// The wall clock, which can be set.
    package var ofDay: Duration

    package init(monotonic: Duration, sinceBoot: Duration, ofDay: Duration) {
        self.monotonic = monotonic
        self.sinceBoot = sinceBoot
        self.ofDay = ofDay
    }

    /// The current clocks.
    package static var now: ClockReading {
        ClockReading(
            monotonic: read(CLOCK_MONOTONIC), sinceBoot: read(CLOCK_BOOTTIME),
            ofDay: read(CLOCK_REALTIME))
    }

    /// The monotonic clock, which all times in this module use.
    package static var moment: Duration { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// A jump of the clocks between two readings.
    package enum Jump: Hashable, Sendable {
        case slept
        case wasSet
    }

    /// More than the error of a slewed clock in the hours between two readings.
    private static let tolerance = Duration.seconds(2)

    /// - Returns: Nil when no clock jumped.
    package func jump(to later: ClockReading) -> Jump? {
        let passed = later.sinceBoot - sinceBoot
        if passed - (later.monotonic - monotonic) > Self.tolerance { return .slept }
        let drift = later.ofDay - ofDay - passed
        return drift > Self.tolerance || drift < .zero - Self.tolerance ? .wasSet : nil
    }
}

/// Signals a change of the wall clock or a suspension without polling, by a timerfd.
final class ClockAlarm: Sendable {
    private let timer: FileHandle?
    /// Readable after a change; -1 if not supported.
    let file: Int32

    init() {
        file = fsk_clock_change_file()
        timer = FileHandle(file)
        arm()
    }

    private func arm() { _ = fsk_wind_up(file) }

    /// Resets the alarm after it fired.
    func rearm() {
        var count: UInt64 = 0
        _ = read(file, &count, MemoryLayout<UInt64>.size)
        arm()
    }
}
