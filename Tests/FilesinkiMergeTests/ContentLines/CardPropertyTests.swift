import Testing

@testable import FilesinkiMerge

@Suite("What each property of a card is, and which ones belong together")
struct CardPropertyTests {
    /// Versions of one card.
    private static func row(
        _ name: String, _ base: [String], _ ours: [String], _ theirs: [String], _ merged: [String]
    ) -> MergeCase {
        func text(_ lines: [String]) -> String {
            "BEGIN:VCARD\nUID:a\n"
                + lines.map { $0 + "\n" }.joined() + "END:VCARD\n"
        }
        let isDeclined = merged.count == 1 && merged[0].hasPrefix("declined")
        return MergeCase(
            name, text(base), text(ours), text(theirs), isDeclined ? merged[0] : text(merged))
    }

    private static let rows: [MergeCase] = [
        row(
            "nicknames of one line", ["NICKNAME:a"],
            ["NICKNAME:a,b"], ["NICKNAME:a,c"],
            ["NICKNAME:a,b,c"]),
        row(
            "addresses by both", ["ADR:a"],
            ["ADR:a", "ADR:b"], ["ADR:a", "ADR:c"],
            ["ADR:a", "ADR:b", "ADR:c"]),
        row(
            "profiles, accounts and members by both", ["A:1"],
            ["A:1", "X-SOCIALPROFILE:a", "IMPP:a", "MEMBER:a"],
            ["A:1", "X-SOCIALPROFILE:b", "IMPP:b", "MEMBER:b"],
            [
                "A:1", "X-SOCIALPROFILE:a", "IMPP:a", "MEMBER:a", "X-SOCIALPROFILE:b", "IMPP:b",
                "MEMBER:b",
            ]),
        row(
            "the name here, how it is sorted there", ["N:a", "SORT-STRING:b"],
            ["N:c", "SORT-STRING:b"], ["N:a", "SORT-STRING:d"],
            ["declined: /a/N"]),
        row(
            "the name here, how it is spoken there", ["FN:a", "X-PHONETIC-FIRST-NAME:b"],
            ["FN:c", "X-PHONETIC-FIRST-NAME:b"], ["FN:a", "X-PHONETIC-FIRST-NAME:d"],
            ["declined: /a/FN"]),
        row(
            "an address in other letters is another one", ["EMAIL:a@h"],
            ["EMAIL:A@h"], ["EMAIL:a@h", "TEL:1"],
            ["EMAIL:A@h", "TEL:1"]),
        row(
            "a group in upper case keeps its letters", ["FN:f"],
            ["FN:f", "ITEM1.URL:u"], ["FN:f", "item1.TEL:1"],
            ["FN:f", "item1.TEL:1", "ITEM2.URL:u"]),
        row(
            "a name with the first number that is free", ["FN:f", "item2.NOTE:n"],
            ["FN:f", "item2.NOTE:n", "item9.URL:u"], ["FN:f", "item2.NOTE:n", "item9.TEL:1"],
            ["FN:f", "item2.NOTE:n", "item1.URL:u", "item9.TEL:1"]),
        row(
            "a group without a number gets one", ["FN:f"],
            ["FN:f", "home.URL:u"], ["FN:f", "home.TEL:1"],
            ["FN:f", "home.TEL:1", "home1.URL:u"]),
        row(
            "a label that both give to one group", ["FN:f", "item1.URL:u"],
            ["FN:f", "item1.URL:u", "item1.X-ABLabel:x"],
            ["FN:f", "item1.URL:u", "item1.X-ABLabel:y"],
            ["declined: /a/ITEM1"]),
        row(
            "a photo as of version 3.0", ["PHOTO;ENCODING=B:", " AA==", "", "TEL:1"],
            ["PHOTO;ENCODING=B:", " BB==", "", "TEL:1"],
            ["PHOTO;ENCODING=B:", " AA==", "", "TEL:2"],
            ["PHOTO;ENCODING=B:", " BB==", "", "TEL:2"]),
        row(
            "a colon in the second line of quoted-printable text",
            ["NOTE;ENCODING=QUOTED-PRINTABLE:a=", "b:c", "TEL:1"],
            ["NOTE;ENCODING=QUOTED-PRINTABLE:a=", "b:d", "TEL:1"],
            ["NOTE;ENCODING=QUOTED-PRINTABLE:a=", "b:c", "TEL:2"],
            ["NOTE;ENCODING=QUOTED-PRINTABLE:a=", "b:d", "TEL:2"]),
        row(
            "an agent of one line", ["AGENT:x", "TEL:1"],
            ["AGENT:y", "TEL:1"], ["AGENT:x", "TEL:2"],
            ["AGENT:y", "TEL:2"]),
        row(
            "the same number by both", ["A:1"],
            ["A:1", "TEL:1"], ["A:1", "TEL:1"],
            ["A:1", "TEL:1"]),
        row(
            "a number that both replaced by the same", ["TEL:1", "A:1"],
            ["TEL:2", "A:1"], ["TEL:2", "A:2"],
            ["TEL:2", "A:2"]),
        row(
            "a number removed by both, others changed", ["TEL:1", "A:1", "B:1"],
            ["A:2", "B:1"], ["A:1", "B:2"],
            ["A:2", "B:2"]),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = DocumentFormat.card.merge
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }
}
