/// The parts of a workbook in Office Open XML (SpreadsheetML: ISO/IEC 29500-1, section 18).
enum WorkbookRules {
    static let all: [(type: String, rule: PartRule)] = [
        ("spreadsheetml.sheet.main+xml", .elements(workbook)),
        ("spreadsheetml.template.main+xml", .elements(workbook)),
        ("ms-excel.sheet.macroEnabled.main+xml", .elements(workbook)),
        ("ms-excel.template.macroEnabled.main+xml", .elements(workbook)),
        ("spreadsheetml.worksheet+xml", .elements(worksheet)),
        // Equal in all versions after the alignment.
        (sharedStringsType, .elements(.whole)),
    ]

    static let sharedStringsType = "spreadsheetml.sharedStrings+xml"

    /// What each save writes: the window, the program, and where the file was.
    private static let workbook = ElementRule.byName(
        latest: [
            "bookViews", "calcPr", "fileVersion", "mc:AlternateContent", "xr:revisionPtr",
        ], isOrdered: true)

    /// Rows and cells by their reference. Which cells are used, and what the window showed, is written by each save.
    private static let worksheet: ElementRule = {
        let row = ElementRule.keyed(
            KeyedChildren(
                key: reference("c"), rule: { _, _ in .whole }, number: { column(of: $0) },
                optionalAttributes: ["spans"]))
        let rows = ElementRule.keyed(
            KeyedChildren(key: reference("row"), rule: { _, _ in row }, number: { number(of: $0) }))
        return .byName(
            ["sheetData": rows, "sheetViews": .latest, "dimension": .leftOut], isOrdered: true)
    }()

    /// The reference of a row or a cell, which programs may leave out, but not here.
    private static func reference(_ name: String) -> @Sendable (XMLPart, Int) -> [UInt8]? {
        { part, child in
            part.isNamed(child, name) ? part.attribute("r", of: child).map(Array.init) : nil
        }
    }

    /// The number of a row.
    static func number(of reference: [UInt8]) -> Int {
        Int(String(decoding: reference.filter { 0x30...0x39 ~= $0 }, as: UTF8.self)) ?? 0
    }

    /// The number of the column of a cell: 1 for `A1`, 27 for `AA1`.
    static func column(of reference: [UInt8]) -> Int {
        reference.prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }.prefix(4)
            .reduce(0) { $0 * 26 + Int($1) - 64 }
    }
}
