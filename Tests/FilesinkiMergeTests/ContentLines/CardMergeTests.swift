import Testing

@testable import FilesinkiMerge

@Suite("Cards merged by person and property")
struct CardMergeTests {
    private static func card(_ lines: String...) -> String {
        "BEGIN:VCARD\nVERSION:4.0\n" + lines.map { $0 + "\n" }.joined() + "END:VCARD\n"
    }

    private static let ann = card("UID:a", "N:A;Ann", "FN:Ann A", "TEL:1")
    private static let bob = card("N:B;Bob", "FN:Bob B", "TEL:2")

    /// Versions of one card.
    private static func row(
        _ name: String, _ base: [String], _ ours: [String], _ theirs: [String], _ merged: [String]
    ) -> MergeCase {
        func text(_ lines: [String]) -> String {
            "BEGIN:VCARD\nUID:a\n" + lines.map { $0 + "\n" }.joined() + "END:VCARD\n"
        }
        let isDeclined = merged.count == 1 && merged[0].hasPrefix("declined")
        return MergeCase(
            name, text(base), text(ours), text(theirs), isDeclined ? merged[0] : text(merged))
    }

    static let rows: [MergeCase] = [
        MergeCase(
            "one card here, another there", ann + bob, ann.replacing("TEL:1", with: "TEL:3") + bob,
            ann + bob.replacing("TEL:2", with: "TEL:4"),
            (ann + bob).replacing("TEL:1", with: "TEL:3").replacing("TEL:2", with: "TEL:4")),
        MergeCase(
            "a card without a UID by its name", bob, bob.replacing("TEL:2", with: "TEL:2\nNOTE:n"),
            bob.replacing("TEL:2", with: "TEL:2\nURL:u"),
            bob.replacing("TEL:2", with: "TEL:2\nNOTE:n\nURL:u")),
        MergeCase(
            "two of one name, changed here and there", bob + bob.replacing("TEL:2", with: "TEL:3"),
            bob.replacing("TEL:2", with: "TEL:4") + bob.replacing("TEL:2", with: "TEL:3"),
            bob + bob.replacing("TEL:2", with: "TEL:5"), "declined: /VCARD"),
        MergeCase(
            "two of one name, another card there",
            ann + bob + bob.replacing("TEL:2", with: "TEL:3"),
            ann + bob.replacing("TEL:2", with: "TEL:4") + bob.replacing("TEL:2", with: "TEL:3"),
            ann.replacing("TEL:1", with: "TEL:5") + bob + bob.replacing("TEL:2", with: "TEL:3"),
            ann.replacing("TEL:1", with: "TEL:5") + bob.replacing("TEL:2", with: "TEL:4")
                + bob.replacing("TEL:2", with: "TEL:3")),
        MergeCase(
            "renamed without a UID, here and there", bob, bob.replacing("B;Bob", with: "B;Bobby"),
            bob.replacing("B;Bob", with: "B;Robert"), "declined: /Bob B"),
        MergeCase(
            "renamed without a UID here, removed there", ann + bob,
            ann + bob.replacing("B;Bob", with: "B;Bobby"), ann, "declined: /Bob B"),
        MergeCase(
            "renamed without a UID here, edited there", bob,
            bob.replacing("B;Bob", with: "B;Bobby"),
            bob.replacing("TEL:2", with: "TEL:3"), "declined: /Bob B"),
        MergeCase(
            "two of one name added without a UID", ann, ann + bob,
            ann + bob.replacing("TEL:2", with: "TEL:3"), "declined: /Bob B"),
        row(
            "numbers here and there", ["TEL:1"], ["TEL:1", "TEL:2"], ["TEL:1", "TEL:3"],
            ["TEL:1", "TEL:2", "TEL:3"]),
        row(
            "a number and its kind", ["TEL;TYPE=home:1", "EMAIL:e"],
            ["TEL;TYPE=work:1", "EMAIL:e"],
            ["TEL;TYPE=home:1", "EMAIL:f"], ["TEL;TYPE=work:1", "EMAIL:f"]),
        row("a number that both replaced", ["TEL:1"], ["TEL:2"], ["TEL:3"], ["declined: /a/TEL"]),
        row(
            "a number replaced here, removed there", ["TEL:1", "URL:u"], ["TEL:2", "URL:u"],
            ["URL:u"],
            ["declined: /a/TEL"]),
        row(
            "one kind for a number here, another there", ["A:1"], ["A:1", "TEL;TYPE=home:1"],
            ["A:1", "TEL;TYPE=work:1"], ["declined: /a/TEL"]),
        row("a note by both", ["NOTE:n"], ["NOTE:m"], ["NOTE:o"], ["declined: /a/NOTE"]),
        row(
            "the parts of a name", ["N:A;B", "FN:B A"], ["N:A;C", "FN:B A"], ["N:A;B", "FN:C A"],
            ["declined: /a/N"]),
        row(
            "the name here, a number there", ["N:A;B", "FN:B A"], ["N:A;C", "FN:C A"],
            ["N:A;B", "FN:B A", "TEL:1"], ["N:A;C", "FN:C A", "TEL:1"]),
        row(
            "a group is one unit", ["item1.TEL:1", "item1.X-ABLabel:x"],
            ["item1.TEL:2", "item1.X-ABLabel:x"], ["item1.TEL:1", "item1.X-ABLabel:y"],
            ["declined: /a/ITEM1"]),
        row(
            "two groups", ["item1.TEL:1", "item1.X-ABLabel:x", "item2.URL:u"],
            ["item1.TEL:2", "item1.X-ABLabel:y", "item2.URL:u"],
            ["item1.TEL:1", "item1.X-ABLabel:x", "item2.URL:v"],
            ["item1.TEL:2", "item1.X-ABLabel:y", "item2.URL:v"]),
        row(
            "one group added here, another one of its name there", ["FN:f"],
            ["FN:f", "item1.URL:u", "item1.X-ABLabel:x"],
            ["FN:f", "item1.TEL:1", "item1.X-ABLabel:y", "item2.TEL:2"],
            [
                "FN:f", "item1.TEL:1", "item1.X-ABLabel:y", "item2.TEL:2", "item3.URL:u",
                "item3.X-ABLabel:x",
            ]),
        row(
            "groups that were given other names, merged again", ["FN:f"],
            ["FN:f", "item1.TEL:1", "item2.URL:u"], ["FN:f", "item1.URL:u"],
            ["FN:f", "item1.TEL:1", "item2.URL:u"]),
        row(
            "a group of one value by both", ["FN:f"], ["FN:f", "item1.ORG:a"],
            ["FN:f", "item1.ORG:b"], ["declined: /a/ITEM1"]),
        row(
            "one group added by both, the same", ["FN:f", "NOTE:n"],
            ["FN:f", "NOTE:n", "item1.TEL:1"], ["FN:f", "NOTE:m", "item1.TEL:1"],
            ["FN:f", "NOTE:m", "item1.TEL:1"]),
        row(
            "one group added by both, its name in other letters", ["FN:f"],
            ["FN:f", "item1.TEL:1", "item1.X-ABLabel:x"],
            ["FN:f", "ITEM1.TEL:1", "ITEM1.X-ABLabel:y"], ["declined: /a/ITEM1"]),
        row(
            "the version by both", ["VERSION:2.1"], ["VERSION:3.0"], ["VERSION:4.0"],
            ["declined: /a/VERSION"]),
        row(
            "the version here, a number there", ["VERSION:3.0"], ["VERSION:4.0"],
            ["VERSION:3.0", "TEL:1"], ["declined: /a/VERSION"]),
        row(
            "the later revision", ["REV:20260101T000000Z", "A:1", "B:1"],
            ["REV:20260301T000000Z", "A:2", "B:1"], ["REV:20260201T000000Z", "A:1", "B:2"],
            ["REV:20260301T000000Z", "A:2", "B:2"]),
        row(
            "quoted-printable text over two lines", ["NOTE;QUOTED-PRINTABLE:a=\nto b", "TEL:1"],
            ["NOTE;QUOTED-PRINTABLE:a=\nto c", "TEL:1"],
            ["NOTE;QUOTED-PRINTABLE:a=\nto b", "TEL:1", "URL:u"],
            ["NOTE;QUOTED-PRINTABLE:a=\nto c", "TEL:1", "URL:u"]),
        row(
            "a photo that a blank line ends", ["PHOTO;BASE64:\n AA==\n", "TEL:1"],
            ["PHOTO;BASE64:\n BB==\n", "TEL:1"], ["PHOTO;BASE64:\n AA==\n", "TEL:1", "TEL:2"],
            ["PHOTO;BASE64:\n BB==\n", "TEL:1", "TEL:2"]),
        row(
            "spaces of folded lines count in version 2.1", ["VERSION:2.1", "NOTE:a\n b", "A:1"],
            ["VERSION:2.1", "NOTE:ab", "A:1"], ["VERSION:2.1", "NOTE:a\n c", "A:2"],
            ["declined: /a/NOTE"]),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = DocumentFormat.card.merge
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }

