import FilesinkiModel
import FilesinkiText
import Glibc
import Testing

@Suite("Times that are counted from now")
struct RelativeDateTests {
    static let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 500_000_000)

    @Test(
        "a number of units ago is a second",
        arguments: [
            ("1 minute ago", 1_699_999_940), ("90 minutes ago", 1_699_994_600),
            ("1 hour ago", 1_699_996_400), ("2 hours ago", 1_699_992_800),
            ("3 days ago", 1_699_740_800), ("2 weeks ago", 1_698_790_400),
            ("0 days ago", 1_700_000_000), ("now", 1_700_000_000),
            ("2 mins ago", 1_699_999_880), ("2min ago", 1_699_999_880),
            ("30 sec ago", 1_699_999_970), ("2h ago", 1_699_992_800), ("3d ago", 1_699_740_800),
            ("an hour ago", 1_699_996_400), ("A day ago", 1_699_913_600),
            ("one week ago", 1_699_395_200),
            ("2m ago", nil), ("a month ago", nil), ("an ago", nil), ("ago", nil), ("h ago", nil),
            ("2 h", nil), ("2 hours hours ago", nil), ("10:00", nil), ("now now", nil),
            ("1 year ago", nil), ("2 month ago", nil), ("-1 days ago", nil), ("1.5 days ago", nil),
            ("days ago", nil), ("2 days", nil), ("2 days before", nil), ("2 dayss ago", nil),
            ("9223372036854775807 days ago", nil), ("9223372036854775808 s ago", nil), ("", nil),
        ] as [(String, Int64?)])
    func ago(_ text: String, _ seconds: Int64?) {
        let interval = DateText.interval(text, now: Self.now)
        #expect(interval?.lowerBound.seconds == seconds)
        #expect(interval?.upperBound.seconds == seconds)
    }

    @Test func `a time before all others is refused, which only a clock before 1970 can reach`() {
        let now = Timestamp(seconds: -2, nanoseconds: 0)
        #expect(DateText.interval("1 s ago", now: now) == DateText.interval("@-3"))
        #expect(DateText.interval("9223372036854775807 s ago", now: now) == nil)
    }

    @Test func `a time of the calendar does not depend on now`() {
        for text in ["2024-05-01", "2024-05-01 11:30Z", "@7", "tomorrow"] {
            #expect(DateText.interval(text, now: Self.now) == DateText.interval(text))
        }
    }

    @Test func `yesterday is a whole local day, also where the clocks change`() async {
        // The zone is the whole process's.
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            tzset()
            let days = [
                ("2024-03-31 23:59", "2024-03-30"), ("2024-04-01 00:01", "2024-03-31"),
                ("2024-10-27 00:30", "2024-10-26"), ("2024-10-28 00:30", "2024-10-27"),
                ("2024-10-28 23:30", "2024-10-27"), ("2024-01-01 12:00", "2023-12-31"),
            ]
            for (now, day) in days {
                let time = try #require(DateText.timestamp(now))
                #expect(DateText.interval("yesterday", now: time) == DateText.interval(day))
                let clock = DateText.interval("Yesterday 10:00", now: time)
                #expect(clock == DateText.interval(day + " 10:00") && clock != nil)
                let (date, today) = (String(now.prefix(10)), DateText.interval("today", now: time))
                #expect(today == DateText.interval(date))
                let second = DateText.interval("today 10:00:07", now: time)
                #expect(second == DateText.interval(date + " 10:00:07") && second != nil)
                for text in ["yesterday 10", "today 25:00", "today 10:00+02:00", "today at 10:00"] {
                    #expect(DateText.interval(text, now: time) == nil)
                }
            }
        }
    }
}
