import FilesinkiModel
import FilesinkiText
import Testing

@testable import FilesinkiCommands

@Suite("Times as text")
struct TimeTextTests {
    static let moments: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000000000Z"),
        (1_700_000_000_123_456_789, "2023-11-14T22:13:20.123456789Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
    ]

    @Test("a time in UTC with nanoseconds makes the round trip", arguments: moments)
    func utc(_ nanoseconds: Int64, _ text: String) {
        #expect(DateText.rfc3339(Timestamp(nanoseconds: nanoseconds), digits: 9) == text)
        #expect(DateText.timestamp(text)?.nanoseconds == nanoseconds)
    }

    static let texts: [(String, Int64?)] = [
        ("@12", 12), ("@-1", -1), ("2023-11-14T22:13:20Z", 1_700_000_000),
        ("2023-11-14 22:13:20Z", 1_700_000_000), ("2023-11-14T22:13Z", 1_699_999_980),
        ("2023-11-14Z", 1_699_920_000), ("2023-11-14x", nil), ("yesterday", nil), ("", nil),
        ("@", nil), ("2023-11-14T22:13:20.Z", nil), ("2023-11-14.5Z", nil), ("2023-13-14", nil),
    ]

    @Test("accepted forms of a time", arguments: texts)
    func parse(_ text: String, _ seconds: Int64?) {
        #expect(DateText.timestamp(text)?.seconds == seconds)
    }

    static let ages: [(Int64, String)] = [
        (0, "just now"), (1, "1 second ago"), (59, "59 seconds ago"), (60, "1 minute ago"),
        (7199, "1 hour ago"), (7200, "2 hours ago"), (3 * 86_400, "3 days ago"),
        (1_000_000_000, "11,574 days ago"),
    ]

    @Test("relative times use the largest unit", arguments: ages)
    func ago(_ seconds: Int64, _ text: String) {
        let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
        let then = Timestamp(seconds: now.seconds - seconds, nanoseconds: 0)
        #expect(TimeText.ago(then, now: now) == text)
    }

    @Test func `recent days have names, and a future time has no age`() {
        let now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
        func day(_ hours: Int64) -> String {
            TimeText.day(Timestamp(seconds: now.seconds + hours * 3600, nanoseconds: 0), now: now)
        }
        #expect(day(0).hasPrefix("today "))
        #expect(day(-24).hasPrefix("yesterday "))
        #expect(day(-72).hasPrefix("2023-11-1"))
        let later = Timestamp(seconds: now.seconds + 72 * 3600, nanoseconds: 0)
        #expect(TimeText.ago(later, now: now) == TimeText.day(later, now: now))
    }
}