    @Test("each card has a version of its own")
    func versions() {
        let old = "BEGIN:VCARD\nVERSION:2.1\nFN:B\nN:B\nEND:VCARD\n"
        let new = "BEGIN:VCARD\nVERSION:4.0\nFN:Z\nEND:VCARD\n"
        let folded = "BEGIN:VCARD\nVERSION:3.0\nFN:C\nNOTE:a\n b\nEND:VCARD\n"
        let edited = folded.replacing("NOTE:a", with: "NOTE:xa")
        table(
            MergeCase("added by both", folded, old + folded, new + folded, old + new + folded))
        table(MergeCase("a note edited", folded, edited, folded + old, edited + old))
        // In a card of 2.1 the space that begins the second line is part of the value.
        let space = old.replacing("N:B\n", with: "N:B\nNOTE:a\n  b\n")
        let other = space.replacing("\n  b", with: " \n b")
        table(MergeCase("", space, other, space + folded, other + folded))
    }

    @Test(
        "what cannot be read is said",
        arguments: [
            (
                "BEGIN:VCARD\nUID:1\nFN:A\nEND:VCARD\nBEGIN:VCARD\nUID:2\nUID:3\nEND:VCARD\n",
                "The VCARD that begins in line 5 has UID more than once."
            ),
            (
                "BEGIN:VCARD\nFN:A\nno colon\nEND:VCARD\n",
                "Cannot read line 3."
            ),
        ])
    func refusal(_ text: String, _ reason: String) {
        let row = MergeCase("", text, text + "X", text + "Y", "")
        guard case .declined(let conflicts) = DocumentFormat.card.merge.merge(row.input) else {
            Issue.record("It was merged.")
            return
        }
        #expect(
            conflicts.map(\.reason) == [
                "The version of this replica is not vCard that can be merged. " + reason
            ])
    }

    @Test(
        "what is not a card is not read",
        arguments: [
            "BEGIN:VCALENDAR\nEND:VCALENDAR\n", "BEGIN:VCARD\na.b.TEL:1\nEND:VCARD\n",
            "BEGIN:VCARD\n.TEL:1\nEND:VCARD\n",
            "BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nEND:VCARD\nEND:VCARD\n",
        ])
    func unread(_ text: String) {
        #expect(!DocumentFormat.card.reads(Array(text.utf8)))
    }

    @Test("names select it", arguments: ["a.vcf", "A.VCF", "b.vcard"])
    func names(_ name: String) {
        #expect(DocumentFormat(fileName: name.utf8)?.word == "vcard")
    }
}
