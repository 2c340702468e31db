import Testing

@testable import FilesinkiMerge

@Suite struct CSVSheetTests {
    @Test(arguments: [
        CSVCase(
            "a number in the first line", base: "id,5\n1,x", ours: "id,5\n1,y", theirs: "id,5\n1,z",
            place: "row 1, column 2"),
        CSVCase(
            "an empty name", base: "id,\n1,x", ours: "id,\n1,y", theirs: "id,\n1,z",
            place: "row 1, column 2"),
        CSVCase(
            "a name twice", base: "id,id\n1,x", ours: "id,id\n1,y", theirs: "id,id\n1,z",
            place: "row 1, column 2"),
        CSVCase(
            "a first line that shares no name", base: "a,b\n1,x", ours: "c,d\n1,x",
            theirs: "a,b\n1,y", merged: "c,d\n1,y"),
        CSVCase(
            "a first line that shares one name", base: "id,b\n1,x", ours: "id,c\n1,x",
            theirs: "id,b\n1,y", place: "row 1, column b"),
        CSVCase(
            "names in quotes", base: "\"id\",\"a\"\n1,x", ours: "\"id\",\"a\"\n1,y",
            theirs: "\"id\",\"a\"\n1,z", place: "row 1, column a"),
        CSVCase(
            "a name that one side put into quotes", base: "id,a,b\n1,x,p",
            ours: "id,\"a\",b\n1,x,p", theirs: "id,a,b\n1,y,p", merged: "id,\"a\",b\n1,y,p"),
        CSVCase(
            "a rule knows a column without a header by its number", base: "1,5", ours: "1,8",
            theirs: "1,7", merged: "1,8", fields: ["/2": .max]),
        CSVCase(
            "a rule does not know the header of a table by a number", base: "id,n\n1,5",
            ours: "id,n\n1,8", theirs: "id,n\n1,7", place: "row 1, column n", fields: ["/2": .max]),
    ])
    func `the first line is a header if it looks so in all versions`(_ row: CSVCase) throws {
        try row.check()
    }

    @Test(arguments: [
        CSVCase(
            "tabs", base: "id\ta\tb\n1\tx,y\tz", ours: "id\ta\tb\n1\tX,y\tz",
            theirs: "id\ta\tb\n1\tx,y\tZ", merged: "id\ta\tb\n1\tX,y\tZ"),
        CSVCase(
            "bars", base: "id|a|b\n1|x|z", ours: "id|a|b\n1|X|z", theirs: "id|a|b\n1|x|Z",
            merged: "id|a|b\n1|X|Z"),
        CSVCase(
            "of two the one that makes more columns", base: "id;a,b;c\n1;x,y;z",
            ours: "id;a,b;c\n1;X,y;z", theirs: "id;a,b;c\n1;x,y;Z", merged: "id;a,b;c\n1;X,y;Z"),
        CSVCase(
            "of two with the same number of columns the comma", base: "id,a;b\n1,x;y",
            ours: "id,a;b\n1,X;y", theirs: "id,a;b\n1,x;Y", place: "row 1, column a;b"),
        CSVCase(
            "one that not all lines have", base: "id;a;b\n1;x,5;z", ours: "id;a;b\n1;x,6;z",
            theirs: "id;a;b\n1;x,5;Z", merged: "id;a;b\n1;x,6;Z"),
        CSVCase(
            "one that is in quotes", base: "id,a\n\"1;2\",x", ours: "id,a\n\"1;2\",y",
            theirs: "id,a\n\"1;2\",z", place: "row 1;2, column a"),
        CSVCase(
            "blank lines at the end do not count", base: "id;a;b\n1;x;z\n", ours: "id;a;b\n1;X;z\n",
            theirs: "id;a;b\n1;x;Z\n", merged: "id;a;b\n1;X;Z\n"),
    ])
    func `the separator is the one by which all versions are tables`(_ row: CSVCase) throws {
        try row.check()
    }

