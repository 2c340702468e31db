import Testing

@testable import FilesinkiMerge

@Suite("Workbooks in Office Open XML merged by cell")
struct WorkbookMergeTests {
    private static let sheet = "xl/worksheets/sheet1.xml"
    private static let row = OOXMLSample.row

    private static func rows(_ values: [[String]]) -> String {
        values.enumerated().map { index, cells in
            row(index + 1, zip(["A", "B", "C", "D"], cells).map { ($0, $1) })
        }.joined()
    }

    /// The cells of a merged sheet, with their texts in place of the numbers.
    private func cells(_ outcome: MergeOutcome) throws -> [String] {
        guard case .merged(let bytes) = outcome else { return ["declined"] }
        let package = ArchivePackage(try ZipArchive(bytes))
        let sheet = try #require(try package.document(Self.sheet))
        let list = try #require(try package.document("xl/sharedStrings.xml"))
        return sheet.elements.indices.filter { sheet.isNamed($0, "c") }.map { cell in
            let name = String(decoding: sheet.attribute("r", of: cell) ?? [], as: UTF8.self)
            if let text = sheet.sharedString(cell) {
                let item = list.elements[list.elements[0].children[text.number]]
                return name + " "
                    + String(decoding: list.slice(item.content), as: UTF8.self)
                    .replacing("<t>", with: "").replacing("</t>", with: "")
            }
            return name + " "
                + String(decoding: sheet.slice(sheet.elements[cell].content), as: UTF8.self)
                .replacing("<v>", with: "=").replacing("</v>", with: "")
        }
    }

    /// Lists of texts, and cells by row; `=1` is a value, a number that of a text.
    static let merged:
        [(
            name: String, base: ([String], [[String]]), ours: ([String], [[String]]),
            theirs: ([String], [[String]]), cells: [String]
        )] = [
            (
                "values of two cells", (["x"], [["=1", "=2"], ["=3", "0"]]),
                (["x"], [["=9", "=2"], ["=3", "0"]]), (["x"], [["=1", "=2"], ["=8", "0"]]),
                ["A1 =9", "B1 =2", "A2 =8", "B2 x"]
            ),
            (
                "two cells of one row", (["x"], [["=1", "=2"]]), (["x"], [["=9", "=2"]]),
                (["x"], [["=1", "=8"]]), ["A1 =9", "B1 =8"]
            ),
            (
                "both added texts", (["x"], [["0", "=2"], ["=3"]]),
                (["x", "y"], [["1", "=2"], ["=3"]]), (["x", "z"], [["0", "=2"], ["1"]]),
                ["A1 y", "B1 =2", "A2 z"]
            ),
            (
                "one side wrote the list in another order",
                (["x", "y", "z"], [["0", "1"], ["2"]]),
                (["z", "y", "x"], [["2", "1"], ["0"], ["1"]]),
                (["x", "y", "z", "new"], [["3", "1"], ["2"]]), ["A1 new", "B1 y", "A2 z", "A3 y"]
            ),
            (
                "both added rows and one a cell", ([], [["=1"]]), ([], [["=1", "=5"], ["=2"]]),
                ([], [["=7"]]), ["A1 =7", "B1 =5", "A2 =2"]
            ),
        ]

    @Test("cells", arguments: merged.map(\.name))
    func merges(_ name: String) throws {
        for row in Self.merged where row.name == name {
            let outcome = try SampleArchive.merged(
                .ooxml, OOXMLSample.workbook(row.base.0, Self.rows(row.base.1)),
                OOXMLSample.workbook(row.ours.0, Self.rows(row.ours.1)),
                OOXMLSample.workbook(row.theirs.0, Self.rows(row.theirs.1)))
            #expect(try cells(outcome) == row.cells, "\(outcome.reasons)")
        }
    }

    @Test("rows that both added ascend, whatever their numbers")
    func order() throws {
        let (first, ninth, tenth) = (
            Self.row(1, [("A", "=1")]), Self.row(9, [("A", "=9")]), Self.row(10, [("A", "=0")])
        )
        let outcome = try SampleArchive.merged(
            .ooxml, OOXMLSample.workbook([], first), OOXMLSample.workbook([], first + tenth),
            OOXMLSample.workbook([], first + ninth))
        #expect(try cells(outcome) == ["A1 =1", "A9 =9", "A10 =0"], "\(outcome.reasons)")
    }

