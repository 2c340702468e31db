package import FilesinkiModel
import FilesinkiText

/// How the contents of a store grew: what the commits of each day have added, and prunes have freed.
package struct StoreGrowth: Sendable {
    package struct Day: Hashable, Sendable {
        /// Since 1970-01-01 in UTC, by the clocks of the devices, which decide nothing.
        package var number: Int64
        package var commits = 0
        /// The sizes of the packs, and of the contents in commits.
        package var stored: Int64 = 0
        /// The sizes of the packs that prunes have taken out of use.
        package var freed: Int64 = 0
    }

    private var numbers: [Int64: Day] = [:]

    /// Counts a commit. Sizes of other devices may be invalid, and a sum of them wraps around.
    mutating func add(at time: Timestamp, stored: Int64, freed: Int64) {
        let number = Self.day(of: time)
        var day = numbers[number] ?? Day(number: number)
        day.commits += 1
        day.stored &+= stored
        day.freed &+= freed
        numbers[number] = day
    }

    /// The last days that have commits, the oldest first.
    ///
    /// - Parameter limit: The most days.
    package func days(limit: Int) -> [Day] {
        Array(numbers.values.sorted { $0.number < $1.number }.suffix(limit))
    }

    /// The day of a time, in days since 1970-01-01.
    package static func day(of time: Timestamp) -> Int64 { time.seconds.floored(by: 86_400) }

    /// A day as text, such as `2026-11-26`.
    package static func text(ofDay number: Int64) -> String {
        let begin = Timestamp(seconds: number * 86_400, nanoseconds: 0)
        return String(DateText.rfc3339(begin).prefix(10))
    }
}

extension Int64 {
    /// The quotient, rounded down.
    func floored(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self + 1) / divisor - 1
    }
}
