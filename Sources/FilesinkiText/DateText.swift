package import FilesinkiModel
internal import Glibc

/// Dates and times as text, and back: RFC 3339, the forms of HTTP and AWS, and what a person writes.
///
/// The calendar is the C library's, with years before 0 and after 9999.
package enum DateText {
    /// RFC 3339 in UTC: `2024-05-01T09:30:00.250Z`.
    ///
    /// - Parameter digits: The digits of the fraction of a second, 0 to 9. Smaller parts are cut off.
    package static func rfc3339(_ time: Timestamp, digits: Int = 0) -> String {
        let moment = CalendarTime(utc: time.seconds)
        let fraction = CalendarTime.padded(time.remainder, 9).prefix(digits)
        return "\(moment.date)T\(moment.clock)\(digits > 0 ? "." : "")\(fraction)Z"
    }

    /// RFC 3339 in UTC, to the millisecond: `2024-05-01T09:30:00.250Z`.
    ///
    /// - Parameter milliseconds: Since 1970-01-01 00:00 UTC.
    package static func text(_ milliseconds: Int64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let moment = CalendarTime(utc: rest < 0 ? whole - 1 : whole)
        let fraction = CalendarTime.padded(rest < 0 ? rest + 1_000 : rest, 3)
        return "\(moment.date)T\(moment.clock).\(fraction)Z"
    }

    /// Reads RFC 3339 in UTC; nil for other text, and for times that are not whole milliseconds.
    ///
    /// - Returns: Milliseconds since 1970-01-01 00:00 UTC.
    package static func milliseconds(_ text: String) -> Int64? {
        guard let time = readRFC3339(text), time.zone == .utc,
            time.fraction.nanoseconds.isMultiple(of: 1_000_000)
        else { return nil }
        let (whole, overflow) = time.seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, more) = whole.addingReportingOverflow(time.fraction.nanoseconds / 1_000_000)
        return overflow || more ? nil : sum
    }

    /// Reads RFC 3339, in UTC or with an offset such as `+02:00`, to the second; nil for other text.
    ///
    /// - Returns: Seconds since 1970-01-01 00:00 UTC. A fraction is cut off.
    package static func seconds(rfc3339 text: String) -> Int64? {
        readRFC3339(text)?.seconds
    }

    /// Reads what a person writes: `2024-05-01`, `2024-05-01 11:30`, `2024-05-01T11:30:00.5` in local
    /// time, the same with a `Z` in UTC or with an offset, or `@SECONDS`; nil for other text.
    ///
    /// - Returns: The beginning of what the text names.
    package static func timestamp(_ text: String) -> Timestamp? {
        interval(text)?.lowerBound
    }

    /// As `timestamp`, with all times that the text names: a day, a minute, a second, or the part of a
    /// second that its last digit stands for.
    ///
    /// A local day has 23 to 25 hours where the clocks change. A local time that occurs twice then ends
    /// with its second occurrence.
    ///
    /// - Returns: The first and the last nanosecond; nil for other text.
    package static func interval(_ text: String) -> ClosedRange<Timestamp>? {
        if text.hasPrefix("@") {
            guard let seconds = Int64(text.dropFirst()) else { return nil }
            return interval(seconds, seconds, Fraction.none)
        }
        guard let time = read(text), let last = time.parts.lastSecond(in: time.zone) else {
            return nil
        }
        return interval(time.seconds, last, time.fraction)
    }

    private static func interval(
        _ first: Int64, _ last: Int64, _ fraction: Fraction
    ) -> ClosedRange<Timestamp> {
        let lower = Timestamp(seconds: first, nanoseconds: fraction.nanoseconds)
        let end = fraction.nanoseconds + fraction.resolution - 1
        return lower...max(lower, Timestamp(seconds: last, nanoseconds: end))
    }

    /// The basic form of ISO 8601 in UTC, which AWS signs: `20130524T000000Z`.
    package static func basic(_ time: Timestamp) -> String {
        let moment = CalendarTime(utc: time.seconds)
        return moment.date.filter { $0 != "-" } + "T" + moment.clock.filter { $0 != ":" } + "Z"
    }

    /// Reads a date of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7). The obsolete forms
    /// are not read.
    ///
    /// - Returns: Seconds since 1970-01-01 00:00 UTC; nil for other text.
    package static func seconds(http text: String) -> Int64? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT",
            let day = Int32(words[1]), let month = months.firstIndex(of: String(words[2])),
            let year = Int32(words[3]), (1970...9999).contains(year),
            let clock = numbers(words[4], ":", widths: [2, 2, 2])
        else { return nil }
        let parts = Parts(date: [year, Int32(month) + 1, day], clock: clock)
        return parts.seconds(in: .utc)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}

