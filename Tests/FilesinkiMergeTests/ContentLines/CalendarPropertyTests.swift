import Testing

@testable import FilesinkiMerge

@Suite("What each property of a calendar is, and which ones belong together")
struct CalendarPropertyTests {
    /// Versions of one event.
    private static func row(
        _ name: String, _ base: [String], _ ours: [String], _ theirs: [String], _ merged: [String]
    ) -> MergeCase {
        func text(_ lines: [String]) -> String {
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\n"
                + lines.map { $0 + "\n" }.joined() + "END:VEVENT\nEND:VCALENDAR\n"
        }
        let isDeclined = merged.count == 1 && merged[0].hasPrefix("declined")
        return MergeCase(
            name, text(base), text(ours), text(theirs), isDeclined ? merged[0] : text(merged))
    }

    private static let rows: [MergeCase] = [
        row(
            "the place here, its coordinates there", ["LOCATION:a", "GEO:1"],
            ["LOCATION:b", "GEO:1"], ["LOCATION:a", "GEO:2"],
            ["declined: /VCALENDAR/a/LOCATION"]),
        row(
            "the description here, its HTML there", ["DESCRIPTION:a", "X-ALT-DESC:b"],
            ["DESCRIPTION:c", "X-ALT-DESC:b"], ["DESCRIPTION:a", "X-ALT-DESC:d"],
            ["declined: /VCALENDAR/a/DESCRIPTION"]),
        row(
            "when it was done here, how much is done there", ["COMPLETED:1", "PERCENT-COMPLETE:1"],
            ["COMPLETED:2", "PERCENT-COMPLETE:1"], ["COMPLETED:1", "PERCENT-COMPLETE:2"],
            ["declined: /VCALENDAR/a/COMPLETED"]),
        row(
            "the action of an alarm here, its time there", ["ACTION:a", "TRIGGER:1"],
            ["ACTION:b", "TRIGGER:1"], ["ACTION:a", "TRIGGER:2"],
            ["declined: /VCALENDAR/a/ACTION"]),
        row(
            "the time of an alarm here, how often it repeats there", ["TRIGGER:1", "REPEAT:1"],
            ["TRIGGER:2", "REPEAT:1"], ["TRIGGER:1", "REPEAT:2"],
            ["declined: /VCALENDAR/a/TRIGGER"]),
        row(
            "the start of a task here, its end there", ["DTSTART:1", "DUE:1"],
            ["DTSTART:2", "DUE:1"], ["DTSTART:1", "DUE:2"],
            ["declined: /VCALENDAR/a/DTSTART"]),
        row(
            "the start here, a rule of exceptions there", ["DTSTART:1", "EXRULE:1"],
            ["DTSTART:2", "EXRULE:1"], ["DTSTART:1", "EXRULE:2"],
            ["declined: /VCALENDAR/a/DTSTART"]),
        row(
            "the start here, that it takes all day there",
            ["DTSTART:1", "X-MICROSOFT-CDO-ALLDAYEVENT:1"],
            ["DTSTART:2", "X-MICROSOFT-CDO-ALLDAYEVENT:1"],
            ["DTSTART:1", "X-MICROSOFT-CDO-ALLDAYEVENT:2"],
            ["declined: /VCALENDAR/a/DTSTART"]),
        row(
            "the time here, an additional date there", ["DTSTART:1", "RRULE:r"],
            ["DTSTART:2", "RRULE:r"], ["DTSTART:1", "RRULE:r", "RDATE:4"],
            ["declined: /VCALENDAR/a/DTSTART"]),
        row(
            "the same time by both, an exception by one", ["DTSTART:1"],
            ["DTSTART:2"], ["DTSTART:2", "EXDATE:4"],
            ["DTSTART:2", "EXDATE:4"]),
        row(
            "the time and an exception here, something else there", ["DTSTART:1", "SUMMARY:s"],
            ["DTSTART:2", "EXDATE:4", "SUMMARY:s"], ["DTSTART:1", "SUMMARY:t"],
            ["DTSTART:2", "EXDATE:4", "SUMMARY:t"]),
        row(
            "resources of one line", ["RESOURCES:a"],
            ["RESOURCES:a,b"], ["RESOURCES:a,c"],
            ["RESOURCES:a,b,c"]),
        row(
            "busy times of one line", ["FREEBUSY:a"],
            ["FREEBUSY:a,b"], ["FREEBUSY:a,c"],
            ["FREEBUSY:a,b,c"]),
        row(
            "comments by both", ["COMMENT:a"],
            ["COMMENT:a", "COMMENT:b"], ["COMMENT:a", "COMMENT:c"],
            ["COMMENT:a", "COMMENT:b", "COMMENT:c"]),
        row(
            "contacts by both", ["CONTACT:a"],
            ["CONTACT:a", "CONTACT:b"], ["CONTACT:a", "CONTACT:c"],
            ["CONTACT:a", "CONTACT:b", "CONTACT:c"]),
        row(
            "relations by both", ["RELATED-TO:a"],
            ["RELATED-TO:a", "RELATED-TO:b"], ["RELATED-TO:a", "RELATED-TO:c"],
            ["RELATED-TO:a", "RELATED-TO:b", "RELATED-TO:c"]),
        row(
            "conferences, images and states of requests by both", ["X:1"],
            ["X:1", "CONFERENCE:a", "IMAGE:a", "REQUEST-STATUS:a"],
            ["X:1", "CONFERENCE:b", "IMAGE:b", "REQUEST-STATUS:b"],
            [
                "X:1", "CONFERENCE:a", "IMAGE:a", "REQUEST-STATUS:a", "CONFERENCE:b", "IMAGE:b",
                "REQUEST-STATUS:b",
            ]),
        row(
            "a category twice in a line, which is no set", ["CATEGORIES:a"],
            ["CATEGORIES:a,a"], ["CATEGORIES:a,b"],
            ["declined: /VCALENDAR/a/CATEGORIES"]),
        row(
            "an empty category in a line, which is no set", ["CATEGORIES:a"],
            ["CATEGORIES:a,,b"], ["CATEGORIES:a,c"],
            ["declined: /VCALENDAR/a/CATEGORIES"]),
        row(
            "a comma behind an escaped backslash is between categories", ["CATEGORIES:a\\\\,b"],
            ["CATEGORIES:a\\\\"], ["CATEGORIES:a\\\\,b,c"],
            ["CATEGORIES:a\\\\,c"]),
        row(
            "a folded line of categories", ["CATEGORIES:a,b"],
            ["CATEGORIES:a,", " b,c"], ["CATEGORIES:a,b,d"],
            ["CATEGORIES:a,", " b,c,d"]),
        row(
            "categories of two languages", ["CATEGORIES:a"],
            ["CATEGORIES:a", "CATEGORIES;LANGUAGE=de:b"], ["CATEGORIES:a,c"],
            ["CATEGORIES:a,c", "CATEGORIES;LANGUAGE=de:b"]),
        row(
            "a colon between quotes does not begin the value", ["ATTENDEE;CN=\"a:b\":mailto:x"],
            ["ATTENDEE;CN=\"a:c\":mailto:x"],
            ["ATTENDEE;CN=\"a:b\":mailto:x", "ATTENDEE:mailto:y"],
            ["ATTENDEE;CN=\"a:c\":mailto:x", "ATTENDEE:mailto:y"]),
        row(
            "the greater number of two that both increased", ["SEQUENCE:9"],
            ["SEQUENCE:10"], ["SEQUENCE:11"],
            ["SEQUENCE:11"]),
        row(
            "a lesser number stays where only one side changed it", ["SEQUENCE:9"],
            ["SEQUENCE:8"], ["SEQUENCE:9"],
            ["SEQUENCE:8"]),
        row(
            "the order here, a value there", ["A:1", "B:1"],
            ["B:1", "A:1"], ["A:2", "B:1"],
            ["B:1", "A:2"]),
        row(
            "neighbours removed here and there", ["A:1", "B:1"],
            ["B:1"], ["A:1"],
            []),
        row(
            "a folded name here, the value there", ["SUMMARY:s", "B:1"],
            ["SUM", " MARY:s", "B:1"], ["SUMMARY:t", "B:1"],
            ["SUM", " MARY:t", "B:1"]),
        row(
            "a date of its own made a list here, another one there", ["EXDATE:1"],
            ["EXDATE:1,2"], ["EXDATE:1", "EXDATE:3"],
            ["EXDATE:3", "EXDATE:1,2"]),
        row(
            "the same exception by both", ["A:1"],
            ["A:1", "EXDATE:1"], ["A:1", "EXDATE:1"],
            ["A:1", "EXDATE:1"]),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = DocumentFormat.calendar.merge
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }
}
