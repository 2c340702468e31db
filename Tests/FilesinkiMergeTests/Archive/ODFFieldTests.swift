import Testing

@testable import FilesinkiMerge

@Suite("Fields of ODF documents that each save computes")
struct ODFFieldTests {
    /// A header with the time of the save.
    private static func header(_ text: String, _ time: Int, fixed: Bool = false) -> String {
        "<style:header><text:p>\(text) <text:time\(fixed ? " text:fixed=\"true\"" : "") "
            + "text:time-value=\"0\(time):00\">\(time)</text:time></text:p></style:header>"
    }

    /// A text with two paragraphs, as a save leaves it.
    private static func document(_ header: String, _ lines: [String], _ cycles: Int)
        -> SampleArchive
    {
        ODFSample.text(lines).saved(cycles).edited(
            "styles.xml", "</office:styles>",
            "</office:styles><office:master-styles>\(header)</office:master-styles>")
    }

    /// The header of the base, the sides, and the result; the sides change a paragraph each.
    static let headers: [(name: String, base: String, sides: [String], merged: String)] = [
        ("both saved it", header("H", 1), [header("H", 2), header("H", 3)], header("H", 3)),
        (
            "one edited it, the other saved it later", header("H", 1),
            [header("New", 2), header("H", 3)], header("New", 2)
        ),
        (
            "one removed the field", header("H", 1),
            ["<style:header><text:p>H</text:p></style:header>", header("H", 3)],
            "<style:header><text:p>H</text:p></style:header>"
        ),
        (
            "both made the same edit", header("H", 1), [header("N", 2), header("N", 3)],
            header("N", 3)
        ),
        ("both edited it", header("H", 1), [header("A", 2), header("B", 3)], ""),
        (
            "both put down another time", header("H", 1, fixed: true),
            [header("H", 2, fixed: true), header("H", 3, fixed: true)], ""
        ),
    ]

    @Test("in the page styles are of the later side", arguments: headers.map(\.name))
    func mergesHeader(_ name: String) throws {
        for row in Self.headers where row.name == name {
            let outcome = try SampleArchive.merged(
                .odf, Self.document(row.base, ["a", "b"], 1),
                Self.document(row.sides[0], ["A", "b"], 2),
                Self.document(row.sides[1], ["a", "B"], 3))
            guard !row.merged.isEmpty else {
                #expect(
                    outcome.reasons == "styles.xml, office:master-styles: Both sides changed it.")
                continue
            }
            #expect(try outcome.paragraphs() == ["Text:A", "Text:B"], "\(outcome.reasons)")
            #expect(
                try outcome.part("styles.xml")
                    == Self.document(row.merged, [], 1)["styles.xml"])
        }
    }

    @Test("in a paragraph are no edit of it")
    func paragraphs() throws {
        func text(_ page: Int, _ end: String, _ cycles: Int) -> SampleArchive {
            ODFSample.text([
                "a", "on <text:page-number text:select-page=\"current\">\(page)</text:page-number>",
                end,
            ]).saved(cycles)
        }
        let outcome = try SampleArchive.merged(
            .odf, text(1, "c", 1), text(2, "C", 2),
            text(3, "c", 3).edited("content.xml", ">a<", ">A<"))
        let content = try #require(try outcome.part("content.xml"), "\(outcome.reasons)")
        #expect(content.contains(">A<") && content.contains(">C<"))
        #expect(content.contains("on <text:page-number text:select-page=\"current\">"))
    }

    @Test("a field that one side edited and the other saved is the edited one")
    func editedField() throws {
        func text(_ field: String, _ cycles: Int) -> SampleArchive {
            ODFSample.text(["a", field]).saved(cycles)
        }
        let edited = "on page <text:page-number>2</text:page-number>"
        let outcome = try SampleArchive.merged(
            .odf, text("on <text:page-number>1</text:page-number>", 1), text(edited, 2),
            text("on <text:page-number>3</text:page-number>", 3))
        #expect(try outcome.part("content.xml")?.contains(edited) == true, "\(outcome.reasons)")
    }

    @Test("do not make a spreadsheet with formulas one that both sides changed")
    func formulas() throws {
        func sheet(_ value: Int, _ time: Int) -> SampleArchive {
            ODFSample.document(
                "spreadsheet",
                "<table:table table:name=\"S\" table:formula=\"of:=1\">\(value)</table:table>"
            ).saved(time).edited(
                "styles.xml", "</office:styles>",
                "</office:styles><office:master-styles>\(Self.header("H", time))"
                    + "</office:master-styles>")
        }
        let outcome = try SampleArchive.merged(.odf, sheet(1, 1), sheet(5, 2), sheet(1, 3))
        #expect(
            try outcome.part("content.xml") == sheet(5, 1)["content.xml"], "\(outcome.reasons)")
        #expect(try outcome.part("styles.xml") == sheet(1, 3)["styles.xml"])
        let both = try SampleArchive.merged(.odf, sheet(1, 1), sheet(5, 2), sheet(6, 3))
        #expect(try both.names().first == "declined")
    }

    @Test("what a save left out of the metadata is no conflict with what the other wrote")
    func metadata() throws {
        let cycles = "<meta:editing-cycles>4</meta:editing-cycles>"
        for (time, isKept) in [(3, false), (5, true)] {
            let base = ODFSample.text(["a", "b"])
            let left = ODFSample.text(["A", "b"]).with([
                ("meta.xml", ODFSample.meta(cycles: 4).replacing(cycles, with: ""))
            ])
            let other = ODFSample.text(["a", "B"]).with([
                ("meta.xml", ODFSample.meta(cycles: time))
            ])
            let outcome = try SampleArchive.merged(.odf, base, left, other)
            let meta = try #require(try outcome.part("meta.xml"), "\(outcome.reasons)")
            #expect(meta.contains("<meta:editing-cycles>") == isKept)
        }
    }
}
