import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite struct FieldPatternTests {
    @Test(arguments: [
        ("", [], true),
        ("", ["a"], false),
        ("/a", ["a"], true),
        ("/a", ["a", "b"], false),
        ("/*/b", ["a", "b"], true),
        ("/*/b", ["a", "c"], false),
        ("/**/b", ["b"], true),
        ("/**/b", ["a", "c", "b"], true),
        ("/**/b", ["b", "c"], false),
        ("/a/**", ["a"], true),
        ("/a~1b/m~0n", ["a/b", "m~n"], true),
        ("/~01", ["~1"], true),
        ("/", [""], true),
    ])
    func `a pattern matches a path`(_ text: String, _ place: [String], _ matches: Bool) throws {
        #expect(try FieldPattern(parsing: text).matches(place) == matches)
    }

    @Test func `a pattern that does not begin with a slash is refused`() {
        #expect(throws: Failure.self) { try FieldPattern(parsing: "score") }
    }
}