    /// What does not go together, by a word of the reason.
    static let declined:
        [(name: String, reason: String, ours: SampleArchive, theirs: SampleArchive)] = {
            func workbook(_ rows: [[String]]) -> SampleArchive {
                OOXMLSample.workbook(["x", "y"], rows.isEmpty ? "" : WorkbookMergeTests.rows(rows))
            }
            let edited = workbook([["=1", "=2"], ["0", "=4"], ["=5", "=7"]])
            return [
                (
                    "one cell", "Both sides changed it",
                    workbook([["=1", "=2"], ["0", "=4"], ["=5", "=8"]]), edited
                ),
                (
                    "a row inserted", "inserted",
                    workbook([["=1", "=2"], ["=9"], ["0", "=4"], ["=5", "=6"]]), edited
                ),
                ("a row removed", "inserted", workbook([["0", "=4"], ["=5", "=6"]]), edited),
                (
                    "a column inserted", "inserted",
                    workbook([["=9", "=1", "=2"], ["=9", "0", "=4"], ["=9", "=5", "=6"]]), edited
                ),
                (
                    "formulas", "formulas",
                    workbook([["=1", "=3"], ["0", "=4"], ["=5", "=6"]]).edited(
                        sheet, "<v>3</v>", "<f>A1+1</f><v>3</v>"), edited
                ),
                (
                    "cells, and more than cells", "more than cells",
                    workbook([["=1", "=3"], ["0", "=4"], ["=5", "=6"]]).edited(
                        sheet, "<pageMargins left=\"1\"/>", "<mergeCells/><pageMargins left=\"1\"/>"
                    ), edited
                ),
                (
                    "formats in another order", "formats",
                    workbook([["=1", "=3"], ["0", "=4"], ["=5", "=6"]]).edited(
                        "xl/styles.xml", "<xf/>", "<xf b=\"1\"/><xf/>"), edited
                ),
                (
                    "a sheet removed", "sheet",
                    workbook([["=1", "=2"], ["0", "=4"], ["=5", "=6"]]).with([
                        ("xl/worksheets/sheet2.xml", nil)
                    ])
                    .edited(
                        "[Content_Types].xml",
                        OOXMLSample.override("xl/worksheets/sheet2.xml", "spreadsheetml.worksheet"),
                        ""
                    )
                    .edited(
                        "xl/_rels/workbook.xml.rels",
                        OOXMLSample.relationship("rId2", "worksheet", "worksheets/sheet2.xml"), ""),
                    edited
                ),
                (
                    "a table", "tables",
                    workbook([["=1", "=3"], ["0", "=4"], ["=5", "=6"]]).with([
                        ("xl/tables/table1.xml", "<a/>")
                    ])
                    .edited(
                        "[Content_Types].xml", "</Types>",
                        OOXMLSample.override("xl/tables/table1.xml", "spreadsheetml.table")
                            + "</Types>"),
                    edited
                ),
                (
                    "a cell with a text that does not exist", "",
                    workbook([["7", "=2"], ["0", "=4"], ["=5", "=6"]]), edited
                ),
            ]
        }()

    @Test("what does not go together is declined", arguments: declined.map(\.name))
    func declines(_ name: String) throws {
        let base = OOXMLSample.workbook(
            ["x", "y"], Self.rows([["=1", "=2"], ["0", "=4"], ["=5", "=6"]]))
        for row in Self.declined where row.name == name {
            let outcome = try SampleArchive.merged(.ooxml, base, row.ours, row.theirs)
            guard case .declined = outcome else {
                Issue.record("merged")
                return
            }
            #expect(
                row.reason.isEmpty || outcome.reasons.contains(row.reason), "\(outcome.reasons)")
        }
    }

    @Test(
        "formats that one side added behind the others stay, and so does the window of the later save"
    )
    func formats() throws {
        let base = OOXMLSample.workbook([], Self.rows([["=1", "=2"]]))
        let ours = base.edited("xl/styles.xml", "<xf/>", "<xf/><xf b=\"1\"/>").edited(
            Self.sheet, "r=\"A1\"", "r=\"A1\" s=\"1\"", "<sheetView/>", "<sheetView x=\"1\"/>",
            "ref=\"A1\"", "ref=\"A1:B1\""
        ).with([("docProps/core.xml", OOXMLSample.core(4))])
        let theirs = base.edited(
            Self.sheet, ">2<", ">3<", "<sheetView/>", "<sheetView x=\"2\"/>", "ref=\"A1\"",
            "ref=\"A1:C1\"",
            "spans=\"1:2\"", "spans=\"1:3\"")
        let outcome = try SampleArchive.merged(.ooxml, base, ours, theirs)
        let sheet = try outcome.part(Self.sheet) ?? ""
        #expect(sheet.contains("s=\"1\"") && sheet.contains(">3<"), "\(outcome.reasons)")
        #expect(sheet.contains("<sheetView x=\"1\"/>") && !sheet.contains("<dimension"))
        #expect(sheet.contains("spans=\"1:3\""))
    }
}
