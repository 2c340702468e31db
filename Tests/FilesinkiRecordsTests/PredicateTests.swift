import FilesinkiModel
import Testing

@testable import FilesinkiRecords

@Suite("Predicates")
struct PredicateTests {
    private static let all = "ada bob Cyd dee eve fay"

    /// A predicate, and the names that match. What only a predicate that is not strict may have is in `beyond`.
    static let strict: [(predicate: String, names: String)] = [
        ("TRUEPREDICATE", all), ("FALSEPREDICATE", ""), ("truepredicate", all),
        // Texts.
        ("title = 'alpha'", "ada"), ("title == \"ALPHA\"", "ada"), ("title = 'Alpha '", ""),
        ("title != 'alpha'", "bob Cyd dee eve"), ("title <> 'beta'", "ada Cyd dee eve"),
        ("title = 'É'", "dee"), ("title = 'e\u{301}'", "dee"), ("title < 'alphabet'", "ada"),
        ("title <= 'ALPHABET'", "ada Cyd"), ("title > 'beta'", "dee eve"),
        ("title BEGINSWITH 'Al'", "ada"), ("title beginswith 'al'", ""),
        ("title BEGINSWITH ''", "ada bob Cyd dee eve"), ("count BEGINSWITH '3'", ""),
        ("'ALPHA' = title", "ada"), ("'b' < title", "bob dee eve"),
        // Numbers.
        ("count = 3", "ada"), ("count = 3.0", "ada"), ("count == 3.5", "eve"),
        ("count != 3", "bob Cyd dee eve"), ("count < 5", "ada Cyd eve"),
        ("count <= 5", "ada bob Cyd eve"), ("count > 3", "bob dee eve"), ("count >= 5", "bob dee"),
        ("count =< -2", "Cyd"), ("count => 9007199254740993", "dee"),
        ("count = 9007199254740992", ""), ("count > 9007199254740992.0", "dee"),
        ("3 < count", "bob dee eve"), ("score = 0", "bob"), ("score = 3", "Cyd"),
        ("score > 1e308", "dee"), ("score >= -0.5", "ada bob Cyd dee"), ("count = '3'", ""),
        ("count != 'x'", ""), ("missing = 1", ""), ("missing != 1", ""), ("#no = 1", "dee"),
        // Ranges and sets.
        ("count BETWEEN {3, 5}", "ada bob eve"), ("count BETWEEN {5, 3}", ""),
        ("title BETWEEN {'a', 'ALPHABET'}", "ada Cyd"), ("count IN {3, 5, 9}", "ada bob"),
        ("title IN {'BETA', 'é'}", "bob dee"), ("count IN {}", ""),
        // Dates.
        ("when < now", "ada"), ("when = now", "bob"), ("when >= NOW", "bob Cyd"),
        ("now < when", "Cyd"), ("when > date('2026-01-01T00:00:00Z')", "Cyd"),
        ("when BETWEEN {date('2025-12-31T23:59:59Z'), now}", "ada bob"), ("count < now", ""),
        // Data, locations, references.
        ("raw = data('AQI=')", "ada"), ("raw != data('AQ==')", "ada"),
        ("raw < data('AQM=')", "ada"),
        ("place = location(52.52, 13.405)", "ada"), ("place != location(52.52, 13.405)", "bob Cyd"),
        ("place < location(60, 60)", ""), ("parent = reference('ada')", "bob"),
        ("parent != reference('ada')", "ada"),
        ("parent IN {reference('root'), reference('x')}", "ada"),
        ("parent = reference('ADA')", ""), ("parent = 'ada'", ""),
        // Lists.
        ("tags CONTAINS 'red'", "ada dee"), ("'BLUE' IN tags", "ada"), ("sizes CONTAINS 3", "Cyd"),
        ("title CONTAINS 'Alpha'", ""), ("ANY tags = 'Red'", "ada dee"),
        ("SOME tags BEGINSWITH 'R'", "dee"), ("ANY tags != 'green'", "ada dee"),
        ("ANY sizes > 4", "bob"), ("ANY sizes BETWEEN {2, 4}", "Cyd"),
        ("ANY tags IN {'green', '10%'}", "bob dee"), ("tags = 'green'", ""),
        // Words.
        ("self CONTAINS 'blue'", "ada bob Cyd"), ("self CONTAINS 'sky BLUE'", "bob Cyd"),
        ("SELF contains 'creme'", "ada"), ("self CONTAINS 'brule'", ""),
        ("self CONTAINS 'ish'", "Cyd"), ("ALL tokenize('sky blue', 'Cdl') IN allTokens", "bob Cyd"),
        ("ANY tokenize('quickly sky', 'cdl') IN allTokens", "ada bob Cyd"),
        // Distances: Potsdam lies 25 km from the centre of Berlin, Paris 878 km.
        ("distanceToLocation:fromLocation:(place, location(52.52, 13.405)) < 10", "ada"),
        ("distanceToLocation:fromLocation:(place, location(52.52, 13.405)) < 30000", "ada Cyd"),
        (
            "distanceToLocation:fromLocation:(place, location(52.52, 13.405)) <= 880000.5",
            "ada bob Cyd"
        ),
        ("distanceToLocation:fromLocation:(place, location(52.52, 13.405)) > 20000", "bob Cyd"),
        ("distanceToLocation:fromLocation:(place, location(52.52, 13.405)) >= 0", "ada bob Cyd"),
        ("distanceToLocation:fromLocation:(title, location(0, 0)) >= 0", ""),
        // What every record has.
        ("recordName = 'ada'", "ada"), ("recordName = 'ADA'", ""),
        ("recordName IN {'ada','Cyd'}", "ada Cyd"),
        ("recordName BEGINSWITH 'f'", "fay"), ("recordName < 'a'", "Cyd"),
        ("createdAt > date('2025-12-30T00:00:00Z')", "ada"),
        ("createdAt = date('2025-12-31T00:00:00Z')", "ada"), ("modifiedAt >= now", "ada"),
        ("createdBy = '02020202020202020202020202020202'", "bob"),
        ("modifiedBy != '09090909090909090909090909090909'", ""),
        // Together.
        ("count > 0 AND title BEGINSWITH 'b'", "bob"),
        ("count > 0 && score < 2 && when <= now", "ada bob"),
        ("NOT count = 3", "bob Cyd dee eve fay"), ("!(title = 'alpha')", "bob Cyd dee eve fay"),
        ("NOT NOT count = 3", "ada"), ("NOT tags CONTAINS 'red'", "bob Cyd eve fay"),
        ("NOT count IN {3, 5}", "Cyd dee eve fay"), ("((count = 3))", "ada"),
        ("NOT count = 3 AND count = 5", "bob"), ("NOT FALSEPREDICATE", all),
    ]

