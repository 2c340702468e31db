import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("What programs write into XML at each save")
struct SavedFieldsTests {
    private static let merge = TreeMerge(format: XMLFormat())

    /// A diagram of two shapes.
    private static func diagram(_ saved: String, _ view: String, _ one: String, _ two: String)
        -> String
    {
        """
        <mxfile host="app"\(saved)>
          <diagram id="p" name="Page">
            <mxGraphModel \(view) grid="1">
              <root>
                <mxCell id="a" value="\(one)"/>
                <mxCell id="b" value="\(two)"/>
              </root>
            </mxGraphModel>
          </diagram>
        </mxfile>

        """
    }

    private static func saved(_ day: Int) -> String {
        " modified=\"2026-01-0\(day)T00:00:00.000Z\" etag=\"tag\(9 - day)\" version=\"2\(day)\""
    }

    private static func view(_ place: Int) -> String { "dx=\"\(place)\" dy=\"-\(place)\"" }

    private static func declined(_ attribute: String) -> String {
        "declined: /diagram[p]/mxGraphModel/\(attribute)"
    }

    static let diagrams: [MergeCase] = [
        MergeCase(
            "all of it is of the later side", diagram(saved(1), view(5), "1", "1"),
            diagram(saved(3), view(6), "2", "1"), diagram(saved(2), view(7), "1", "3"),
            diagram(saved(3), view(6), "2", "3")),
        MergeCase(
            "saved by one side only", diagram(saved(1), view(5), "1", "1"),
            diagram(saved(1), view(5), "2", "1"), diagram(saved(2), view(7), "1", "3"),
            diagram(saved(2), view(7), "2", "3")),
        MergeCase(
            "without a time, the greater of each, as numbers",
            diagram(" version=\"9\"", view(5), "1", "1"),
            diagram(" version=\"27.10.1\"", view(1006), "2", "1"),
            diagram(" version=\"27.9.1\"", view(700), "1", "3"),
            diagram(" version=\"27.10.1\"", "dx=\"1006\" dy=\"-700\"", "2", "3")),
        MergeCase(
            "a newer program removed the time that the other side wrote anew",
            diagram(saved(1), view(5), "1", "1"), diagram(saved(2), view(6), "2", "1"),
            diagram(" version=\"27\"", view(7), "1", "3"),
            diagram(
                " modified=\"2026-01-02T00:00:00.000Z\" etag=\"tag7\" version=\"27\"", view(7), "2",
                "3")),
        MergeCase(
            "one removed the tag, the other saved later", diagram(saved(1), view(5), "1", "1"),
            diagram(
                " modified=\"2026-01-02T00:00:00.000Z\" version=\"22\"", view(5), "2", "1"),
            diagram(saved(3), view(5), "1", "3"), diagram(saved(3), view(5), "2", "3")),
        MergeCase(
            "one removed the tag and saved later", diagram(saved(1), view(5), "1", "1"),
            diagram(
                " modified=\"2026-01-04T00:00:00.000Z\" version=\"24\"", view(5), "2", "1"),
            diagram(saved(3), view(5), "1", "3"),
            diagram(
                " modified=\"2026-01-04T00:00:00.000Z\" version=\"24\"", view(5), "2", "3")),
        MergeCase(
            "a shape that both changed", diagram(saved(1), view(5), "1", "1"),
            diagram(saved(3), view(6), "2", "1"), diagram(saved(2), view(7), "3", "1"),
            declined("root/mxCell[a]/value")),
        MergeCase(
            "a page that both gave another size",
            diagram(saved(1), "pageWidth=\"5\"", "1", "1"),
            diagram(saved(3), "pageWidth=\"6\"", "2", "1"),
            diagram(saved(2), "pageWidth=\"7\"", "1", "3"), declined("pageWidth")),
        MergeCase(
            "a page without a file around it", "<mxGraphModel dx=\"1\" page=\"1\"/>\n",
            "<mxGraphModel dx=\"2\" page=\"1\"/>\n", "<mxGraphModel dx=\"3\" page=\"0\"/>\n",
            "<mxGraphModel dx=\"3\" page=\"0\"/>\n"),
        MergeCase(
            "no file of draw.io", "<map modified=\"1\"/>\n", "<map modified=\"2\"/>\n",
            "<map modified=\"3\"/>\n", "declined: /modified"),
    ]

    @Test("Fields of draw.io that both sides wrote are no conflict", arguments: diagrams)
    func mergesDiagram(_ row: MergeCase) { expect(row) }

    private static func drawing(_ version: String, _ zoom: String, _ one: String, _ two: String)
        -> String
    {
        """
        <svg xmlns="s" xmlns:inkscape="i" xmlns:sodipodi="p" width="9" inkscape:version="\(version) (\(zoom), 2026)">
          <sodipodi:namedview id="v" inkscape:zoom="\(zoom)" pagecolor="#fff"/>
          <path id="a" d="\(one)"/>
          <path id="b" d="\(two)"/>
        </svg>

        """
    }