/// A moment by the calendar, to the second, as the date and the clock of RFC 3339.
package struct CalendarTime: Sendable {
    /// `2024-05-01`; years before 0 have a sign, those after 9999 more digits.
    package let date: String
    /// `09:30:00`.
    package let clock: String

    /// - Parameter seconds: Since 1970-01-01 00:00 UTC.
    package init(utc seconds: Int64) {
        var (moment, parts) = (time_t(seconds), tm())
        gmtime_r(&moment, &parts)
        self.init(parts)
    }

    /// In local time.
    package init(local seconds: Int64) {
        var (moment, parts) = (time_t(seconds), tm())
        localtime_r(&moment, &parts)
        self.init(parts)
    }

    private init(_ parts: tm) {
        let day = [(Int64(parts.tm_year) + 1900, 4), (Int64(parts.tm_mon) + 1, 2)]
        date = (day + [(Int64(parts.tm_mday), 2)]).map(Self.padded).joined(separator: "-")
        let hour = [parts.tm_hour, parts.tm_min, parts.tm_sec]
        clock = hour.map { Self.padded(Int64($0), 2) }.joined(separator: ":")
    }

    /// A number with at least `width` digits.
    fileprivate static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}

// MARK: - Reading

extension DateText {
    private enum Zone: Equatable {
        case utc, local
        /// Seconds ahead of UTC.
        case offset(Int64)
    }

    private struct Reading {
        /// The first second that the text names.
        var seconds: Int64
        var fraction: Fraction
        var zone: Zone
        var parts: Parts
    }

    private static func readRFC3339(_ text: String) -> Reading? {
        guard text.utf8.contains(UInt8(ascii: "T")), let time = read(text), time.zone != .local,
            time.parts.clock.count == 3
        else { return nil }
        return time
    }

    /// Reads `DATE`, `DATE HH:MM` or `DATE HH:MM:SS.FRACTION`, with or without a zone.
    private static func read(_ text: String) -> Reading? {
        let isNegative = text.hasPrefix("-")
        let halves = text.dropFirst(isNegative ? 1 : 0).split(
            maxSplits: 1, omittingEmptySubsequences: false
        ) { $0 == "T" || $0 == " " }
        guard var last = halves.last, let zone = takeZone(from: &last, isDate: halves.count == 1),
            var date = numbers(halves.count == 1 ? last : halves[0], "-", widths: nil),
            date.count == 3
        else { return nil }
        if isNegative { date[0] = -date[0] }
        var fraction = Fraction.none
        var clock: [Int32] = []
        if halves.count == 2 {
            let parts = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard let read = parts.first.flatMap(readClock) else { return nil }
            clock = read
            if parts.count == 2 {
                guard clock.count == 3, let read = Fraction(parts[1]) else { return nil }
                fraction = read
            }
        }
        let parts = Parts(date: date, clock: clock)
        return parts.seconds(in: zone).map {
            Reading(seconds: $0, fraction: fraction, zone: zone, parts: parts)
        }
    }

    private static func readClock(_ text: Substring) -> [Int32]? {
        numbers(text, ":", widths: [2, 2, 2]) ?? numbers(text, ":", widths: [2, 2])
    }

    /// Takes `Z`, `+02:00` or `+0200` off the end; nil for an offset that is malformed.
    private static func takeZone(from text: inout Substring, isDate: Bool) -> Zone? {
        if text.hasSuffix("Z") {
            text = text.dropLast()
            return .utc
        }
        guard !isDate, let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) else {
            return .local
        }
        let digits = text[sign...].dropFirst().filter { $0 != ":" }
        guard digits.utf8.count == 4, let hours = number(digits.prefix(2)),
            let minutes = number(digits.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        let seconds = Int64(hours) * 3600 + Int64(minutes) * 60
        let isBehind = text[sign] == "-"
        text = text[..<sign]
        return .offset(isBehind ? -seconds : seconds)
    }

