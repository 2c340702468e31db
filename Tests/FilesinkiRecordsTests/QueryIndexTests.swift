import FilesinkiModel
import Testing

@testable import FilesinkiRecords

@Suite("Indexes that a strict query needs")
struct QueryIndexTests {
    static let schema = SchemaTests.schema(
        """
        Note.count int queryable sortable
        Note.place location queryable
        Note.title string searchable
        Other.a int queryable
        """)

    @Test(
        "CK-14 a field without its index is named",
        arguments: [
            ("TRUEPREDICATE", nil), ("count = 3 AND NOT count IN {1}", nil),
            ("recordName = 'a'", nil),
            ("self CONTAINS 'a' AND modifiedAt < now", nil),
            ("ANY count = 1 AND count CONTAINS 1", nil),
            ("distanceToLocation:fromLocation:(place, location(0,0)) < 1", nil),
            ("title = 'a'", "'Note.title' is not queryable"),
            ("title CONTAINS 'a'", "'Note.title' is not queryable"),
            ("count = 1 AND NOT title = 'a'", "'Note.title' is not queryable"),
            ("other = 'a' AND title = 'a'", "does not have the field 'Note.other'"),
            (
                "distanceToLocation:fromLocation:(title, location(0,0)) < 1",
                "'Note.title' is not queryable"
            ),
        ] as [(String, String?)])
    func predicate(_ text: String, _ message: String?) throws {
        let predicate = try PredicateParser.parse(text)
        let found = failure { () throws(Failure) in
            try Self.schema.checkIndexes(predicate, of: type("Note"))
        }
        #expect(found?.code == (message == nil ? nil : .usage))
        #expect(found?.message.contains(message ?? "") ?? true, "\(String(describing: found))")
    }

    @Test func `CK-14 a search needs a searchable field of the type`() throws {
        let predicate = try PredicateParser.parse("self CONTAINS 'a'")
        let found = failure { () throws(Failure) in
            try Self.schema.checkIndexes(predicate, of: type("Other"))
        }
        #expect(found?.code == .usage && found?.message == "No field of 'Other' is searchable.")
    }

    @Test(
        "CK-15 a field that is not sortable is named",
        arguments: [
            ("count,-recordName", nil), ("count,-title", "'Note.title' is not sortable"),
            (
                "distanceToLocation:fromLocation:(place, location(0,0))",
                "'Note.place' is not sortable"
            ),
        ] as [(String, String?)])
    func order(_ text: String, _ message: String?) throws {
        let order = try SortOrder(parsing: text)
        let found = failure { () throws(Failure) in
            try Self.schema.checkIndexes(order, of: type("Note"))
        }
        #expect(found?.code == (message == nil ? nil : .usage))
        #expect(found?.message.contains(message ?? "") ?? true, "\(String(describing: found))")
    }
}
