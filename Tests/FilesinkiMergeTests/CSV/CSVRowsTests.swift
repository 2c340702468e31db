import Testing

@testable import FilesinkiMerge

@Suite struct CSVRowsTests {
    @Test(arguments: [
        CSVCase(
            "id goes before uuid", base: "uuid,id,a\n1,2,x", ours: "uuid,id,a\n1,2,y",
            theirs: "uuid,id,a\n1,2,z", place: "row 2, column a"),
        CSVCase(
            "uuid goes before key", base: "key,uuid,a\n1,2,x", ours: "key,uuid,a\n1,2,y",
            theirs: "key,uuid,a\n1,2,z", place: "row 2, column a"),
        CSVCase(
            "key goes before name", base: "name,key,a\n1,2,x", ours: "name,key,a\n1,2,y",
            theirs: "name,key,a\n1,2,z", place: "row 2, column a"),
        CSVCase(
            "name goes before others", base: "b,name,a\n1,2,x", ours: "b,name,a\n1,2,y",
            theirs: "b,name,a\n1,2,z", place: "row 2, column a"),
        CSVCase(
            "a name in capitals is the same", base: "b,ID,a\n1,2,x", ours: "b,ID,a\n1,2,y",
            theirs: "b,ID,a\n1,2,z", place: "row 2, column a"),
        CSVCase(
            "else the first column is the key", base: "b,c,a\n1,2,x", ours: "b,c,a\n1,2,y",
            theirs: "b,c,a\n1,2,z", place: "row 1, column a"),
        CSVCase(
            "a column without a value in a row is no key", base: "id,b,a\n,2,x\n1,3,x",
            ours: "id,b,a\n,2,y\n1,3,x", theirs: "id,b,a\n,2,z\n1,3,x", place: "row 2, column a"),
        CSVCase(
            "a column that one version has not is no key", base: "id,b,a\n1,2,x", ours: "b,a\n2,y",
            theirs: "id,b,a\n1,2,z", place: "row 2, column a"),
        CSVCase(
            "a column with a value twice in one version is no key", base: "id,b,a\n1,2,x",
            ours: "id,b,a\n1,2,y\n1,3,w", theirs: "id,b,a\n1,2,z", place: "row 2, column a"),
        CSVCase(
            "a value in quotes is the same key", base: "id,a,b\n1,x,p", ours: "id,a,b\n\"1\",y,p",
            theirs: "id,a,b\n1,x,q", merged: "id,a,b\n\"1\",y,q"),
        CSVCase(
            "a chosen column may be empty in one row", base: "k,a,b\n,x,p\n1,x,p",
            ours: "k,a,b\n,y,p\n1,x,p", theirs: "k,a,b\n,x,q\n1,x,p", merged: "k,a,b\n,y,q\n1,x,p",
            keys: ["k"]),
        CSVCase(
            "a chosen column that is nowhere", base: "k,a\n1,x", ours: "k,a\n1,y",
            theirs: "k,a\n1,z", keys: ["n"]),
        CSVCase(
            "a chosen column that one version has not", base: "k,a\n1,x", ours: "a\nx",
            theirs: "k,a\n1,z", keys: ["k"]),
        CSVCase(
            "chosen columns have both values in a message", base: "k,l,a\n1,2,x",
            ours: "k,l,a\n1,2,y", theirs: "k,l,a\n1,2,z", place: "row 1 2, column a",
            keys: ["k", "l"]),
        CSVCase(
            "chosen columns are in the order of the choice", base: "k,l,a\n1,2,x",
            ours: "k,l,a\n1,2,y", theirs: "k,l,a\n1,2,z", place: "row 2 1, column a",
            keys: ["l", "k"]),
        CSVCase(
            "joined values are told apart", base: "k,l,a\n1,12,x\n11,2,x",
            ours: "k,l,a\n1,12,y\n11,2,x", theirs: "k,l,a\n1,12,x\n11,2,z",
            merged: "k,l,a\n1,12,y\n11,2,z", keys: ["k", "l"]),
        CSVCase(
            "without a key an edited row is a removed and an added one", base: "a,b\nx,1\nx,1\ny,1",
            ours: "a,b\nx,1\nx,2\ny,1", theirs: "a,b\nx,1\nx,1\ny,3", merged: "a,b\nx,1\nx,2\ny,3"),
        CSVCase(
            "chosen columns allow rows of the same two identifiers",
            base: "method,lang,name\n1,6,Gras\n1,9,Grass\n2,9,Surf",
            ours: "method,lang,name\n1,6,Gras\n1,9,Grass\n2,9,Surf\n3,9,Tree",
            theirs: "method,lang,name\n1,6,Gras\n1,9,Grass\n2,9,Surf\n3,9,Cave",
            merged: "method,lang,name\n1,6,Gras\n1,9,Grass\n2,9,Surf\n3,9,Cave\n3,9,Tree",
            keys: ["name"]),
    ])
    func `rows are identified by the chosen columns, or by the first that tells them apart`(
        _ row: CSVCase
    ) throws { try row.check() }