    /// The numbers between separators; without widths, those of a date: `Y…-MM-DD`.
    private static func numbers(
        _ text: Substring, _ separator: Character, widths: [Int]?
    ) -> [Int32]? {
        let fields = text.split(separator: separator, omittingEmptySubsequences: false)
        let found = fields.map(\.utf8.count)
        let year = found.first ?? 0
        guard found == widths ?? [max(4, min(year, 9)), 2, 2] else { return nil }
        let numbers = fields.compactMap(number)
        return numbers.count == fields.count ? numbers : nil
    }

    private static func number(_ digits: some StringProtocol) -> Int32? {
        digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int32(digits) : nil
    }

    /// The digits behind the point. More than nine are cut off.
    private struct Fraction {
        /// 0 to 999,999,999.
        let nanoseconds: Int64
        /// What the last digit stands for, in nanoseconds.
        let resolution: Int64

        /// That of a time without a fraction.
        static let none = Fraction(nanoseconds: 0, resolution: 1_000_000_000)

        private init(nanoseconds: Int64, resolution: Int64) {
            (self.nanoseconds, self.resolution) = (nanoseconds, resolution)
        }

        init?(_ digits: Substring) {
            guard !digits.isEmpty, digits.utf8.count <= 30,
                digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            let nine = digits.prefix(9)
            let zeros = String(repeating: "0", count: 9 - nine.utf8.count)
            guard let parts = Int64(nine + zeros), let unit = Int64("1" + zeros) else { return nil }
            self.init(nanoseconds: parts, resolution: unit)
        }
    }

    /// Year, month and day, and hour, minute and second where there are any.
    private struct Parts {
        var date: [Int32]
        var clock: [Int32]

        /// The first second, since 1970; nil for a day or a time that does not exist.
        func seconds(in zone: Zone) -> Int64? {
            fields.flatMap { Self.seconds($0, zone) }
        }

        /// The last second of the day, the minute or the second; nil for one that does not exist.
        func lastSecond(in zone: Zone) -> Int64? {
            guard var last = fields else { return nil }
            if clock.isEmpty { (last.tm_hour, last.tm_min) = (23, 59) }
            if clock.count < 3 { last.tm_sec = 59 }
            guard let seconds = Self.seconds(last, zone) else { return nil }
            guard zone == .local else { return seconds }
            // The clocks go back: the second occurrence.
            return max(
                seconds, [0, 1].compactMap { Self.occurrence(of: last, $0) }.max() ?? seconds)
        }

        /// A local time with or without summer time; nil if it does not occur so.
        private static func occurrence(of wanted: tm, _ isSummer: Int32) -> Int64? {
            var parts = wanted
            parts.tm_isdst = isSummer
            let seconds = mktime(&parts)
            let isFound =
                parts.tm_isdst == isSummer && parts.tm_hour == wanted.tm_hour
                && parts.tm_min == wanted.tm_min
            return isFound ? Int64(seconds) : nil
        }

        private var fields: tm? {
            guard date.count == 3, (1...12).contains(date[1]), (1...31).contains(date[2]) else {
                return nil
            }
            var parts = tm()
            parts.tm_year = date[0] - 1900
            parts.tm_mon = date[1] - 1
            parts.tm_mday = date[2]
            parts.tm_isdst = -1
            if clock.count >= 2 { (parts.tm_hour, parts.tm_min) = (clock[0], clock[1]) }
            if clock.count == 3 { parts.tm_sec = clock[2] }
            // 60 is a leap second.
            guard parts.tm_hour < 24, parts.tm_min < 60, parts.tm_sec <= 60 else { return nil }
            return parts
        }

        private static func seconds(_ wanted: tm, _ zone: Zone) -> Int64? {
            var (parts, day) = (wanted, wanted)
            // The C library makes 1 March of 30 February. The clock is left out: a leap second at
            // midnight belongs to the next day.
            (day.tm_hour, day.tm_min, day.tm_sec) = (12, 0, 0)
            _ = timegm(&day)
            guard day.tm_mday == wanted.tm_mday else { return nil }
            switch zone {
            case .utc: return Int64(timegm(&parts))
            case .local: return Int64(mktime(&parts))
            case .offset(let ahead): return Int64(timegm(&parts)) - ahead
            }
        }
    }
}
