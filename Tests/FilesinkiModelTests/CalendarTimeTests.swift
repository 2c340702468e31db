import FilesinkiModel
import Testing

@Suite("Moments by the calendar")
struct CalendarTimeTests {
    @Test(
        "days and clocks in UTC",
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
    }
}
