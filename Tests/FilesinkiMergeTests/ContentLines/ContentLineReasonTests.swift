import Testing

@testable import FilesinkiMerge

/// What messages say where calendars and address books are not merged, in full.
@Suite("Reasons of the merges of calendars and address books")
struct ContentLineReasonTests {
    private static func calendar(_ lines: [String]) -> String {
        (["BEGIN:VCALENDAR"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
    }

    private static func event(_ lines: String...) -> [String] {
        ["BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT"]
    }

    private static func card(_ lines: String...) -> String {
        (["BEGIN:VCARD"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
    }

    private static func entry(
        _ name: String, _ base: [String], _ ours: [String], _ theirs: [String], _ reason: String
    ) -> MergeCase {
        MergeCase(name, calendar(base), calendar(ours), calendar(theirs), reason)
    }

    private func check(_ format: DocumentFormat, _ row: MergeCase) {
        for input in [row.input, row.input.swapped] {
            guard case .declined(let conflicts) = format.merge.merge(input) else {
                Issue.record("It was merged.")
                continue
            }
            #expect(conflicts.map(\.description).joined(separator: "\n") == row.merged)
        }
    }

    @Test("calendars", arguments: calendars)
    func calendarReason(_ row: MergeCase) { check(.calendar, row) }

    private static let calendars = [
        entry(
            "one property", event("SUMMARY:a"), event("SUMMARY:b"), event("SUMMARY:c"),
            "/VCALENDAR/1/SUMMARY: Both sides changed it, to different values."),
        entry(
            "both add a property", event(), event("SUMMARY:b"), event("SUMMARY:c"),
            "/VCALENDAR/1/SUMMARY: Both sides added different values."),
        entry(
            "times", event("DTSTART:20260101T090000", "DTEND:20260101T100000"),
            event("DTSTART:20260101T080000", "DTEND:20260101T100000"),
            event("DTSTART:20260101T090000", "DTEND:20260101T110000"),
            "/VCALENDAR/1/DTSTART: Both sides changed properties that belong together."),
        entry(
            "a state and its percentage", event("STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:0"),
            event("STATUS:COMPLETED", "PERCENT-COMPLETE:0"),
            event("STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:50"),
            "/VCALENDAR/1/STATUS: Both sides changed properties that belong together."),
        entry(
            "the time, and an excluded occurrence", event("DTSTART:20260101", "RRULE:FREQ=DAILY"),
            event("DTSTART:20260102", "RRULE:FREQ=DAILY"),
            event("DTSTART:20260101", "RRULE:FREQ=DAILY", "EXDATE:20260103"),
            "/VCALENDAR/1/DTSTART: One side changed the time, and the other single occurrences."),
        entry(
            "the series, and an exception of it", event("DTSTART:20260101", "RRULE:FREQ=DAILY"),
            event("DTSTART:20260102", "RRULE:FREQ=DAILY"),
            event("DTSTART:20260101", "RRULE:FREQ=DAILY")
                + event("RECURRENCE-ID:20260103", "DTSTART:20260103", "SUMMARY:x"),
            "/VCALENDAR/1: One side changed the series, and the other single occurrences."),
        entry(
            "a value of a set that both replaced", event("CATEGORIES:a,b", "CATEGORIES:a,c"),
            event("CATEGORIES:a,b", "CATEGORIES:a,d"), event("CATEGORIES:a,b", "CATEGORIES:a,e"),
            "/VCALENDAR/1/CATEGORIES: Both sides replaced a value."),
        entry(
            "a property that a side has twice", event("SUMMARY:a", "X-A:1", "X-A:1"),
            event("SUMMARY:a", "X-A;P=2:1", "X-A:1"), event("SUMMARY:a", "X-A;P=3:1", "X-A:1"),
            "/VCALENDAR/1/X-A: Both sides changed X-A, which occurs more than once."),
        entry(
            "versions of the format", ["VERSION:2.0"] + event("SUMMARY:a"),
            ["VERSION:1.0"] + event("SUMMARY:a"), ["VERSION:2.0"] + event("SUMMARY:b"),
            "/VCALENDAR/VERSION: The two sides have different versions of the format."),
        entry(
            "components without an identity", ["BEGIN:VTODO", "SUMMARY:a", "END:VTODO"],
            ["BEGIN:VTODO", "SUMMARY:b", "END:VTODO"], ["BEGIN:VTODO", "SUMMARY:c", "END:VTODO"],
            "/VCALENDAR/VTODO: Both sides changed components without a UID."),
        entry(
            "a time zone that both changed", zone("Z", "+0100") + event(),
            zone("Z", "+0200") + event(),
            zone("Z", "+0300") + event(), "/VCALENDAR/Z: Both sides changed the time zone."),
        entry(
            "a time zone that one side removed and the other uses anew",
            zone("Z", "+0100") + event("DTSTART:20260101T090000"),
            event("DTSTART:20260101T090000"),
            zone("Z", "+0100") + event("DTSTART;TZID=Z:20260101T090000"),
            "/VCALENDAR/Z: One side removed a time zone that the other uses."),
        entry(
            "an event that one side removed and the other changed", event("SUMMARY:a"),
            ["X-A:1"], event("SUMMARY:b"),
            "/VCALENDAR/1: One side removed it, the other changed it."),
    ]

    private static func zone(_ name: String, _ offset: String) -> [String] {
        [
            "BEGIN:VTIMEZONE", "TZID:\(name)", "BEGIN:STANDARD", "DTSTART:19700101T000000",
            "TZOFFSETFROM:\(offset)", "TZOFFSETTO:\(offset)", "END:STANDARD", "END:VTIMEZONE",
        ]
    }

    @Test("address books", arguments: cards)
    func cardReason(_ row: MergeCase) { check(.card, row) }

    private static let cards = [
        MergeCase(
            "the name", card("UID:1", "N:A;B", "FN:B A"), card("UID:1", "N:C;B", "FN:B A"),
            card("UID:1", "N:A;B", "FN:Bo A"),
            "/1/N: Both sides changed properties that belong together."),
        MergeCase(
            "properties of one group", card("UID:1", "item1.TEL:1", "item1.X-ABLabel:a"),
            card("UID:1", "item1.TEL:2", "item1.X-ABLabel:a"),
            card("UID:1", "item1.TEL:1", "item1.X-ABLabel:b"),
            "/1/ITEM1: Both sides changed properties of one group."),
        MergeCase(
            "cards without UID", card("FN:A", "TEL:1"), card("FN:B", "TEL:1"),
            card("FN:C", "TEL:1"), "/A: Both sides changed components without a UID."),
        MergeCase(
            "versions of the format", card("VERSION:3.0", "UID:1", "FN:A"),
            card("VERSION:4.0", "UID:1", "FN:A"), card("VERSION:3.0", "UID:1", "FN:B"),
            "/1/VERSION: The two sides have different versions of the format."),
    ]

    @Test(
        "what cannot be read",
        arguments: [
            ("BEGIN:VCALENDAR\nX-A:1\nno colon\nEND:VCALENDAR\n", "Cannot read line 3."),
            ("BEGIN:VCALENDAR\nX-A:1\n", "Cannot read line 3."), ("", "Cannot read line 1."),
            (
                "BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:a\nTZID:b\nEND:VTIMEZONE\nEND:VCALENDAR\n",
                "The VTIMEZONE that begins in line 2 has TZID more than once."
            ),
            (
                "BEGIN:VCALENDAR\nX-A:1\nBEGIN:VEVENT\nUID:1\nUID:1\nEND:VEVENT\nEND:VCALENDAR\n",
                "The VEVENT that begins in line 3 has UID more than once."
            ),
        ])
    func unread(_ text: String, _ reason: String) {
        let good = Self.calendar(["X-A:1"])
        for (versions, side) in [
            ((good, text, good + "\n"), "The version of this replica"),
            ((good, good + "\n", text), "The committed version"),
            ((text, good, good + "\n"), "The common version"),
        ] {
            let row = MergeCase("", versions.0, versions.1, versions.2, "")
            guard case .declined(let conflicts) = DocumentFormat.calendar.merge.merge(row.input)
            else {
                Issue.record("It was merged.")
                continue
            }
            #expect(
                conflicts.map(\.description) == [
                    "\(side) is not iCalendar that can be merged. \(reason)"
                ])
        }
    }
}
