import Testing

@testable import FilesinkiMerge

@Suite("Calendars with unusual files around their events")
struct CalendarFileTests {
    private static let rows: [MergeCase] = [
        MergeCase(
            "an alarm removed here, edited there",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nBEGIN:VALARM\nTRIGGER:1\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nBEGIN:VALARM\nTRIGGER:2\nEND:VALARM\nEND:VEVENT\nEND:VCALENDAR\n",
            "declined: /VCALENDAR/a/VALARM"),
        MergeCase(
            "no common version: events of both", nil,
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "no common version: one event, which one has more of", nil,
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "an empty UID identifies nothing",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:2\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:2\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "two events with an empty UID are not the same one",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:\nB:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:2\nEND:VEVENT\nBEGIN:VEVENT\nUID:\nB:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:\nB:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:\nA:2\nEND:VEVENT\nBEGIN:VEVENT\nUID:\nB:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "an event removed here, its neighbour edited there",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:b\nS:2\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:b\nS:2\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "the name of the calendar here, an event there",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nX-WR-CALNAME:n\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nX-WR-CALNAME:m\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nX-WR-CALNAME:n\nBEGIN:VEVENT\nUID:a\nS:2\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nX-WR-CALNAME:m\nBEGIN:VEVENT\nUID:a\nS:2\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "the line that begins an event in other letters",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nbegin:vevent\nUID:a\nS:2\nT:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nT:2\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nbegin:vevent\nUID:a\nS:2\nT:2\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "the program that is greater",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:q\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:r\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:s\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:s\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "blank lines between events",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\n\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:2\nEND:VEVENT\n\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\n\nBEGIN:VEVENT\nUID:b\nS:2\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:2\nEND:VEVENT\n\nBEGIN:VEVENT\nUID:b\nS:2\nEND:VEVENT\nEND:VCALENDAR\n"
        ),
        MergeCase(
            "no line end at the end",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nT:1\nEND:VEVENT\nEND:VCALENDAR",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:2\nT:1\nEND:VEVENT\nEND:VCALENDAR",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nT:2\nEND:VEVENT\nEND:VCALENDAR",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:2\nT:2\nEND:VEVENT\nEND:VCALENDAR"
        ),
        MergeCase(
            "two calendars in a file, changed here and there",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nEND:VCALENDAR\nBEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:2\nEND:VEVENT\nEND:VCALENDAR\nBEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:b\nS:1\nEND:VEVENT\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nS:1\nEND:VEVENT\nEND:VCALENDAR\nBEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:b\nS:2\nEND:VEVENT\nEND:VCALENDAR\n",
            "declined: /VCALENDAR"),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = DocumentFormat.calendar.merge
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }
}
