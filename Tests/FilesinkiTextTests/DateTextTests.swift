import FilesinkiModel
import FilesinkiText
import Glibc
import Testing

@Suite("Dates and times as text")
struct DateTextTests {
    @Test(
        "dates and times in UTC",
        arguments: [
            (0, "1970-01-01", "00:00:00"), (-1, "1969-12-31", "23:59:59"),
            (951_827_696, "2000-02-29", "12:34:56"), (253_402_300_800, "10000-01-01", "00:00:00"),
            (-62_167_219_201, "-0001-12-31", "23:59:59"),
            (-62_135_596_801, "0000-12-31", "23:59:59"),
        ] as [(Int64, String, String)])
    func utc(seconds: Int64, date: String, clock: String) {
        let time = CalendarTime(utc: seconds)
        #expect(time.date == date)
        #expect(time.clock == clock)
        #expect(DateText.seconds(rfc3339: "\(date)T\(clock)Z") == seconds)
    }

    @Test func `a fraction has the requested number of digits`() {
        let time = Timestamp(seconds: 951_827_696, nanoseconds: 120_456_789)
        #expect(DateText.rfc3339(time) == "2000-02-29T12:34:56Z")
        #expect(DateText.rfc3339(time, digits: 3) == "2000-02-29T12:34:56.120Z")
        #expect(DateText.rfc3339(time, digits: 9) == "2000-02-29T12:34:56.120456789Z")
        #expect(DateText.basic(time) == "20000229T123456Z")
    }

    @Test(
        "milliseconds are read in UTC, and fractions of them refused",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.5Z", 500),
            ("1970-01-01T00:00:00.001000Z", 1), ("1970-01-01T00:00:00.0001Z", nil),
            ("1970-01-01T00:00:00", nil), ("1970-01-01T00:00Z", nil), ("1970-01-01Z", nil),
            ("1970-01-01T01:00:00+01:00", nil), ("1970-01-01 00:00:00Z", nil),
            ("2023-02-29T00:00:00Z", nil), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
            ("2024-04-31T00:00:00Z", nil), ("1970-01-01T24:00:00Z", nil),
            ("1970-1-1T00:00:00Z", nil), ("+1970-01-01T00:00:00Z", nil), ("", nil),
            ("9999999999-01-01T00:00:00Z", nil),
        ] as [(String, Int64?)])
    func milliseconds(_ text: String, _ expected: Int64?) {
        #expect(DateText.milliseconds(text) == expected)
    }

    @Test(
        "a time reaches to the end of what it names: a day, a minute, a second, a digit",
        arguments: [
            ("1970-01-02Z", 86_400_000_000_000, 172_799_999_999_999),
            ("1970-01-01 00:01Z", 60_000_000_000, 119_999_999_999),
            ("1970-01-01 02:01+02:00", 60_000_000_000, 119_999_999_999),
            ("1970-01-01T00:00:07Z", 7_000_000_000, 7_999_999_999),
            ("@7", 7_000_000_000, 7_999_999_999), ("@-1", -1_000_000_000, -1),
            ("1970-01-01T00:00:07.5Z", 7_500_000_000, 7_599_999_999),
            ("1970-01-01T00:00:07.250Z", 7_250_000_000, 7_250_999_999),
            ("1970-01-01T00:00:07.123456789Z", 7_123_456_789, 7_123_456_789),
            ("1970-01-01T00:00:07.1234567890123Z", 7_123_456_789, 7_123_456_789),
            ("@\(Int64.max)", .max, .max), ("@\(Int64.min)", .min, .min),
        ] as [(String, Int64, Int64)])
    func interval(_ text: String, _ first: Int64, _ last: Int64) {
        let interval = DateText.interval(text)
        #expect(interval?.lowerBound.nanoseconds == first)
        #expect(interval?.upperBound.nanoseconds == last)
        #expect(DateText.timestamp(text) == interval?.lowerBound)
    }

    @Test func `a local day and hour are whole where the clocks change`() async {
        // Central Europe: 23 hours on 31 March 2024, 25 on 27 October, with 02:00 to 03:00 twice. The
        // zone is the whole process's.
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            tzset()
            let lengths: [(String, Int64)] = [
                ("2024-03-31", 82_800), ("2024-10-27", 90_000), ("2024-10-28", 86_400),
                ("2024-07-01 12:30", 60), ("2024-10-27 03:30", 60),
            ]
            for (text, length) in lengths {
                let interval = try #require(DateText.interval(text))
                #expect(interval.upperBound.seconds - interval.lowerBound.seconds + 1 == length)
            }
            let second = DateText.timestamp("2024-10-27T02:30:05+01:00")
            #expect(DateText.interval("2024-10-27 02:30:05")?.upperBound.seconds == second?.seconds)
        }
    }

    @Test(
        "HTTP dates",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun, 31 Feb 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Nov 1994 8:49 GMT", nil),
        ] as [(String, Int64?)])
    func http(_ text: String, _ expected: Int64?) {
        #expect(DateText.seconds(http: text) == expected)
    }
}