    static let beyond: [(predicate: String, names: String)] = [
        ("count = 3 OR count = 5", "ada bob"), ("count = 3 || title = 'é'", "ada dee"),
        ("count = 3 OR count = 5 AND title = 'x'", "ada"),
        ("(count = 3 OR count = 5) AND title = 'BETA'", "bob"),
        ("title ENDSWITH 'ha'", "ada"), ("title ENDSWITH 'HA'", ""),
        ("title ENDSWITH ''", "ada bob Cyd dee eve"),
        ("title LIKE 'Al*'", "ada"), ("title LIKE '*a*'", "ada bob"), ("title LIKE '?eta'", "bob"),
        ("title LIKE '*'", "ada bob Cyd dee eve"), ("title LIKE 'Alph?a'", ""),
        (#"title LIKE '*\\*\\?'"#, "eve"),
        ("title LIKE 'A*B*T'", "Cyd"), ("ANY tags LIKE '1*'", "dee"), ("count LIKE '*'", ""),
        ("NOT (count = 3 AND title = 'alpha')", "bob Cyd dee eve fay"),
        ("NOT (count = 3 OR count = 5)", "Cyd dee eve fay"),
        ("NOT count BETWEEN {3, 5}", "Cyd dee fay"), ("NOT self CONTAINS 'blue'", "dee eve fay"),
        ("NOT distanceToLocation:fromLocation:(place, location(0, 0)) < 1", all),
    ]

    @Test("CK-13 what CloudKit accepts", arguments: strict.indices)
    func isAccepted(_ index: Int) throws {
        let row = Self.strict[index]
        let predicate = try PredicateParser.parse(row.predicate, isStrict: true)
        #expect(QueryWorld.names(predicate) == row.names, "\(row.predicate)")
        #expect(try PredicateParser.parse(row.predicate) == predicate)
        #expect(try PredicateParser.parse(predicate.description) == predicate, "\(predicate)")
    }

    @Test("CK-13 what only a predicate that is not strict may have", arguments: beyond.indices)
    func isMore(_ index: Int) throws {
        let row = Self.beyond[index]
        let predicate = try PredicateParser.parse(row.predicate)
        #expect(QueryWorld.names(predicate) == row.names, "\(row.predicate)")
        #expect(try PredicateParser.parse(predicate.description) == predicate, "\(predicate)")
        let found = failure { () throws(Failure) in
            _ = try PredicateParser.parse(row.predicate, isStrict: true)
        }
        #expect(found?.code == .usage && found?.message.contains("strict") == true)
    }

    @Test(
        "CK-13 a strict predicate names the token and its column",
        arguments: [
            ("a = 1 OR b = 2", "column 7: 'OR'"), ("a = 1 || b = 2", "column 7: '||'"),
            ("a LIKE 'x'", "column 3: 'LIKE'"),
            ("a = 1 AND b endswith 'x'", "column 13: 'endswith'"),
            ("NOT (a = 1 AND b = 2)", "column 1: 'NOT' cannot cover AND"),
            ("a = 1 AND ! b BETWEEN {1, 2}", "column 11: '!' cannot cover BETWEEN"),
            ("NOT self CONTAINS 'x'", "column 1: 'NOT' cannot cover a search for tokens"),
            (
                "NOT distanceToLocation:fromLocation:(p, location(0,0)) < 5",
                "cannot cover a distance"
            ),
        ])
    func refusedIfStrict(_ text: String, _ message: String) throws {
        _ = try PredicateParser.parse(text)
        let found = failure { () throws(Failure) in
            _ = try PredicateParser.parse(text, isStrict: true)
        }
        #expect(found?.code == .usage)
        #expect(found?.message.contains(message) == true, "\(String(describing: found))")
    }

    @Test(
        "CK-13 an error names the token and its column",
        arguments: [
            ("", "column 1: It ends where a value is expected"),
            ("title", "column 6: It ends where a comparison"),
            ("title =", "column 8: It ends where a value"),
            ("title = ~", "column 9: Unexpected '~'"),
            ("é = 1", "column 1: Unexpected 'é'"),
            ("title = 'a", "column 9: The text does not end"),
            (#"title = 'a\x'"#, "column 11: Unknown escape"),
            ("a = 1 b = 2", "column 7: Unexpected 'b' where AND or OR"),
            ("(a = 1", "column 7: It ends where ')'"), ("a = 1)", "column 6: Unexpected ')'"),
            ("a MATCHES 'x'", "column 3: 'MATCHES' is not supported"),
            ("a = null", "column 5: 'null' is not supported"),
            ("a = TRUE", "column 5: 'TRUE' is not supported"),
            ("NONE a = 1", "column 1: 'NONE' is not supported"),
            ("ALL a = 1", "column 1: 'ALL' is only for tokenize"),
            ("a.b = 1", "column 2: Unexpected '.'"),
            ("a@max = 1", "column 2: Unexpected '@'"),
            ("a = b", "column 5: Unexpected 'b' where a value"),
            ("a BETWEEN {1}", "column 3: 'BETWEEN' needs two values"),
            ("a BETWEEN 1", "column 11: Unexpected '1' where '{'"),
            ("a IN {1,}", "column 9: Unexpected '}' where a value"),
            ("a IN b", "column 6: Unexpected 'b' where '{'"),
            ("a BEGINSWITH 3", "column 14: Unexpected '3' where a text"),
            ("1 CONTAINS a", "column 3: Unexpected 'CONTAINS' where a comparison or IN"),
            ("a = 9223372036854775808", "column 5: The number 9223372036854775808 does not fit"),
            ("a = 1e999", "column 5: '1e999' is not a number"),
            ("a = 0x10", "column 5: '0x10' is not a number"),
            ("a = 1.2.3", "'1.2.3' is not a number"),
            ("a = date('soon')", "column 10: 'soon' is not valid for date"),
            ("a = data('!')", "column 10: '!' is not valid for data"),
            ("a = pi(1)", "column 5: Unknown function: pi"),
            ("a = location(91, 0)", "column 14: The latitude 91.0 is out of range"),
            ("a = location(1)", "column 15: Unexpected ')' where ','"),
            ("a = reference('_x')", "column 15: A record name cannot begin"),
            ("a = reference('')", "column 15: A record name cannot be empty"),
            ("_a = 1", "column 1: The field name has '_'"),
            ("# = 1", "column 1: A name must follow"),
            ("self CONTAINS ''", "column 15: The text has no word"),
            ("self = 'a'", "column 6: Unexpected '=' where CONTAINS"),
            ("ANY tokenize('a', 'x') IN allTokens", "column 19: The options"),
            ("ANY tokenize('a', 'Cdl') IN b", "column 29: Unexpected 'b' where allTokens"),
            (
                "distanceToLocation:fromLocation:(p, location(0,0)) = 5",
                "column 52: A distance is compared with"
            ),
            (
                "distanceToLocation:fromLocation:(p, location(0,0)) < -5",
                "column 54: Unexpected '-5' where a distance"
            ),
            ("distanceToLocation:fromLocation:(p, 5) < 5", "column 37: 5 is not a location"),
        ])
    func refused(_ text: String, _ message: String) {
        let found = failure { () throws(Failure) in _ = try PredicateParser.parse(text) }
        #expect(found?.code == .usage)
        #expect(found?.message.contains(message) == true, "\(String(describing: found))")
        #expect(found?.remedy.isEmpty == false)
    }

    @Test func `the depth and the length of a predicate are bounded`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a = 1" + String(repeating: ")", count: depth)
        }
        #expect(try PredicateParser.parse(nested(100)) == PredicateParser.parse("a = 1"))
        #expect(
            failure { () throws(Failure) in _ = try PredicateParser.parse(nested(101)) }?.message
                .contains("column 102: It is nested deeper") == true)
        let negated = String(repeating: "NOT ", count: 100_000) + "a = 1"
        #expect(
            failure { () throws(Failure) in _ = try PredicateParser.parse(negated) }?.code == .usage
        )
        let short = String(repeating: "!", count: 60_000) + "a = 1"
        #expect(
            failure { () throws(Failure) in _ = try PredicateParser.parse(short) }?.message
                .contains("nested deeper") == true)
        let wide = Array(repeating: "a = 1", count: 6_000).joined(separator: " OR ")
        guard case .or(let parts) = try PredicateParser.parse(wide) else {
            Issue.record("no alternatives")
            return
        }
        #expect(parts.count == 6_000)
        let long = "a = '" + String(repeating: "x", count: 65_536) + "'"
        #expect(
            failure { () throws(Failure) in _ = try PredicateParser.parse(long) }?.message.contains(
                "more than 65536 bytes") == true)
    }
}
