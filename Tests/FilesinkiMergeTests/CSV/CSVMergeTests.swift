import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite struct CSVMergeTests {
    private static let rows = [
        CSVCase(
            "two fields of one row", base: "id,a,b\n1,x,y", ours: "id,a,b\n1,X,y",
            theirs: "id,a,b\n1,x,Y", merged: "id,a,b\n1,X,Y"),
        CSVCase(
            "one field by both", base: "id,a\n7,x", ours: "id,a\n7,y", theirs: "id,a\n7,z",
            place: "row 7, column a"),
        CSVCase(
            "the same value by both, quoted otherwise", base: "id,a,b\n1,x,y",
            ours: "id,a,b\n1,z,Y", theirs: "id,a,b\n1,\"z\",y", merged: "id,a,b\n1,\"z\",Y"),
        CSVCase(
            "rows added by both to a sorted table", base: "id,a\n1,x\n5,y",
            ours: "id,a\n1,x\n5,y\n30,z", theirs: "id,a\n1,x\n4,w\n5,y",
            merged: "id,a\n1,x\n4,w\n5,y\n30,z"),
        CSVCase(
            "rows added at the same place to an unsorted table", base: "id,a\n5,x\n1,y",
            ours: "id,a\n5,x\n9,h\n1,y", theirs: "id,a\n5,x\n8,t\n1,y",
            merged: "id,a\n5,x\n8,t\n9,h\n1,y"),
        CSVCase(
            "one row added by both", base: "id,a\n1,x", ours: "id,a\n1,x\n2,y",
            theirs: "id,a\n1,x\n2,y", merged: "id,a\n1,x\n2,y"),
        CSVCase(
            "one key added by both with other values", base: "id,a\n1,x",
            ours: "id,a\n1,x\n2,y", theirs: "id,a\n1,x\n2,z", place: "row 2, column a"),
        CSVCase(
            "one key edited by both", base: "id,a\n1,x\n2,y", ours: "id,a\n1,x\n3,y",
            theirs: "id,a\n1,x\n4,y", place: "row 2"),
        CSVCase(
            "a row of the same two identifiers added by both, where a third column is the key",
            base: "method,lang,name\n1,6,Gras\n1,9,Grass\n2,9,Surf",
            ours: "method,lang,name\n1,6,Gras\n1,9,Grass\n2,9,Surf\n3,9,Tree",
            theirs: "method,lang,name\n1,6,Gras\n1,9,Grass\n2,9,Surf\n3,9,Cave",
            place: "row Cave"),
        CSVCase(
            "rows of two equal fields added by both, which are no identifiers",
            base: "name,lang,size\na,6,1\nb,6,1\nc,9,1",
            ours: "name,lang,size\na,6,1\nb,6,1\nc,9,1\ne,9,2",
            theirs: "name,lang,size\na,6,1\nb,6,1\nc,9,1\nd,9,2",
            merged: "name,lang,size\na,6,1\nb,6,1\nc,9,1\nd,9,2\ne,9,2"),
        CSVCase(
            "rows of two equal fields added by both, one of which was another in each row",
            base: "name,lang,size\na,6,1\nb,9,1",
            ours: "name,lang,size\na,6,1\nb,9,1\ne,9,2",
            theirs: "name,lang,size\na,6,1\nb,9,1\nd,9,2",
            merged: "name,lang,size\na,6,1\nb,9,1\nd,9,2\ne,9,2"),
        CSVCase(
            "removed by one, another edited", base: "id,a\n1,x\n2,y", ours: "id,a\n2,y",
            theirs: "id,a\n1,x\n2,z", merged: "id,a\n2,z"),
        CSVCase(
            "removed by one and edited by the other", base: "id,a\n1,x\n2,y",
            ours: "id,a\n2,y", theirs: "id,a\n1,z\n2,y", place: "row 1"),
        CSVCase(
            "a column added by one", base: "id,a\n1,x\n2,y", ours: "id,b,a\n1,p,x\n2,q,y",
            theirs: "id,a\n1,x\n2,y\n3,z", merged: "id,b,a\n1,p,x\n2,q,y\n3,,z"),
        CSVCase(
            "a column in quotes added by one", base: "id,a\n1,x",
            ours: "id,a,b\n1,x,\"p\"", theirs: "id,a\n1,x\n2,y",
            merged: "id,a,b\n1,x,\"p\"\n2,y,\"\""),
        CSVCase(
            "a column removed by one", base: "id,a,b\n1,x,p\n2,y,q", ours: "id,b\n1,p\n2,q",
            theirs: "id,a,b\n1,x,P\n2,y,q", merged: "id,b\n1,P\n2,q"),
        CSVCase(
            "a column removed by one and edited by the other", base: "id,a,b\n1,x,p",
            ours: "id,b\n1,p", theirs: "id,a,b\n1,z,p", place: "row 1, column a"),
        CSVCase(
            "columns reordered by one", base: "id,a,b\n1,x,p", ours: "b,id,a\np,1,x",
            theirs: "id,a,b\n1,y,p", merged: "b,id,a\np,1,y"),
        CSVCase(
            "rows reordered by one", base: "id,a\n3,x\n1,y\n2,z", ours: "id,a\n1,y\n2,z\n3,x",
            theirs: "id,a\n3,X\n1,y\n2,z", merged: "id,a\n1,y\n2,z\n3,X"),
        CSVCase(
            "rows without a key", base: "a,b\nx,1\nx,1\ny,1", ours: "a,b\nx,1\ny,1\nz,1",
            theirs: "a,b\nx,1\nx,1\ny,1\ny,1", merged: "a,b\nx,1\ny,1\ny,1\nz,1"),
        CSVCase(
            "chosen keys", base: "a,b,c\n1,1,x\n1,2,y", ours: "a,b,c\n1,1,X\n1,2,y",
            theirs: "a,b,c\n1,1,x\n1,2,Y", merged: "a,b,c\n1,1,X\n1,2,Y", keys: ["a", "b"]),
        CSVCase(
            "chosen keys that are not unique", base: "a,b\n1,x\n1,y", ours: "a,b\n1,x\n1,z",
            theirs: "a,b\n1,w\n1,y", keys: ["a"]),
        CSVCase(
            "a table without a header", base: "1,x,5\n2,y,6", ours: "1,X,5\n2,y,6",
            theirs: "1,x,5\n2,y,7", merged: "1,X,5\n2,y,7"),
        CSVCase(
            "semicolons and a comma in a field", base: "id;a;b\n1;x,y;z", ours: "id;a;b\n1;x,Y;z",
            theirs: "id;a;b\n1;x,y;Z", merged: "id;a;b\n1;x,Y;Z"),
        CSVCase(
            "a newline in a field", base: "id,a,b\n1,\"x\ny\",z", ours: "id,a,b\n1,\"x\ny\",Z",
            theirs: "id,a,b\n1,\"x\nY\",z", merged: "id,a,b\n1,\"x\nY\",Z"),
        CSVCase(
            "a short row stays short", base: "id,a,b\n1,x\n2,y,z", ours: "id,a,b\n1,X\n2,y,z",
            theirs: "id,a,b\n1,x\n2,y,Z", merged: "id,a,b\n1,X\n2,y,Z"),
        CSVCase(
            "a row that is too long", base: "id,a\n1,x", ours: "id,a\n1,x,y",
            theirs: "id,a\n1,z"),
        CSVCase("an open quote", base: "id,a\n1,x", ours: "id,a\n1,\"x", theirs: "id,a\n1,z"),
    ]

    private static let fields = [
        CSVCase(
            "the greater number", base: "id,n\n1,5", ours: "id,n\n1,10", theirs: "id,n\n1,9",
            merged: "id,n\n1,10", fields: ["/n": .max]),
        CSVCase(
            "the lesser text", base: "id,n\n1,m", ours: "id,n\n1,b", theirs: "id,n\n1,a",
            merged: "id,n\n1,a", fields: ["/n": .min]),
        CSVCase(
            "a counter", base: "id,n\n1,5.25", ours: "id,n\n1,7", theirs: "id,n\n1,-4.5",
            merged: "id,n\n1,-2.75", fields: ["/*": .sum]),
        CSVCase(
            "a counter that both changed equally", base: "id,n,m\n1,5,a",
            ours: "id,n,m\n1,6,b", theirs: "id,n,m\n1,6,a", merged: "id,n,m\n1,7,b",
            fields: ["/n": .sum]),
        CSVCase(
            "a counter that is no number", base: "id,n\n1,5", ours: "id,n\n1,six",
            theirs: "id,n\n1,7", place: "row 1, column n", fields: ["/n": .sum]),
        CSVCase(
            "a counter in quotes", base: "id,n\n1,\"5\"", ours: "id,n\n1,\"6\"",
            theirs: "id,n\n1,\"7\"", merged: "id,n\n1,\"8\"", fields: ["/n": .sum]),
        CSVCase(
            "the newer", base: "id,n\n1,5", ours: "id,n\n1,6", theirs: "id,n\n1,7",
            merged: "id,n\n1,7", fields: ["/n": .newest]),
        CSVCase(
            "union has no meaning", base: "id,n\n1,5", ours: "id,n\n1,6", theirs: "id,n\n1,7",
            place: "row 1, column n", fields: ["/n": .union]),
        CSVCase(
            "the older by choice", base: "id,n\n1,5", ours: "id,n\n1,6", theirs: "id,n\n1,7",
            merged: "id,n\n1,6", choice: .oldest),
    ]

    @Test(arguments: rows + fields)
    func `tables are merged by rows and columns`(_ row: CSVCase) throws { try row.check() }

    @Test func `byte order mark, line ends and a missing last newline stay`() {
        let input = MergeInput(
            base: Array("\u{FEFF}id,a,b\r\n1,x,y\r\n2,x,y".utf8),
            ours: Array("\u{FEFF}id,a,b\r\n1,X,y\r\n2,x,y".utf8),
            theirs: Array("\u{FEFF}id,a,b\r\n1,x,y\r\n2,x,Y".utf8))
        let expected = "\u{FEFF}id,a,b\r\n1,X,y\r\n2,x,Y"
        #expect(CSVMerge().merge(input) == .merged(Array(expected.utf8)))
    }

    @Test func `a lone carriage return at the end is not lost`() {
        let input = MergeInput(
            base: Array("i,\"hi\"\"\"\r".utf8), ours: Array("41,66\ni,\"hi\"\"\"\r".utf8),
            theirs: Array("17,new10\"\r".utf8))
        #expect(FuzzTarget.csv.laws().broken(by: input).isEmpty)
    }

    @Test func `by its name alone, a table without a key is merged as text`() {
        let merge = DocumentFormat.table.merge
        let repeated = MergeCase(
            "", "a,b\n1,x\n1,x\n", "a,b\n1,y\n1,x\n", "a,b\n1,z\n1,x\n", "declined: line 2")
        #expect(merge.merge(repeated.input).shown == repeated.merged)
        #expect(CSVMerge().merge(repeated.input).shown != repeated.merged)
        let keyed = MergeCase(
            "", "id,b,c\n1,x,x\n", "id,b,c\n1,y,x\n", "id,b,c\n1,x,z\n", "id,b,c\n1,y,z\n")
        #expect(merge.merge(keyed.input).shown == keyed.merged)
        let ragged = MergeCase(
            "", "a\n1,2\n3\n4\n", "b\n1,2\n3\n4\n", "a\n1,2\n3\n5\n", "b\n1,2\n3\n5\n")
        #expect(merge.merge(ragged.input).shown == ragged.merged)
    }

    @Test(arguments: [
        MergeCase(
            "both added rows of numbers in their order", texts, texts + "10,6,c\n",
            texts + "9,6,d\n",
            texts + "9,6,d\n10,6,c\n"),
        MergeCase(
            "one side edited a row, the other its neighbour", texts,
            "n,lang,t\n1,6,A\n1,9,b\n2,9,b\n",
            "n,lang,t\n1,6,a\n1,9,B\n2,9,b\n", "n,lang,t\n1,6,A\n1,9,B\n2,9,b\n"),
        MergeCase(
            "one row with other texts", texts, texts + "3,9,c\n", texts + "3,9,d\n",
            "declined: row 3 9, column t"),
        MergeCase(
            "rows with one new number", texts, texts + "3,6,c\n", texts + "3,9,d\n",
            "declined: row 3 6"),
        MergeCase(
            "rows with one new word", texts, texts + "x,6,c\n", texts + "x,9,d\n",
            texts + "x,6,c\nx,9,d\n"),
        MergeCase(
            "a row removed and edited", texts, "n,lang,t\n1,6,a\n2,9,b\n",
            "n,lang,t\n1,6,a\n1,9,B\n2,9,b\n", "declined: row 1 9"),
        MergeCase(
            "one key edited by both", texts, "n,lang,t\n1,6,a\n1,8,b\n2,9,b\n",
            "n,lang,t\n1,6,a\n1,7,b\n2,9,b\n", "declined: row 1 9"),
    ])
    func `where lines conflict, the first two columns are the key`(_ row: MergeCase) {
        checkNamed(row)
    }

    @Test(arguments: [
        MergeCase(
            "rows at one place", list, list + "z,1\n", list + "w,1\nv,1\n", list + "w,1\nv,1\nz,1\n"
        ),
        MergeCase(
            "a row that both added", list, list + "z,1\nv,1\n", list + "w,1\nv,1\n",
            "declined: line 5"),
        MergeCase(
            "a row that one side edited", list, "a,b\nx,1\nx,1\ny,2\n", list + "w,1\n",
            "declined: line 4"),
        MergeCase(
            "rows with one new number", "a,b\n1,x\n1,x\n", "a,b\n1,x\n1,x\n2,y\n",
            "a,b\n1,x\n1,x\n2,z\n", "declined: row 2 y"),
    ])
    func `where lines conflict, additions of both sides are merged without a key`(
        _ row: MergeCase
    ) {
        checkNamed(row)
    }

    private static let texts = "n,lang,t\n1,6,a\n1,9,b\n2,9,b\n"
    private static let list = "a,b\nx,1\nx,1\ny,1\n"

    private func checkNamed(_ row: MergeCase) {
        for input in [row.input, row.input.swapped] {
            #expect(DocumentFormat.table.merge.merge(input).shown == row.merged)
        }
    }

    @Test func `a counter's sum is exact at any length`() throws {
        let digits = String(repeating: "9", count: 100)
        let row = CSVCase(
            "", base: "id,n\n1,0", ours: "id,n\n1,\(digits)", theirs: "id,n\n1,0.1",
            fields: ["/n": .sum])
        let expected = CSVCase.bytes("id,n\n1,\(digits).1")
        #expect(CSVMerge().merge(try row.input()) == .merged(expected))
    }

    @Test func `the laws hold for tables with a key`() {
        var laws = FuzzTarget.csv.laws()
        laws.again = .same
        var tables = RandomTables(seed: 5)
        var mergedCount = 0
        for number in 0..<100 {
            let input = tables.next()
            let broken = laws.broken(by: input)
            #expect(broken.isEmpty, "number \(number)\n\(describe(input))")
            if case .merged = CSVMerge().merge(input) { mergedCount += 1 }
        }
        #expect(mergedCount > 10)
    }
}

