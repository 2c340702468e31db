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
            ("0 days ago", 1_700_000_000),
            ("1 year ago", nil), ("2 month ago", nil), ("-1 days ago", nil), ("1.5 days ago", nil),
            ("days ago", nil), ("2 days", nil), ("2 days before", nil), ("2 dayss ago", nil),
            ("9223372036854775807 days ago", nil), ("9223372036854775807 s ago", nil), ("", nil),
        ] as [(String, Int64?)])
    func ago(_ text: String, _ seconds: Int64?) {
        let interval = DateText.interval(text, now: Self.now)
        #expect(interval?.lowerBound.seconds == seconds)
        #expect(interval?.upperBound.seconds == seconds)
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
            }
        }
    }
}
