import FilesinkiModel
import FilesinkiTesting
import Testing

@testable import FilesinkiRecords

@Suite("Sort orders and texts of queries")
struct SortOrderTests {
    @Test(
        "CK-15 records in an order",
        arguments: [
            ("", "Cyd ada bob dee eve fay"), ("recordName", "Cyd ada bob dee eve fay"),
            ("-recordName", "fay eve dee bob ada Cyd"), ("title", "ada Cyd bob dee eve fay"),
            ("-title", "eve dee bob Cyd ada fay"), ("score", "bob ada Cyd dee eve fay"),
            ("-score", "dee Cyd ada bob eve fay"), ("when, -count", "ada bob Cyd dee eve fay"),
            ("-when,recordName", "Cyd bob ada dee eve fay"),
            ("createdAt", "fay eve dee Cyd bob ada"),
            ("modifiedBy,-createdAt", "ada bob Cyd dee eve fay"),
            // Also of numbers of both types.
            ("count", "Cyd ada eve bob dee fay"), ("-count", "dee bob eve ada Cyd fay"),
            ("#no", "dee Cyd ada bob eve fay"),
            (
                "distanceToLocation:fromLocation:(place, location(52.52, 13.405))",
                "ada Cyd bob dee eve fay"
            ),
            (
                "-distanceToLocation:fromLocation:(place, location(52.52, 13.405))",
                "bob Cyd ada dee eve fay"
            ),
        ])
    func order(_ text: String, _ names: String) throws {
        let order = try SortOrder(parsing: text)
        let sorted = QueryWorld.records.sorted(by: order.precedes)
        #expect(sorted.map(\.name.text).joined(separator: " ") == names)
        #expect(QueryWorld.records.reversed().sorted(by: order.precedes) == sorted)
        #expect(try SortOrder(parsing: order.description) == order)
    }

    @Test(
        "CK-15 an invalid order is refused with its column",
        arguments: [
            (",", "Invalid sort order, column 1: Unexpected ','"), ("a,", "column 3: It ends"),
            ("a b", "column 3: Unexpected 'b'"), ("--a", "column 2: Unexpected '-'"),
            ("3", "column 1"),
            ("a-b", "column 2: Unexpected '-'"), ("_a", "column 1: The field name"),
            ("distanceToLocation:fromLocation:(a, 5)", "column 37: 5 is not a location"),
        ])
    func refused(_ text: String, _ message: String) {
        let found = failure { () throws(Failure) in _ = try SortOrder(parsing: text) }
        #expect(found?.code == .usage)
        #expect(found?.message.contains(message) == true, "\(String(describing: found))")
    }

    @Test(
        "CK-13 words are runs of letters and digits, without case and diacritics",
        arguments: [
            ("", []), ("  - ", []), ("Crème BRÛLÉE", ["creme", "brulee"]),
            ("e\u{301}t\u{e9}", ["ete"]),
            ("it's 3.5 km", ["it", "s", "3", "5", "km"]), ("Ελλάς", ["ελλας"]),
            ("Straße", ["straße"]),
            ("日本語 x", ["日本語", "x"]), ("a\u{0}b_c", ["a", "b", "c"]), ("²½", ["²½"]),
        ] as [(String, [String])])
    func tokens(_ text: String, _ expected: [String]) {
        #expect(QueryText.tokens(text) == expected)
    }

    @Test func `CK-13 folded texts are equal without case, and only then`() {
        #expect(QueryText.folded("ÉCOLE") == QueryText.folded("e\u{301}cole"))
        #expect(QueryText.folded("ecole") != QueryText.folded("école"))
        #expect(QueryText.folded("a") != QueryText.folded("a "))
    }

    @Test func `CK-13 a backslash in a pattern makes the next character a plain one`() {
        #expect(QueryText.matches("a*", pattern: #"a\*"#))
        #expect(!QueryText.matches("ab", pattern: #"a\*"#))
        #expect(QueryText.matches(#"a\"#, pattern: #"a\\"#))
        // At the end it is one itself.
        #expect(QueryText.matches(#"a\"#, pattern: #"a\"#))
        #expect(!QueryText.matches("ab", pattern: #"a\"#))
    }

    @Test func `CK-13 LIKE does not take forever`() {
        let pattern = String(repeating: "*a", count: 200) + "b"
        #expect(!QueryText.matches(String(repeating: "a", count: 5_000), pattern: pattern))
    }

    @Test(
        "CK-13 distances on the earth",
        arguments: [
            (52.52, 13.405, 48.8566, 2.3522, 877_000), (0, 0, 0, 180, 20_015_115),
            (90, 0, -90, 0, 20_015_115), (0, 179.5, 0, -179.5, 111_195), (0, 0, 0, 0.00001, 1.11),
        ] as [(Double, Double, Double, Double, Double)])
    func distance(
        _ north: Double, _ east: Double, _ otherNorth: Double, _ otherEast: Double, _ metres: Double
    ) throws {
        let one = try Location(latitude: north, longitude: east)
        let other = try Location(latitude: otherNorth, longitude: otherEast)
        #expect(abs(one.distance(to: other) / metres - 1) < 0.002)
        #expect(one.distance(to: other) == other.distance(to: one))
        #expect(one.distance(to: one) == 0)
    }

    @Test func `every sort order is a strict order`() throws {
        let texts = ["title,-count", "-score", "place", "tags", "-when,title"]
        for text in texts {
            let order = try SortOrder(parsing: text)
            for one in QueryWorld.records {
                #expect(!order.precedes(one, one))
                for other in QueryWorld.records where other.name != one.name {
                    #expect(order.precedes(one, other) != order.precedes(other, one), "\(text)")
                }
            }
        }
    }
}