/// One merge of tables. A row's texts have no last newline; every version gets one.
struct CSVCase: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var base: String?
    var ours: String
    var theirs: String
    /// The result; nil where it declines.
    var merged: String?
    /// The place of the first conflict.
    var place = ""
    var fields: [String: FieldRule.Resolution] = [:]
    var choice: FieldChoice?
    var keys: [String] = []

    init(
        _ description: String, base: String?, ours: String, theirs: String, merged: String? = nil,
        place: String = "", fields: [String: FieldRule.Resolution] = [:],
        choice: FieldChoice? = nil, keys: [String] = []
    ) {
        testDescription = description
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.merged = merged
        self.place = place
        self.fields = fields
        self.choice = choice
        self.keys = keys
    }

    func input() throws -> MergeInput {
        var settings = MergeSettings()
        settings.fields = try fields.map { pattern, resolution in
            FieldRule(pattern: try FieldPattern(parsing: pattern), resolution: resolution)
        }
        settings.fieldChoice = choice
        settings.keyColumns = keys
        return MergeInput(
            base: base.map(Self.bytes), ours: Self.bytes(ours), theirs: Self.bytes(theirs),
            oursModified: Timestamp(nanoseconds: 1), theirsModified: Timestamp(nanoseconds: 2),
            settings: settings)
    }

    /// Merges as either device does.
    func check() throws {
        let input = try input()
        for input in [input, input.swapped] {
            switch CSVMerge().merge(input) {
            case .merged(let bytes):
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(text == merged.map { $0 + "\n" })
            case .declined(let conflicts):
                #expect(merged == nil, "\(conflicts)")
                #expect(conflicts.first?.place == place, "\(conflicts)")
            }
        }
    }

    static func bytes(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }
}
