import Testing

@testable import FilesinkiMerge

@Suite("Calendars merged by component and property")
struct CalendarMergeTests {
    private static func calendar(_ parts: String...) -> String {
        "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\n" + parts.joined() + "END:VCALENDAR\n"
    }

    /// An event with these lines below its UID.
    private static func event(_ uid: String, _ lines: String...) -> String {
        "BEGIN:VEVENT\nUID:\(uid)\n" + lines.map { $0 + "\n" }.joined() + "END:VEVENT\n"
    }

    private static func alarm(_ lines: String...) -> String {
        "BEGIN:VALARM\n" + lines.map { $0 + "\n" }.joined() + "END:VALARM"
    }

    private static func zone(_ name: String, _ offset: String) -> String {
        "BEGIN:VTIMEZONE\nTZID:\(name)\nBEGIN:STANDARD\nDTSTART:1970\nTZOFFSETTO:\(offset)\n"
            + "END:STANDARD\nEND:VTIMEZONE\n"
    }

    private static let a = event("a", "DTSTART:1", "DTEND:2", "SUMMARY:A", "LOCATION:L")
    private static let b = event("b", "DTSTART:1", "SUMMARY:B")
    private static let base = calendar(a, b)

    private static func edited(_ edits: (String, String)...) -> String {
        edits.reduce(base) { $0.replacing($1.0, with: $1.1) }
    }

    /// Versions of one event.
    private static func row(
        _ name: String, _ base: [String], _ ours: [String], _ theirs: [String], _ merged: [String]
    ) -> MergeCase {
        func text(_ lines: [String]) -> String {
            calendar("BEGIN:VEVENT\nUID:a\n" + lines.map { $0 + "\n" }.joined() + "END:VEVENT\n")
        }
        let isDeclined = merged.count == 1 && merged[0].hasPrefix("declined")
        return MergeCase(
            name, text(base), text(ours), text(theirs), isDeclined ? merged[0] : text(merged))
    }

    static let components: [MergeCase] = [
        MergeCase(
            "one event edited here, another there", base, edited(("SUMMARY:A", "SUMMARY:X")),
            edited(("SUMMARY:B", "SUMMARY:Y")),
            edited(("SUMMARY:A", "SUMMARY:X"), ("SUMMARY:B", "SUMMARY:Y"))),
        MergeCase(
            "two properties of one event", base, edited(("SUMMARY:A", "SUMMARY:X")),
            edited(("LOCATION:L", "LOCATION:M")),
            edited(("SUMMARY:A", "SUMMARY:X"), ("LOCATION:L", "LOCATION:M"))),
        MergeCase(
            "one property by both", base, edited(("SUMMARY:A", "SUMMARY:X")),
            edited(("SUMMARY:A", "SUMMARY:Y")), "declined: /VCALENDAR/a/SUMMARY"),
        MergeCase(
            "an event added here, another there", base, calendar(a, b, event("c", "SUMMARY:C")),
            calendar(a, b, event("d", "SUMMARY:D")),
            calendar(a, b, event("c", "SUMMARY:C"), event("d", "SUMMARY:D"))),
        MergeCase(
            "the same event added, and one of it with more", calendar(b),
            calendar(b, event("c", "SUMMARY:C", "URL:u")), calendar(b, event("c", "SUMMARY:C")),
            calendar(b, event("c", "SUMMARY:C", "URL:u"))),
        MergeCase(
            "the same event added with other times", calendar(b),
            calendar(b, event("c", "DTSTART:1", "DTEND:2")),
            calendar(b, event("c", "DTSTART:1", "DURATION:P1D")),
            "declined: /VCALENDAR/c/DTEND"),
        MergeCase(
            "removed here, another edited there", base, calendar(b),
            edited(("SUMMARY:B", "SUMMARY:Y")),
            calendar(b.replacing("SUMMARY:B", with: "SUMMARY:Y"))
        ),
        MergeCase(
            "removed here, edited there", base, calendar(b), edited(("SUMMARY:A", "SUMMARY:X")),
            "declined: /VCALENDAR/a"),
        MergeCase(
            "an event and a task of one UID", base,
            calendar(a, b, a.replacing("VEVENT", with: "VTODO")),
            edited(("SUMMARY:A", "SUMMARY:X")),
            calendar(
                a.replacing("SUMMARY:A", with: "SUMMARY:X"), b,
                a.replacing("VEVENT", with: "VTODO"))),
        MergeCase(
            "a UID that two events have", calendar(a, b.replacing("UID:b", with: "UID:a")),
            calendar(
                a.replacing("SUMMARY:A", with: "SUMMARY:X"), b.replacing("UID:b", with: "UID:a")),
            calendar(a, b.replacing("UID:b\nDTSTART:1", with: "UID:a\nDTSTART:2")),
            "declined: /VCALENDAR/VEVENT"),
        MergeCase(
            "an event without a UID by both", calendar("BEGIN:VEVENT\nSUMMARY:A\nEND:VEVENT\n"),
            calendar("BEGIN:VEVENT\nSUMMARY:B\nEND:VEVENT\n"),
            calendar("BEGIN:VEVENT\nSUMMARY:A\nLOCATION:L\nEND:VEVENT\n"),
            "declined: /VCALENDAR/VEVENT"),
        MergeCase(
            "the version by both", base, edited(("VERSION:2.0", "VERSION:2.1")),
            edited(("VERSION:2.0", "VERSION:3.0")), "declined: /VCALENDAR/VERSION"),
        MergeCase(
            "the version here, something else there", base, edited(("VERSION:2.0", "VERSION:3.0")),
            edited(("SUMMARY:A", "SUMMARY:X")), "declined: /VCALENDAR/VERSION"),
        MergeCase(
            "properties stay before components", calendar(),
            calendar("NAME:n\n", a), calendar("COLOR:c\n", b),
            calendar("COLOR:c\n", "NAME:n\n", b, a)),
    ]

