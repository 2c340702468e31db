import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiRecords

@Suite("Schemas")
struct SchemaTests {
    static func schema(_ text: String) -> Schema {
        do { return try SchemaText.decode(text) } catch { preconditionFailure("\(error)") }
    }

    // MARK: - Saves

    @Test func `CK-05 the first save of a field sets its type`() throws {
        var schema = Schema()
        #expect(try schema.add(record("a", "Note", ["n": .integer(1)])))
        #expect(try schema.add(record("b", "Note", ["t": .string("x")])))
        #expect(try schema.add(record("c", "Other", ["n": .double(1)])))
        #expect(try !schema.add(record("d", "Note", ["n": .integer(2), "t": .string("")])))
        #expect(
            SchemaText.lines(schema) == [
                "type Note", "Note.n int", "Note.t string", "type Other", "Other.n double",
            ])
    }

    @Test func `CK-05 another type is refused by name, and nothing is added`() throws {
        var schema = Self.schema("Note.n int")
        let before = schema
        let found = failure { () throws(Failure) in
            try schema.add(record("a", "Note", ["n": .string("x"), "m": .integer(1)]))
        }
        #expect(found?.code == .usage && found?.path == Array("n".utf8))
        #expect(found?.message == "The field 'n' is of type int, and the value of type string.")
        #expect(schema == before)
        let empty = failure { () throws(Failure) in
            try Self.schema("Note.n int-list").check(record("a", "Note", ["n": texts()]))
        }
        #expect(empty?.code == .usage)
    }

    @Test func `CK-05 a locked schema refuses what it does not have, by name`() throws {
        var schema = Self.schema("locked\nNote.n int")
        #expect(try !schema.add(record("a", "Note", ["n": .integer(1)])))
        let unknown = failure { () throws(Failure) in
            try schema.add(record("a", "Note", ["m": .integer(1)]))
        }
        #expect(unknown?.code == .usage && unknown?.message.contains("'Note.m'") == true)
        let type = failure { () throws(Failure) in try schema.add(record("a", "Other")) }
        #expect(type?.code == .usage && type?.message.contains("'Other'") == true)
    }

    // MARK: - Text

    static let text = """
        locked
        type Empty
        type Note
        Note.count int sortable merge=sum
        Note.labels string-list queryable searchable merge=union
        Note.place location queryable sortable
        Note.title string queryable sortable searchable
        """

    @Test func `CK-28 a schema is text, a line for each field, in one order`() throws {
        let schema = Self.schema(Self.text)
        #expect(SchemaText.lines(schema).joined(separator: "\n") == Self.text)
        #expect(try SchemaText.decode(SchemaText.encode(schema)) == schema)
        #expect(SchemaText.encode(schema).hasPrefix("# "))
        #expect(
            schema[type("Note"), field("count")]
                == FieldSchema(.integer, indexes: .sortable, rule: .sum))
        #expect(schema.rule(type("Note"), field("count")) == .sum)
        #expect(schema.rule(type("Note"), field("title")) == .newest)
        #expect(schema.rule(type("X"), field("title")) == .newest)
    }

    @Test func `CK-28 comments, spaces and another order are read`() {
        let schema = Self.schema(
            "# one\n\n  Note.b  list\t# a list\r\nNote.a int merge=newest queryable\n")
        #expect(
            SchemaText.lines(schema) == ["type Note", "Note.a int queryable", "Note.b string-list"])
    }

    @Test(
        "CK-28 an invalid schema is refused with line and column",
        arguments: [
            ("locked now", "line 1, column 8: Nothing can follow"),
            ("type", "line 1, column 1: One type"), ("type A B", "line 1, column 1: One type"),
            ("type 9", "line 1, column 6: The record type has '9' at column 1"),
            ("Note", "line 1, column 1: 'Note' is not TYPE.FIELD"),
            ("a.b.c int", "is not TYPE.FIELD"), (".b int", "record type cannot be empty"),
            ("\n Note.a-b int", "line 2, column 2: The field name has '-' at column 2"),
            ("Note.createdAt date", "every record has"),
            ("Note.a", "line 1, column 1: The type of the value is missing"),
            ("Note.a # int", "is missing"), ("Note.a bool", "line 1, column 8: Unknown type: bool"),
            ("Note.a int fast", "line 1, column 12: Unknown word: fast"),
            ("Note.a int merge=often", "line 1, column 12: Unknown word: merge=often"),
            ("Note.a int\nNote.a int", "line 2, column 1: 'Note.a' occurs twice"),
            ("Note.a data sortable", "of type data cannot be sortable"),
            ("Note.a int searchable", "of type int cannot be searchable"),
            ("Note.a string merge=sum", "of type string cannot be merge=sum"),
            ("Note.a int merge=union", "cannot be merge=union"),
            ("Note.a location merge=max", "cannot be merge=max"),
        ])
    func invalid(_ text: String, _ message: String) {
        let found = failure { () throws(Failure) in _ = try SchemaText.decode(text) }
        #expect(found?.code == .usage)
        #expect(found?.message.contains(message) == true, "\(String(describing: found))")
        #expect(found?.remedy.isEmpty == false)
    }

    @Test func `CK-28 a diff has the lines that two schemas do not share`() {
        let old = Self.schema("type Gone\nNote.a int\nNote.b int\nNote.c string")
        let new = Self.schema("locked\nNew.x date\nNote.a int\nNote.b int sortable\nNote.d data")
        #expect(
            SchemaText.diff(old, new) == [
                "+ locked", "- type Gone", "+ type New", "+ New.x date", "- Note.b int",
                "+ Note.b int sortable", "- Note.c string", "+ Note.d data",
            ])
        #expect(SchemaText.diff(new, old).contains("- locked"))
        #expect(SchemaText.diff(old, old) == [])
    }

    // MARK: - Merging

    static let merges:
        [(says: String, base: String, ours: String, theirs: String, result: String)] = [
            (
                "additions of both", "A.a int", "A.a int\nA.b int", "A.a int\nB.a int",
                "A.a int\nA.b int\nB.a int"
            ),
            ("the same addition", "", "A.a int", "A.a int", "A.a int"),
            ("different types: the lesser", "", "A.a double", "A.a string", "A.a string"),
            ("a value is lesser than a list", "", "A.a string-list", "A.a asset", "A.a asset"),
            ("removed by one", "A.a int\nA.b int", "A.a int", "A.a int\nA.b int", "A.a int"),
            ("a change survives a removal", "A.a int", "", "A.a int sortable", "A.a int sortable"),
            ("a type removed by one", "type A\nA.a int", "", "A.a int", ""),
            (
                "flags three ways", "A.a string queryable", "A.a string sortable queryable",
                "A.a string searchable", "A.a string sortable searchable"
            ),
            ("a rule by one", "A.a int", "A.a int", "A.a int merge=max", "A.a int merge=max"),
            (
                "two rules: the first in order", "A.a int", "A.a int merge=sum",
                "A.a int merge=min", "A.a int merge=min"
            ),
            (
                "a rule goes back, another comes", "A.a int merge=max", "A.a int",
                "A.a int merge=min", "A.a int merge=min"
            ),
            (
                "what the lesser type cannot have is dropped", "", "A.a double sortable merge=sum",
                "A.a string searchable", "A.a string sortable searchable"
            ),
            (
                "locked by one", "A.a int", "locked\nA.a int", "A.a int\nA.b int",
                "locked\nA.a int\nA.b int"
            ),
            ("unlocked by one", "locked\nA.a int", "locked\nA.a int", "A.a int", "A.a int"),
        ]

    @Test("schemas are merged three ways, in both orders", arguments: merges.indices)
    func merge(_ index: Int) {
        let row = Self.merges[index]
        let base = Self.schema(row.base)
        let (ours, theirs) = (Self.schema(row.ours), Self.schema(row.theirs))
        for merge in [
            SchemaMerge(base: base, ours: ours, theirs: theirs),
            SchemaMerge(base: base, ours: theirs, theirs: ours),
        ] {
            #expect(merge.schema == Self.schema(row.result), "\(row.says)")
            #expect(merge.clashes.count == (row.says.contains("lesser") ? 1 : 0), "\(row.says)")
        }
    }

    @Test func `a field that both added with different types is reported`() {
        let merge = SchemaMerge(
            base: Schema(), ours: Self.schema("A.a double\nA.b int"),
            theirs: Self.schema("A.a string\nA.b int"))
        #expect(
            merge.clashes == [
                SchemaMerge.Clash(
                    type: type("A"), name: field("a"), kept: .string, dropped: .double)
            ])
    }

    private static func random(_ random: inout SeededRandom) -> Schema {
        var schema = Schema()
        schema.isLocked = random.chance(0.3)
        for (recordType, name) in [("A", "a"), ("A", "b"), ("B", "a")] where random.chance(0.7) {
            let valueType = FieldType.all.randomElement(using: &random) ?? .string
            let indexes = FieldIndexes(rawValue: .random(in: 0..<8, using: &random))
            let rule = FieldRule.allCases.randomElement(using: &random) ?? .newest
            let field = FieldSchema(valueType, indexes: indexes, rule: rule).fitting
            schema.types[type(recordType), default: [:]][FilesinkiRecordsTests.field(name)] = field
        }
        return schema
    }

    @Test func `both orders of a merge are equal, and every schema makes the round trip`() throws {
        var random = SeededRandom(seed: 5)
        var clashes = 0
        for _ in 0..<1_500 {
            let (base, ours) = (Self.random(&random), Self.random(&random))
            let theirs = random.chance(0.2) ? base : Self.random(&random)
            let one = SchemaMerge(base: base, ours: ours, theirs: theirs)
            let other = SchemaMerge(base: base, ours: theirs, theirs: ours)
            #expect(one.schema == other.schema && one.clashes == other.clashes)
            #expect(SchemaMerge(base: base, ours: ours, theirs: ours).schema == ours)
            #expect(try SchemaText.decode(SchemaText.encode(one.schema)) == one.schema)
            clashes += one.clashes.count
        }
        #expect(clashes > 100)
    }
}