    @Test(arguments: [
        CSVCase(
            "removed by both", base: "id,a\n1,x\n2,y\n3,z", ours: "id,a\n2,Y\n3,z",
            theirs: "id,a\n2,y\n3,Z", merged: "id,a\n2,Y\n3,Z"),
        CSVCase(
            "removed by one, only its quotes changed by the other", base: "id,a\n1,x\n2,y",
            ours: "id,a\n2,y", theirs: "id,a\n1,\"x\"\n2,z", merged: "id,a\n2,z"),
        CSVCase(
            "removed by one, the columns moved by the other", base: "id,a,b\n1,x,p\n2,y,q",
            ours: "id,a,b\n2,y,q", theirs: "b,id,a\np,1,x\nq,2,y", merged: "b,id,a\nq,2,y"),
        CSVCase(
            "removed by one, a column of it removed by the other", base: "id,a,b\n1,x,p\n2,y,q",
            ours: "id,a,b\n2,y,q", theirs: "id,b\n1,p\n2,q", merged: "id,b\n2,q"),
        CSVCase(
            "removed by one, a value in a new column by the other", base: "id,a\n1,x\n2,y",
            ours: "id,a\n2,y", theirs: "id,a,b\n1,x,p\n2,y,", place: "row 1"),
        CSVCase(
            "removed by one, no value in a new column by the other", base: "id,a\n1,x\n2,y",
            ours: "id,a\n2,y", theirs: "id,a,b\n1,x,\n2,y,q", merged: "id,a,b\n2,y,q"),
        CSVCase(
            "added by both with other fields empty", base: "id,a,b\n1,x,p",
            ours: "id,a,b\n1,x,p\n2,y,", theirs: "id,a,b\n1,x,p\n2,,q",
            merged: "id,a,b\n1,x,p\n2,y,q"),
        CSVCase(
            "put at the beginning by both", base: "id,a\n5,x\n1,y\n3,z",
            ours: "id,a\n9,h\n5,x\n1,y\n3,z", theirs: "id,a\n7,t\n5,x\n1,y\n3,z",
            merged: "id,a\n7,t\n9,h\n5,x\n1,y\n3,z"),
        CSVCase(
            "all removed by one", base: "id,a\n1,x", ours: "id,a", theirs: "id,a\n1,x\n2,y",
            merged: "id,a\n2,y"),
        CSVCase(
            "everything removed by one, another row by the other", base: "id,a\n1,x\n2,y", ours: "",
            theirs: "id,a\n1,x"),
        CSVCase(
            "ordered otherwise by both", base: "id,a\n3,x\n1,y\n2,z", ours: "id,a\n1,y\n3,x\n2,z",
            theirs: "id,a\n3,x\n2,z\n1,y"),
        CSVCase(
            "ordered alike by both", base: "id,a\n3,x\n1,y\n2,z", ours: "id,a\n1,Y\n3,x\n2,z",
            theirs: "id,a\n1,y\n3,x\n2,Z", merged: "id,a\n1,Y\n3,x\n2,Z"),
        CSVCase(
            "ordered by one, another row behind its neighbour by the other",
            base: "id,a\n3,x\n1,y\n2,z", ours: "id,a\n1,y\n2,z\n3,x",
            theirs: "id,a\n3,x\n7,w\n1,y\n2,z", merged: "id,a\n1,y\n2,z\n3,x\n7,w"),
        CSVCase(
            "ordered by one, where the other removed one of them", base: "id,a\n3,x\n1,y\n2,z",
            ours: "id,a\n2,z\n1,y\n3,x", theirs: "id,a\n3,x\n2,z", merged: "id,a\n2,z\n3,x"),
        CSVCase(
            "with a key of two columns replaced by both", base: "k,l,a\n1,1,x\n2,2,y",
            ours: "k,l,a\n1,1,x\n3,3,y", theirs: "k,l,a\n1,1,x\n4,4,y", place: "row 2 2",
            keys: ["k", "l"]),
    ])
    func `a row that one side added, removed or moved is so in the result`(_ row: CSVCase) throws {
        try row.check()
    }

