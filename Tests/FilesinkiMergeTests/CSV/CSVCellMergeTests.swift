import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite struct CSVCellMergeTests {
    @Test(arguments: [
        CSVCase(
            "only the quotes by one side, the value by the other", base: "id,a\n1,x",
            ours: "id,a\n1,\"x\"", theirs: "id,a\n1,z", merged: "id,a\n1,z"),
        CSVCase(
            "only the quotes by one side, nothing by the other", base: "id,a,b\n1,x,p",
            ours: "id,a,b\n1,\"x\",p", theirs: "id,a,b\n1,x,q", merged: "id,a,b\n1,\"x\",q"),
        CSVCase(
            "an empty field and none", base: "id,a,b\n1,x,y", ours: "id,a,b\n1,x",
            theirs: "id,a,b\n1,x,", merged: "id,a,b\n1,x,"),
        CSVCase(
            "a doubled quote is one", base: "id,a,b\n1,\"x\"\"y\",p",
            ours: "id,a,b\n1,\"x\"\"z\",p", theirs: "id,a,b\n1,\"x\"\"y\",q",
            merged: "id,a,b\n1,\"x\"\"z\",q"),
        CSVCase(
            "a doubled quote is not two", base: "id,a\n1,x", ours: "id,a\n1,\"\"\"y\"",
            theirs: "id,a\n1,\"\"\"\"\"y\"", place: "row 1, column a"),
        CSVCase(
            "a quote inside a field without quotes", base: "id,a,b\n1,5\" x,p",
            ours: "id,a,b\n1,6\" x,p", theirs: "id,a,b\n1,5\" x,q", merged: "id,a,b\n1,6\" x,q"),
        CSVCase(
            "a quote that ends before its field does", base: "id,a\n1,x", ours: "id,a\n1,\"x\"y",
            theirs: "id,a\n1,z"),
        CSVCase(
            "a separator in quotes", base: "id,a,b\n1,\"x,y\",p", ours: "id,a,b\n1,\"x,z\",p",
            theirs: "id,a,b\n1,\"x,y\",q", merged: "id,a,b\n1,\"x,z\",q"),
        CSVCase(
            "a carriage return inside a field is one", base: "id,a,b\n1,x\ry,p",
            ours: "id,a,b\n1,x\rz,p", theirs: "id,a,b\n1,x\ry,q", merged: "id,a,b\n1,x\rz,q"),
        CSVCase(
            "a carriage return that comes to stand at the end of a row", base: "id,a,b\n1,x\r,p",
            ours: "id,a\n1,\"x\r\"", theirs: "id,a,b\n1,y\r,p", merged: "id,a\n1,\"y\r\""),
        CSVCase(
            "a sum is not in quotes where some fields of the column are not",
            base: "id,n\n1,\"5\"\n2,5", ours: "id,n\n1,\"6\"\n2,5", theirs: "id,n\n1,\"7\"\n2,5",
            merged: "id,n\n1,8\n2,5", fields: ["/n": .sum]),
        CSVCase(
            "a new column without rows has no quotes", base: "id,a\n1,x", ours: "id,a,b",
            theirs: "id,a\n1,x\n2,y", merged: "id,a,b\n2,y,"),
    ])
    func `a value in quotes and without is the same`(_ row: CSVCase) throws { try row.check() }

    @Test(arguments: [
        CSVCase(
            "the greater of equal numbers by bytes", base: "id,n\n1,5", ours: "id,n\n1,7",
            theirs: "id,n\n1,7.0", merged: "id,n\n1,7.0", fields: ["/n": .max]),
        CSVCase(
            "the lesser of equal numbers by bytes", base: "id,n\n1,5", ours: "id,n\n1,7",
            theirs: "id,n\n1,7.0", merged: "id,n\n1,7", fields: ["/n": .min]),
        CSVCase(
            "the greater below zero", base: "id,n\n1,-1", ours: "id,n\n1,-10", theirs: "id,n\n1,-9",
            merged: "id,n\n1,-9", fields: ["/n": .max]),
        CSVCase(
            "the lesser below zero", base: "id,n\n1,-1", ours: "id,n\n1,-10", theirs: "id,n\n1,-9",
            merged: "id,n\n1,-10", fields: ["/n": .min]),
        CSVCase(
            "a number and a word by bytes", base: "id,n\n1,5", ours: "id,n\n1,10",
            theirs: "id,n\n1,9b", merged: "id,n\n1,9b", fields: ["/n": .max]),
        CSVCase(
            "the greater where only one changed it", base: "id,n\n1,5", ours: "id,n\n1,3",
            theirs: "id,n\n1,5\n2,9", merged: "id,n\n1,3\n2,9", fields: ["/n": .max]),
        CSVCase(
            "a counter that was empty", base: "id,n\n1,", ours: "id,n\n1,3", theirs: "id,n\n1,4",
            merged: "id,n\n1,7", fields: ["/n": .sum]),
        CSVCase(
            "a counter that only one changed", base: "id,n,a\n1,05,x", ours: "id,n,a\n1,06,x",
            theirs: "id,n,a\n1,05,y", merged: "id,n,a\n1,06,y", fields: ["/n": .sum]),
        CSVCase(
            "a counter that was a word", base: "id,n\n1,x", ours: "id,n\n1,3", theirs: "id,n\n1,4",
            place: "row 1, column n", fields: ["/n": .sum]),
        CSVCase(
            "a counter with an exponent", base: "id,n\n1,1", ours: "id,n\n1,1e3",
            theirs: "id,n\n1,4", place: "row 1, column n", fields: ["/n": .sum]),
        CSVCase(
            "a counter that one side made empty", base: "id,n\n1,1", ours: "id,n\n1,",
            theirs: "id,n\n1,4", place: "row 1, column n", fields: ["/n": .sum]),
        CSVCase(
            "a counter of a new row that both added alike", base: "id,n\n1,1",
            ours: "id,n\n1,1\n2,3\n4,9", theirs: "id,n\n1,1\n2,3", merged: "id,n\n1,1\n2,6\n4,9",
            fields: ["/n": .sum]),
        CSVCase(
            "the greater version", base: "id,v\n1,^1.8.0", ours: "id,v\n1,^1.9.2",
            theirs: "id,v\n1,^1.10.0-rc.1", merged: "id,v\n1,^1.10.0-rc.1",
            fields: ["/v": .maxVersion]),
        CSVCase(
            "versions of other ranges", base: "id,v\n1,^1.8.0", ours: "id,v\n1,^1.9.2",
            theirs: "id,v\n1,~1.10.0", place: "row 1, column v", fields: ["/v": .maxVersion]),
        CSVCase(
            "a rule for another column", base: "id,n,m\n1,5,5", ours: "id,n,m\n1,6,5",
            theirs: "id,n,m\n1,7,5", place: "row 1, column n", fields: ["/m": .max]),
        CSVCase(
            "a rule for columns with a name", base: "id,n\n1,5", ours: "id,n\n1,6",
            theirs: "id,n\n1,7", place: "row 1, column n", fields: ["/N": .max]),
        CSVCase(
            "a rule goes before a choice", base: "id,n\n1,5", ours: "id,n\n1,6",
            theirs: "id,n\n1,7", merged: "id,n\n1,7", fields: ["/n": .max], choice: .oldest),
        CSVCase(
            "the newer by choice", base: "id,n\n1,5", ours: "id,n\n1,6", theirs: "id,n\n1,7",
            merged: "id,n\n1,7", choice: .newest),
        CSVCase(
            "a choice does not decide about a removed row", base: "id,n\n1,5\n2,6",
            ours: "id,n\n2,6", theirs: "id,n\n1,7\n2,6", place: "row 1", choice: .newest),
        CSVCase(
            "a choice leaves what only the older changed", base: "id,n,m\n1,5,5",
            ours: "id,n,m\n1,6,8", theirs: "id,n,m\n1,7,5", merged: "id,n,m\n1,7,8", choice: .newest
        ),
    ])
    func `a rule decides about a field that both sides changed`(_ row: CSVCase) throws {
        try row.check()
    }

    private static let contested = CSVCase(
        "", base: "id,n\n1,5", ours: "id,n\n1,6", theirs: "id,n\n1,7")

    @Test(arguments: [(FieldChoice.ours, "6"), (.theirs, "7")])
    func `a side can be chosen`(_ choice: FieldChoice, _ value: String) throws {
        var row = Self.contested
        row.choice = choice
        #expect(CSVMerge().merge(try row.input()) == .merged(CSVCase.bytes("id,n\n1,\(value)")))
    }

    @Test(arguments: [FieldChoice.newest, .oldest])
    func `equal times choose nothing`(_ choice: FieldChoice) throws {
        var input = try Self.contested.input()
        input.theirsModified = input.oursModified
        input.settings.fieldChoice = choice
        #expect(CSVMerge().merge(input).shown == "declined: row 1, column n")
        input.settings.fieldChoice = nil
        input.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: "/n"), resolution: .newest)
        ]
        #expect(CSVMerge().merge(input).shown == "declined: row 1, column n")
    }

    @Test(arguments: [(["/n", "/*"], "7"), (["/*", "/n"], "8")])
    func `of two rules the first decides`(_ patterns: [String], _ value: String) throws {
        var input = try Self.contested.input()
        let resolutions: [String: FieldRule.Resolution] = ["/n": .max, "/*": .sum]
        input.settings.fields = try patterns.map {
            FieldRule(pattern: try FieldPattern(parsing: $0), resolution: resolutions[$0] ?? .union)
        }
        #expect(CSVMerge().merge(input) == .merged(CSVCase.bytes("id,n\n1,\(value)")))
    }

    @Test func `bytes that are no UTF-8 stay`() {
        func table(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] {
            Array("id,a,b\n1,".utf8) + one + [0x2C] + other + [10]
        }
        let input = MergeInput(
            base: table([0xE4], [0xFF]), ours: table([0xE9], [0xFF]), theirs: table([0xE4], [0xFE]))
        #expect(CSVMerge().merge(input) == .merged(table([0xE9], [0xFE])))
    }

    @Test func `a zero byte is no text, however far behind`() {
        func table(_ value: String) -> [UInt8] {
            CSVCase.bytes("id,a,b\n1,\(value)," + String(repeating: "x", count: 9000) + "\0")
        }
        let input = MergeInput(
            base: table("x"), ours: table("y"), theirs: CSVCase.bytes("id,a,b\n1,x,"))
        #expect(
            CSVMerge().merge(input) == .declined([MergeConflict("", "The content is not text.")]))
    }
}