    @Test(arguments: [
        CSVCase(
            "ordered otherwise by both", base: "id,a,b\n1,x,p", ours: "a,id,b\nx,1,p",
            theirs: "id,b,a\n1,p,x"),
        CSVCase(
            "ordered alike by both", base: "id,a,b\n1,x,p", ours: "b,id,a\np,1,y",
            theirs: "b,id,a\nq,1,x", merged: "b,id,a\nq,1,y"),
        CSVCase(
            "added by both at one place", base: "id\n1", ours: "id,c\n1,p", theirs: "id,b\n1,q",
            merged: "id,b,c\n1,q,p"),
        CSVCase(
            "added by both at different places", base: "id,a\n1,x", ours: "b,id,a\np,1,x",
            theirs: "id,a,c\n1,x,q", merged: "b,id,a,c\np,1,x,q"),
        CSVCase(
            "added by both alike, with other values", base: "id,a\n1,x\n2,y",
            ours: "id,a,b\n1,x,p\n2,y,", theirs: "id,a,b\n1,x,\n2,y,q",
            merged: "id,a,b\n1,x,p\n2,y,q"),
        CSVCase(
            "added by both with one value twice", base: "id,a\n1,x", ours: "id,a,b\n1,x,p",
            theirs: "id,a,b\n1,x,q", place: "row 1, column b"),
        CSVCase(
            "removed by both", base: "id,a,b\n1,x,p\n2,y,q", ours: "id,b\n1,P\n2,q",
            theirs: "id,b\n1,p\n2,Q", merged: "id,b\n1,P\n2,Q"),
        CSVCase(
            "removed by one, a new row has a value there", base: "id,a,b\n1,x,p", ours: "id,b\n1,p",
            theirs: "id,a,b\n1,x,p\n2,y,q", place: "row 2, column a"),
        CSVCase(
            "removed by one, a new row has nothing there", base: "id,a,b\n1,x,p", ours: "id,b\n1,p",
            theirs: "id,a,b\n1,x,p\n2,,q", merged: "id,b\n1,p\n2,q"),
        CSVCase(
            "removed by one, only its quotes changed by the other", base: "id,a,b\n1,x,p",
            ours: "id,b\n1,p", theirs: "id,a,b\n1,\"x\",q", merged: "id,b\n1,q"),
        CSVCase(
            "added by one, a short row of the other", base: "id,a,b\n1,x,p",
            ours: "id,c,a,b\n1,w,x,p", theirs: "id,a,b\n1,x,p\n2,y",
            merged: "id,c,a,b\n1,w,x,p\n2,,y"),
        CSVCase(
            "a column of counters added by both", base: "id\n1", ours: "id,n\n1,3",
            theirs: "id,n\n1,4", merged: "id,n\n1,7", fields: ["/n": .sum]),
    ])
    func `a column that one side added, removed or moved is so in all rows`(_ row: CSVCase) throws {
        try row.check()
    }

    @Test func `only the first 50 lines tell the separator`() throws {
        let rows = (1...49).map { "\($0);x" }.joined(separator: "\n")
        let table = "id;a\n" + rows + "\n50"
        let row = CSVCase(
            "", base: table, ours: table.replacing("1;x\n2;", with: "1;y\n2;"),
            theirs: table + ";z", merged: table.replacing("1;x\n2;", with: "1;y\n2;") + ";z")
        try row.check()
    }

    @Test(arguments: [(4096, true), (4097, false)])
    func `a table has at most 4096 columns`(_ count: Int, isMerged: Bool) {
        func table(_ first: String, _ last: String) -> [UInt8] {
            let names = (1...count).map { "c\($0)" }
            let values = ["7", first] + names.dropFirst(3).map { _ in "" } + [last]
            return CSVCase.bytes(
                [names, values].map { $0.joined(separator: ",") }.joined(separator: "\n"))
        }
        let input = MergeInput(
            base: table("x", "y"), ours: table("X", "y"), theirs: table("x", "Y"))
        let result = CSVMerge().merge(input)
        #expect((result == .merged(table("X", "Y"))) == isMerged)
        #expect(
            (result == .declined([MergeConflict("", "One version is not a table.")])) != isMerged)
    }
}