    static let properties: [MergeCase] = [
        row(
            "the time by both", ["DTSTART:1", "DTEND:2"], ["DTSTART:1", "DTEND:3"],
            ["DTSTART:0", "DTEND:2"], ["declined: /VCALENDAR/a/DTSTART"]),
        row(
            "the end here, the rule there", ["DTSTART:1", "DTEND:2"], ["DTSTART:1", "DTEND:3"],
            ["DTSTART:1", "DTEND:2", "RRULE:FREQ=DAILY"], ["declined: /VCALENDAR/a/DTEND"]),
        row(
            "the same time by both", ["DTSTART:1", "SUMMARY:s", "LOCATION:l"],
            ["DTSTART:2", "SUMMARY:S", "LOCATION:l"], ["DTSTART:2", "SUMMARY:s", "LOCATION:L"],
            ["DTSTART:2", "SUMMARY:S", "LOCATION:L"]),
        row(
            "the time here, an exception there", ["DTSTART:1", "RRULE:r"],
            ["DTSTART:2", "RRULE:r"],
            ["DTSTART:1", "RRULE:r", "EXDATE:3"], ["declined: /VCALENDAR/a/DTSTART"]),
        row(
            "exceptions here and there", ["RRULE:r"], ["RRULE:r", "EXDATE:2"],
            ["RRULE:r", "EXDATE:3"],
            ["RRULE:r", "EXDATE:2", "EXDATE:3"]),
        row(
            "exceptions in one list", ["EXDATE;X=y:1,2"], ["EXDATE;X=y:1,2,3"], ["EXDATE;X=y:2"],
            ["declined: /VCALENDAR/a/EXDATE"]),
        row(
            "exceptions in lists", ["EXDATE:1,2,3"], ["EXDATE:1,2,3,4"], ["EXDATE:1,3"],
            ["EXDATE:1,3,4"]),
        row(
            "attendees here and there", ["ATTENDEE:mailto:x"],
            ["ATTENDEE:mailto:x", "ATTENDEE:mailto:y"],
            ["ATTENDEE:mailto:x", "ATTENDEE:mailto:z"],
            ["ATTENDEE:mailto:x", "ATTENDEE:mailto:y", "ATTENDEE:mailto:z"]),
        row(
            "one attendee accepts, another is added", ["ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:X@h"],
            ["ATTENDEE;PARTSTAT=ACCEPTED:mailto:x@h"],
            ["ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:X@h", "ATTENDEE:mailto:y@h"],
            ["ATTENDEE;PARTSTAT=ACCEPTED:mailto:x@h", "ATTENDEE:mailto:y@h"]),
        row(
            "one attendee that both add", ["A:1"], ["A:1", "ATTENDEE:mailto:x"],
            ["A:1", "ATTENDEE:MAILTO:X"], ["declined: /VCALENDAR/a/ATTENDEE"]),
        row(
            "both answer for one attendee", ["ATTENDEE:mailto:x"],
            ["ATTENDEE;PARTSTAT=ACCEPTED:mailto:x"], ["ATTENDEE;PARTSTAT=DECLINED:mailto:x"],
            ["declined: /VCALENDAR/a/ATTENDEE"]),
        row(
            "an attendee removed here, accepts there", ["ATTENDEE:mailto:x", "SUMMARY:s"],
            ["SUMMARY:s"],
            ["ATTENDEE;PARTSTAT=ACCEPTED:mailto:x", "SUMMARY:s"],
            ["declined: /VCALENDAR/a/ATTENDEE"]),
        row(
            "an attachment that both replaced", ["ATTACH:1"], ["ATTACH:2"], ["ATTACH:3"],
            ["declined: /VCALENDAR/a/ATTACH"]),
        row(
            "categories of one line", ["CATEGORIES:a,b"], ["CATEGORIES:b"],
            ["CATEGORIES:a,b,c\\,d"],
            ["CATEGORIES:b,c\\,d"]),
        row(
            "categories that both begin", [], ["CATEGORIES:a"], ["CATEGORIES:b"], ["CATEGORIES:a,b"]
        ),
        row(
            "the last category removed here, another one there", ["CATEGORIES:a,b"],
            ["CATEGORIES:a"],
            ["CATEGORIES:b"], ["declined: "]),
        row(
            "unknown properties", ["X-A:1", "X-B:1"], ["X-A:2", "X-B:1"], ["X-A:1", "X-B:2"],
            ["X-A:2", "X-B:2"]),
        row(
            "unknown properties of one name by both", ["X-A:1"], ["X-A:1", "X-A:2"], ["X-A:3"],
            ["declined: /VCALENDAR/a/X-A"]),
        row(
            "a parameter here, the value there", ["SUMMARY:s"], ["SUMMARY;LANGUAGE=en:s"],
            ["SUMMARY:t"],
            ["declined: /VCALENDAR/a/SUMMARY"]),
        row(
            "state and progress", ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:0"],
            ["STATUS:COMPLETED", "PERCENT-COMPLETE:0"],
            ["STATUS:NEEDS-ACTION", "PERCENT-COMPLETE:50"], ["declined: /VCALENDAR/a/STATUS"]),
        row(
            "stamps by both", ["DTSTAMP:1Z", "SEQUENCE:8", "LAST-MODIFIED:1Z", "A:1", "B:1"],
            ["DTSTAMP:2Z", "SEQUENCE:10", "LAST-MODIFIED:3Z", "A:2", "B:1"],
            ["DTSTAMP:3Z", "SEQUENCE:9", "LAST-MODIFIED:2Z", "A:1", "B:2"],
            ["DTSTAMP:3Z", "SEQUENCE:10", "LAST-MODIFIED:3Z", "A:2", "B:2"]),
        row(
            "names in other cases", ["SUMMARY:s", "URL:u"], ["summary:s", "URL:v"],
            ["SUMMARY:t", "URL:u"],
            ["summary:t", "URL:v"]),
        row(
            "folded by one side, edited by the other", ["SUMMARY:some text", "URL:u"],
            ["SUMMARY:some\n  text", "URL:v"], ["SUMMARY:other text", "URL:u"],
            ["SUMMARY:other text", "URL:v"]),
        row(
            "an alarm here and there", ["SUMMARY:s"], ["SUMMARY:s", alarm("TRIGGER:1")],
            ["SUMMARY:s", alarm("TRIGGER:2")],
            ["SUMMARY:s", alarm("TRIGGER:1"), alarm("TRIGGER:2")]),
        row(
            "one alarm of two", [alarm("TRIGGER:1"), alarm("TRIGGER:2")],
            [alarm("TRIGGER:3"), alarm("TRIGGER:2")], [alarm("TRIGGER:1"), alarm("TRIGGER:4")],
            [alarm("TRIGGER:3"), alarm("TRIGGER:4")]),
        row(
            "the alarm by both", [alarm("TRIGGER:1")], [alarm("TRIGGER:2")], [alarm("TRIGGER:3")],
            ["declined: /VCALENDAR/a/VALARM"]),
        row(
            "an alarm with a UID by both", [alarm("UID:x", "TRIGGER:1", "SUMMARY:s")],
            [alarm("UID:x", "TRIGGER:2", "SUMMARY:s")], [alarm("UID:x", "TRIGGER:1", "SUMMARY:t")],
            [alarm("UID:x", "TRIGGER:2", "SUMMARY:t")]),
    ]