    @Test(arguments: [
        CSVCase(
            "as numbers rather than by bytes", base: "id,a\n1,x", ours: "id,a\n1,x\n10,y",
            theirs: "id,a\n1,x\n2,z", merged: "id,a\n1,x\n2,z\n10,y"),
        CSVCase(
            "as numbers below zero", base: "id,a\n-10,x\n5,y", ours: "id,a\n-10,x\n-9,w\n5,y",
            theirs: "id,a\n-10,x\n-9.5,v\n5,y", merged: "id,a\n-10,x\n-9.5,v\n-9,w\n5,y"),
        CSVCase(
            "as numbers downwards", base: "id,a\n100,x\n90,y", ours: "id,a\n100,x\n90,y\n10,w",
            theirs: "id,a\n100,x\n90,y\n20,v", merged: "id,a\n100,x\n90,y\n20,v\n10,w"),
        CSVCase(
            "by bytes", base: "id,a\nb,x\nd,y", ours: "id,a\nb,x\nd,y\nz,w",
            theirs: "id,a\na,v\nb,x\nd,y", merged: "id,a\na,v\nb,x\nd,y\nz,w"),
        CSVCase(
            "by bytes between rows of the other side", base: "id,a\nb,x",
            ours: "id,a\nb,x\nd,w\nf,w", theirs: "id,a\nb,x\nc,v\ne,v",
            merged: "id,a\nb,x\nc,v\nd,w\ne,v\nf,w"),
        CSVCase(
            "by bytes downwards", base: "id,a\nx,p\nh,q", ours: "id,a\nx,p\nh,q\na,w",
            theirs: "id,a\nx,p\nh,q\nb,v", merged: "id,a\nx,p\nh,q\nb,v\na,w"),
        CSVCase(
            "numbers beside words by bytes", base: "id,a\n10,x\nb,y", ours: "id,a\n10,x\nb,y\nd,w",
            theirs: "id,a\n10,x\n9,v\nb,y", merged: "id,a\n10,x\n9,v\nb,y\nd,w"),
        CSVCase(
            "equal numbers by their bytes", base: "id,a\n1,x\n3,y", ours: "id,a\n1,x\n2.0,w\n3,y",
            theirs: "id,a\n1,x\n2,v\n3,y", merged: "id,a\n1,x\n2,v\n2.0,w\n3,y"),
        CSVCase(
            "not where one version is in another order", base: "id,a\n1,x\n3,y",
            ours: "id,a\n3,y\n1,x", theirs: "id,a\n1,x\n2,v\n3,y", merged: "id,a\n3,y\n1,x\n2,v"),
        CSVCase(
            "by two columns, the first as numbers", base: "k,l,a\n9,a,x",
            ours: "k,l,a\n9,a,x\n10,b,w", theirs: "k,l,a\n9,a,x\n9,z,v",
            merged: "k,l,a\n9,a,x\n9,z,v\n10,b,w", keys: ["k", "l"]),
        CSVCase(
            "by two columns, the second as numbers", base: "k,l,a\na,9,x",
            ours: "k,l,a\na,9,x\na,10,w\nb,1,w", theirs: "k,l,a\na,9,x\na,11,v\nb,0,v",
            merged: "k,l,a\na,9,x\na,10,w\na,11,v\nb,0,v\nb,1,w", keys: ["k", "l"]),
        CSVCase(
            "by two columns downwards", base: "k,l,a\n100,b,x\n90,b,y",
            ours: "k,l,a\n100,b,x\n90,b,y\n10,b,w", theirs: "k,l,a\n100,b,x\n90,b,y\n20,b,v",
            merged: "k,l,a\n100,b,x\n90,b,y\n20,b,v\n10,b,w", keys: ["k", "l"]),
    ])
    func `rows that are sorted by their key stay sorted`(_ row: CSVCase) throws { try row.check() }

