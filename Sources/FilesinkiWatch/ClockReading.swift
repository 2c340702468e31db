import CKernel
import FilesinkiSystem
import Glibc

/// The kernel's three clocks at one moment, to tell by two readings whether the machine slept or its
/// clock was set in between.
package struct ClockReading: Hashable, Sendable {
    /// Stands still while the machine is suspended.
    package var monotonic: Duration
    /// Goes on while it is.
    package var sinceBoot: Duration
    /// The time of day, which can be set.
    package var ofDay: Duration

    package init(monotonic: Duration, sinceBoot: Duration, ofDay: Duration) {
        self.monotonic = monotonic
        self.sinceBoot = sinceBoot
        self.ofDay = ofDay
    }

    /// The clocks now.
    package static var now: ClockReading {
        ClockReading(
            monotonic: read(CLOCK_MONOTONIC), sinceBoot: read(CLOCK_BOOTTIME),
            ofDay: read(CLOCK_REALTIME))
    }

    /// What the monotonic clock says, which is what everything here is timed by.
    package static var moment: Duration { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// What happened between two readings beside the passing of time.
    package enum Jump: Hashable, Sendable {
        case slept
        case wasSet
    }

    /// A clock that is slewed goes wrong by less in the hours between two readings.
    private static let tolerance = Duration.seconds(2)

    /// - Returns: Nil when only time has passed.
    package func jump(to later: ClockReading) -> Jump? {
        let passed = later.sinceBoot - sinceBoot
        if passed - (later.monotonic - monotonic) > Self.tolerance { return .slept }
        let drift = later.ofDay - ofDay - passed
        return drift > Self.tolerance || drift < .zero - Self.tolerance ? .wasSet : nil
    }
}

/// Hears at once that the wall clock was set or the machine was suspended, without looking now and
/// then.
final class ClockAlarm: Sendable {
    private let timer: FileHandle?
    /// Becomes readable; -1 where the kernel has no such thing.
    let file: Int32

    init() {
        file = fsk_clock_change_file()
        timer = FileHandle(file)
        arm()
    }

    private func arm() { _ = fsk_wind_up(file) }

    /// Makes ready for the next time.
    func rearm() {
        var count: UInt64 = 0
        _ = read(file, &count, MemoryLayout<UInt64>.size)
        arm()
    }
}