    private static let series = event("a", "DTSTART:1", "RRULE:r", "SUMMARY:s")
    private static let third = event("a", "RECURRENCE-ID:3", "SUMMARY:t")

    static let dependencies: [MergeCase] = [
        MergeCase(
            "an exception by each side", calendar(series), calendar(series, third),
            calendar(series, third.replacing("ID:3", with: "ID:4")),
            calendar(series, third, third.replacing("ID:3", with: "ID:4"))),
        MergeCase(
            "the series moved here, an exception there", calendar(series),
            calendar(series.replacing("DTSTART:1", with: "DTSTART:2")), calendar(series, third),
            "declined: /VCALENDAR/a"),
        MergeCase(
            "the series renamed here, an exception there", calendar(series),
            calendar(series.replacing("SUMMARY:s", with: "SUMMARY:S")), calendar(series, third),
            calendar(series.replacing("SUMMARY:s", with: "SUMMARY:S"), third)),
        MergeCase(
            "the series removed here, an exception there", calendar(series, b), calendar(b),
            calendar(series, third, b), "declined: /VCALENDAR/a"),
        MergeCase(
            "an occurrence removed here, edited there", calendar(series),
            calendar(series.replacing("RRULE:r", with: "RRULE:r\nEXDATE:3")),
            calendar(series, third), "declined: /VCALENDAR/a"),
        MergeCase(
            "an occurrence removed here, another edited there", calendar(series),
            calendar(series.replacing("RRULE:r", with: "RRULE:r\nEXDATE:4,5")),
            calendar(series, third),
            calendar(series.replacing("RRULE:r", with: "RRULE:r\nEXDATE:4,5"), third)),
        MergeCase(
            "an occurrence that two time zones name", calendar(series),
            calendar(series, third.replacing("ID:3", with: "ID;TZID=Z:4")), calendar(series, third),
            "declined: /VCALENDAR/a"),
        MergeCase(
            "this and the following here, another one there", calendar(series),
            calendar(series, third.replacing("ID:3", with: "ID;RANGE=THISANDFUTURE:2")),
            calendar(series, third), "declined: /VCALENDAR/a"),
        MergeCase(
            "a time zone by both", calendar(zone("Z", "+1"), a),
            calendar(zone("Z", "+2"), a),
            calendar(zone("Z", "+1").replacing("1970", with: "1971"), a),
            "declined: /VCALENDAR/Z"),
        MergeCase(
            "a time zone removed here, used anew there", calendar(zone("Z", "+1"), a),
            calendar(a), calendar(zone("Z", "+1"), a, event("c", "DTSTART;TZID=Z:1")),
            "declined: /VCALENDAR/Z"),
        MergeCase(
            "a time zone removed here, not used there", calendar(zone("Z", "+1"), a),
            calendar(a), calendar(zone("Z", "+1"), a, event("c", "DTSTART:1")),
            calendar(a, event("c", "DTSTART:1"))),
    ]