    private static func interface(_ tools: String, _ system: String, _ one: String, _ two: String)
        -> String
    {
        """
        <document version="3.0" toolsVersion="\(tools)" systemVersion="\(system)">
          <dependencies>
            <plugIn identifier="com.apple.Cocoa" version="\(tools)"/>
          </dependencies>
          <objects>
            <label id="a" title="\(one)"/>
            <label id="b" title="\(two)"/>
          </objects>
        </document>

        """
    }

    private static func outline(_ date: String, _ state: String, _ one: String, _ two: String)
        -> String
    {
        """
        <opml version="2.0">
          <head>
            <title>Feeds</title>
            <dateModified>\(date)</dateModified>
            <expansionState>\(state)</expansionState>
          </head>
          <body>
            <outline text="a" note="\(one)"/>
            <outline text="b" note="\(two)"/>
          </body>
        </opml>

        """
    }

    static let others: [MergeCase] = [
        MergeCase(
            "Inkscape: of the newer program", drawing("0.48", "1", "M1", "M1"),
            drawing("1.10.1", "2", "M2", "M1"), drawing("1.9", "7", "M1", "M3"),
            drawing("1.10.1", "2", "M2", "M3")),
        MergeCase(
            "Inkscape: of one program, the greater zoom",
            drawing("1.2", "1", "M1", "M1").replacing("(1,", with: "("),
            drawing("1.2", "2", "M2", "M1").replacing("(2,", with: "("),
            drawing("1.2", "7", "M1", "M3").replacing("(7,", with: "("),
            drawing("1.2", "7", "M2", "M3").replacing("(7,", with: "(")),
        MergeCase(
            "Inkscape: a path that both changed", drawing("0.48", "1", "M1", "M1"),
            drawing("1.10", "2", "M2", "M1"), drawing("1.9", "7", "M3", "M3"),
            "declined: /path[a]/d"),
        MergeCase(
            "Interface Builder: of the newer one", interface("9531", "9A1", "1", "1"),
            interface("14460.31", "18A391", "2", "1"), interface("9532", "9D1", "1", "3"),
            interface("14460.31", "18A391", "2", "3")),
        MergeCase(
            "Interface Builder: on another system only", interface("9531", "16F73", "1", "1"),
            interface("9531", "17A405", "2", "1"), interface("9531", "16G29", "1", "3"),
            interface("9531", "17A405", "2", "3")),
        MergeCase(
            "OPML: of the later side", outline("Fri, 02 Jan 2026 00:00:00 GMT", "1", "1", "1"),
            outline("Mon, 02 Feb 2026 00:00:00 GMT", "1,2", "2", "1"),
            outline("Wed, 07 Jan 2026 00:00:00 GMT", "7", "1", "3"),
            outline("Mon, 02 Feb 2026 00:00:00 GMT", "1,2", "2", "3")),
        MergeCase(
            "OPML: dates that are none, the greater of each", outline("a", "1", "1", "1"),
            outline("c", "2", "2", "1"), outline("b", "7", "1", "3"),
            outline("c", "7", "2", "3")),
        MergeCase(
            "OPML: a title that both changed", outline("1", "1", "1", "1"),
            outline("2", "1", "1", "1").replacing("Feeds", with: "News"),
            outline("3", "1", "1", "1").replacing("Feeds", with: "Blogs"),
            "declined: /head/title/text()"),
    ]

    @Test("Fields of other programs that both sides wrote are no conflict", arguments: others)
    func mergesOther(_ row: MergeCase) { expect(row) }

    /// Expects the result on both devices, and that a side merged again with it changes nothing.
    private func expect(_ row: MergeCase) {
        let merged = Self.merge.merge(row.input)
        #expect(merged.shown == row.merged)
        #expect(Self.merge.merge(row.input.swapped).shown == row.merged)
        guard case .merged(let bytes) = merged else { return }
        for side in [row.input.ours, row.input.theirs] {
            let again = MergeInput(base: row.input.base, ours: bytes, theirs: side)
            #expect(Self.merge.merge(again).shown == row.merged)
        }
    }

    @Test("A rule of the user decides about its field, and about no other")
    func rule() {
        var input = Self.diagrams[0].input
        input.settings.fields = [
            FieldRule(pattern: FieldPattern(["modified"]), resolution: .min)
        ]
        let expected = Self.diagrams[0].merged.replacing(
            "modified=\"2026-01-03", with: "modified=\"2026-01-02")
        for input in [input, input.swapped] {
            #expect(Self.merge.merge(input).shown == expected)
        }
    }
}
