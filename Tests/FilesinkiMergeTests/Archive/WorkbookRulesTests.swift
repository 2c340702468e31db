import Testing

@testable import FilesinkiMerge

@Suite("Numbers in workbooks") struct WorkbookRulesTests {
    @Test(arguments: [
        ("A1", 1, 1), ("Z9", 26, 9), ("AA10", 27, 10), ("AZ1", 52, 1), ("BA1", 53, 1),
        ("XFD1048576", 16384, 1_048_576),
        ("12", 0, 12), ("", 0, 0),
    ])
    func `a reference has a column and a row`(_ reference: String, _ column: Int, _ row: Int) {
        #expect(WorkbookRules.column(of: Array(reference.utf8)) == column)
        #expect(WorkbookRules.number(of: Array(reference.utf8)) == row)
    }

    @Test(
        arguments: [
            ("0", 0), ("7", 7), ("007", 7), ("999999999", 999_999_999), ("1000000000", nil),
            ("", nil), ("-1", nil),
            ("1.0", nil), (" 1", nil),
        ] as [(String, Int?)])
    func `a number of a text has plain digits`(_ text: String, _ number: Int?) {
        #expect(Int(text: Array(text.utf8)[...]) == number)
    }
}