    private let merge = DocumentFormat.calendar.merge

    @Test(
        "each row merges as it says, from both sides",
        arguments: components + properties + dependencies)
    func table(_ row: MergeCase) {
        for lineEnd in ["\n", "\r\n"] {
            var input = row.input
            func ended(_ bytes: [UInt8]) -> [UInt8] {
                bytes.flatMap { $0 == 10 ? Array(lineEnd.utf8) : [$0] }
            }
            input.base = input.base.map(ended)
            (input.ours, input.theirs) = (ended(input.ours), ended(input.theirs))
            let merged = row.merged.replacing("\n", with: lineEnd)
            #expect(merge.merge(input).shown == merged)
            #expect(merge.merge(input.swapped).shown == merged)
        }
    }

    @Test(
        "what is not a calendar is declined, and not merged as text",
        arguments: [
            "", "x\n", "SUMMARY:s\n", "BEGIN:VCALENDAR\n", "BEGIN:VEVENT\nUID:a\nEND:VEVENT\n",
            "BEGIN:VCALENDAR\nEND:VEVENT\n", "BEGIN:VCALENDAR\nA\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nA B:1\nEND:VCALENDAR\n", "BEGIN:VCALENDAR\n\n A:1\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nA:1\u{1}\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nA:1\rB:2\nEND:VCALENDAR\n",
            "BEGIN:VCALENDAR\nA;B=\"c:d\nEND:VCALENDAR\n", " BEGIN:VCALENDAR\nEND:VCALENDAR\n",
            "BEGIN:VCARD\nFN:a\nEND:VCARD\n",
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nUID:b\nEND:VEVENT\nEND:VCALENDAR\n",
        ])
    func unread(_ text: String) {
        #expect(!DocumentFormat.calendar.reads(Array(text.utf8)))
        let calendar = Array(Self.base.utf8)
        let input = MergeInput(base: calendar, ours: calendar + [10], theirs: Array(text.utf8))
        #expect(DocumentFormat.calendar.textMerge.merge(input).shown == "declined: ")
    }