    @Test(arguments: [
        CSVCase(
            "other rows", base: nil, ours: "id,a\n2,y", theirs: "id,a\n1,x",
            merged: "id,a\n1,x\n2,y"),
        CSVCase(
            "one row alike", base: nil, ours: "id,a\n1,x\n2,y", theirs: "id,a\n1,x\n3,z",
            merged: "id,a\n1,x\n2,y\n3,z"),
        CSVCase(
            "one key with other values", base: nil, ours: "id,a\n1,x", theirs: "id,a\n1,y",
            place: "row 1, column a"),
        CSVCase(
            "a counter counts from nothing", base: nil, ours: "id,n\n1,3", theirs: "id,n\n1,4",
            merged: "id,n\n1,7", fields: ["/n": .sum]),
        CSVCase(
            "another column each", base: nil, ours: "id,a\n1,x", theirs: "id,b\n1,y",
            merged: "id,a,b\n1,x,y"),
        CSVCase(
            "columns in other orders", base: nil, ours: "id,a,b\n1,x,y", theirs: "id,b,a\n1,y,x",
            merged: "id,a,b\n1,x,y"),
    ])
    func `without a common version both tables are additions`(_ row: CSVCase) throws {
        try row.check()
    }

    /// Mixed line ends, for which ``CSVCase`` has no place.
    @Test(arguments: [
        MergeCase(
            "all by one side", "id,a\n1,x\n", "id,a\r\n1,x\r\n", "id,a\n1,y\n", "id,a\r\n1,y\r\n"),
        MergeCase(
            "of one row", "id,a\n1,x\n2,y\n", "id,a\n1,x\r\n2,y\n", "id,a\n1,z\n2,y\n",
            "id,a\n1,z\r\n2,y\n"),
        MergeCase(
            "of a row that both added", "id,a,b\n1,x,\n", "id,a,b\n1,x,\n2,y,\n",
            "id,a,b\n1,x,\n2,,z\r\n", "id,a,b\n1,x,\n2,y,z\n"),
        MergeCase(
            "added to the last row by one side", "id,a\n1,x", "id,a\n1,x\n", "id,a\n1,y",
            "id,a\n1,y\n"),
        MergeCase(
            "removed from the last row by one side", "id,a\n1,x\n", "id,a\n1,x", "id,a\n1,x\n2,y\n",
            "id,a\n1,x\n2,y"),
        MergeCase(
            "blank lines added by one side", "id,a\n1,x\n", "id,a\n1,x\n\n\n", "id,a\n1,y\n",
            "id,a\n1,y\n\n\n"),
        MergeCase(
            "blank lines removed by one side", "id,a\n1,x\n\n", "id,a\n1,x\n", "id,a\n1,y\n\n",
            "id,a\n1,y\n"),
        MergeCase(
            "other blank lines by each", "id,a\n1,x\n", "id,a\n1,x\n\n", "id,a\n1,y\n\n\n",
            "declined: "),
        MergeCase(
            "a byte order mark added by one side", "id,a\n1,x\n", "\u{FEFF}id,a\n1,x\n",
            "id,a\n1,y\n", "\u{FEFF}id,a\n1,y\n"),
    ])
    func `line ends are those of the side that changed them`(_ row: MergeCase) {
        for input in [row.input, row.input.swapped] {
            #expect(CSVMerge().merge(input).shown == row.merged)
        }
    }

    @Test func `a hundred conflicts are listed`() {
        func table(_ value: String) -> [UInt8] {
            CSVCase.bytes("id,a\n" + (1...101).map { "\($0),\(value)" }.joined(separator: "\n"))
        }
        let result = CSVMerge().merge(
            MergeInput(base: table("x"), ours: table("y"), theirs: table("z")))
        guard case .declined(let conflicts) = result else {
            Issue.record("merged")
            return
        }
        #expect(conflicts.count == 100)
        #expect(conflicts.last?.place == "row 100, column a")
    }
}
