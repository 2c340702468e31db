import FilesinkiModel
import Testing

@testable import FilesinkiRecords

@Suite("Fields on a command line")
struct FieldArgumentTests {
    static let now: Int64 = 1_764_000_000_123
    static let known: [FieldName: FieldType] = [
        field("count"): .integer, field("when"): .date, field("tags"): .list(of: .string),
    ]

    static func parse(_ text: String) throws(Failure) -> FieldArgument {
        try FieldArgument(parsing: text, now: now) { known[$0] }
    }

    static let rows: [(argument: String, name: String, input: FieldInput)] = [
        ("f=v", "f", .value(.string("v"))),
        ("f=", "f", .value(.string(""))),
        ("f=a=b:c", "f", .value(.string("a=b:c"))),
        ("f=null", "f", .remove),
        ("count=null", "count", .remove),
        ("f:string=null", "f", .value(.string("null"))),
        ("f:int=3", "f", .value(.integer(3))),
        ("f:int=-9223372036854775808", "f", .value(.integer(.min))),
        ("f:double=2.5", "f", .value(.double(2.5))),
        ("f:double=3", "f", .value(.double(3))),
        ("f:double=-inf", "f", .value(.double(-.infinity))),
        ("f:date=now", "f", .value(.date(milliseconds: now))),
        ("f:date=2024-05-01T09:30:00.250Z", "f", .value(.date(milliseconds: 1_714_555_800_250))),
        ("f:date=2024-05-01T11:30:00+02:00", "f", .value(.date(milliseconds: 1_714_555_800_000))),
        ("f:data=AP8K", "f", .value(.data([0, 255, 10]))),
        ("f:data=", "f", .value(.data([]))),
        ("f:location=52.5,13.4", "f", .value(location(52.5, 13.4))),
        ("f:reference=NAME", "f", .value(reference("NAME"))),
        ("f:reference=NAME,delete", "f", .value(reference("NAME", delete: true))),
        ("f:reference=a,b", "f", .value(reference("a,b"))),
        ("f:list=a,b", "f", .value(texts("a", "b"))),
        ("f:list=", "f", .value(texts())),
        ("f:list=,", "f", .value(texts("", ""))),
        (#"f:list=a\,b,c\\,\d\"#, "f", .value(texts("a,b", #"c\"#, #"\d\"#))),
        ("f:string-list=é", "f", .value(texts("é"))),
        ("f:int-list=1,-2", "f", .value(list([.integer(1), .integer(-2)], of: .integer))),
        ("f:int-list=", "f", .value(list([], of: .integer))),
        ("f:double-list=1,2.5", "f", .value(list([.double(1), .double(2.5)], of: .double))),
        (
            "f:date-list=now,1970-01-01T00:00:00Z", "f",
            .value(list([.date(milliseconds: now), .date(milliseconds: 0)], of: .date))
        ),
        ("f:data-list=AA==,", "f", .value(list([.data([0]), .data([])], of: .data))),
        (
            "f:location-list=1,2;3,4", "f",
            .value(list([location(1, 2), location(3, 4)], of: .location))
        ),
        (
            "f:reference-list=a,delete;b", "f",
            .value(list([reference("a", delete: true), reference("b")], of: .reference))
        ),
        ("f:asset=@a b.png", "f", .files(["a b.png"], isList: false)),
        ("f:asset=@-", "f", .files(["-"], isList: false)),
        ("f:asset-list=@a,@b", "f", .files(["a", "b"], isList: true)),
        ("count=7", "count", .value(.integer(7))),
        ("count:int=7", "count", .value(.integer(7))),
        ("when=now", "when", .value(.date(milliseconds: now))),
        ("tags=a,b", "tags", .value(texts("a", "b"))),
    ]

    @Test("CK-05 an argument is a field", arguments: rows.indices)
    func parses(_ index: Int) throws {
        let row = Self.rows[index]
        let found = try Self.parse(row.argument)
        #expect(found.name == field(row.name), "\(row.argument)")
        #expect(found.input == row.input, "\(row.argument)")
    }

    @Test(
        "CK-05 what is wrong is named with field, column and remedy",
        arguments: [
            ("f", "has no '='"), ("=v", "field name cannot be empty"), ("a-b=v", "'-' at column 2"),
            ("f:bool=true", "The field 'f' has an unknown type at column 3: 'bool'."),
            ("f:=v", "unknown type at column 3: ''"),
            ("f:int=3.5", "'f', of type int, is invalid at column 7: '3.5' is not a whole number"),
            ("f:int=null", "column 7: 'null' is not a whole number"),
            ("f:int=9223372036854775808", "column 7"), ("f:int=", "column 7: '' is not"),
            ("f:double=x", "column 10: 'x' is not a number"), ("f:double=nan", "column 10"),
            ("f:date=soon", "column 8: 'soon' is not a date"),
            ("f:date=2024-02-30", "column 8"),
            ("f:data=A", "column 8: 'A' is not base 64"),
            ("f:location=52.5", "column 12: '52.5' is not a location"),
            ("f:location=91,0", "column 12: The latitude 91.0 is out of range"),
            ("f:reference=_x", "column 13: A record name cannot begin with '_'"),
            ("f:reference=", "column 13: A record name cannot be empty"),
            ("f:int-list=1,x,3", "'f', of type int-list, is invalid at column 14: 'x'"),
            ("f:location-list=1,2;91,0", "column 21: The latitude"),
            ("f:asset=a", "column 9: 'a' does not name a file"), ("f:asset=@", "column 9"),
            ("f:asset-list=@a,b", "column 17: 'b' does not name a file"),
            ("count=x", "'count', of type int, is invalid at column 7"),
            ("count:string=x", "'count' is of type int, and the value at column 7 of type string"),
            ("tags:int-list=1", "'tags' is of type string-list"),
        ])
    func refuses(_ argument: String, _ message: String) {
        let found = failure { () throws(Failure) in _ = try Self.parse(argument) }
        #expect(found?.code == .usage, "\(argument)")
        #expect(found?.message.contains(message) == true, "\(String(describing: found))")
        #expect(found?.remedy.isEmpty == false)
    }

    @Test func `CK-05 what an argument gives has a type, unless it removes`() throws {
        #expect(try Self.parse("f:asset=@a").input.type == .asset)
        #expect(try Self.parse("f:asset-list=@a").input.type == .list(of: .asset))
        #expect(try Self.parse("f:double=1").input.type == .double)
        #expect(try Self.parse("f=null").input.type == nil)
    }
}