    @Test("a rule names a property by the UID of its component")
    func rules() throws {
        func text(_ count: Int) -> String { Self.calendar(Self.event("a", "X-COUNT:\(count)")) }
        var input = MergeCase("", text(5), text(7), text(8), "").input
        let pattern = try FieldPattern(parsing: "/VCALENDAR/a/X-COUNT")
        input.settings.fields = [FieldRule(pattern: pattern, resolution: .sum)]
        #expect(merge.merge(input).shown == text(10))
    }

    @Test("a tree covers every byte", arguments: FuzzTarget.contentLines)
    func covered(_ target: FuzzTarget) throws {
        for text in target.corpus {
            let bytes = Array((text.hasSuffix("\n") ? text : text + "\n").utf8)
            let dialect = ContentLineDialect.allCases.first {
                text.contains("BEGIN:" + $0.outermost)
            }
            let format = ContentLineFormat(dialect: try #require(dialect))
            let tree = try #require(format.read(bytes))
            #expect(TreeMergeLawTests.written(tree.root, of: tree) == bytes)
        }
    }

    @Test("components deeper than the limit are declined", arguments: [98, 99])
    func depth(_ count: Int) {
        let names = (0..<count).map { "V\($0)\n" }
        let text = Self.calendar(
            names.map { "BEGIN:" + $0 }.joined(), names.reversed().map { "END:" + $0 }.joined())
        #expect(DocumentFormat.calendar.reads(Array(text.utf8)) == (count == 98))
    }

    @Test("what a calendar says is not repeated at each level of components without UID")
    func work() throws {
        let names = (0..<90).map { "V\($0)\n" }
        let text = Self.calendar(
            names.map { "BEGIN:\($0)A:some value\n" }.joined(),
            names.reversed().map { "END:" + $0 }.joined())
        let format = ContentLineFormat(dialect: .calendar)
        let tree = try #require(format.read(Array(text.utf8)))
        let says = ComponentContents(tree.root, tree).says
        #expect(says.count < 3 * text.utf8.count)
        let other = try #require(format.read(Array(text.replacing("some", with: "one").utf8)))
        #expect(ComponentContents(other.root, other).says != says)
    }

    @Test("names select it", arguments: ["a.ics", "A.ICS", "busy.ifb", "old.vcs"])
    func names(_ name: String) {
        #expect(DocumentFormat(fileName: name.utf8)?.word == "ical")
    }
}
