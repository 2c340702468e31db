import Testing

@testable import FilesinkiMerge

@Suite("JSON with comments, trailing commas and bare keys")
struct JSONCMergeTests {
    private func check(_ row: MergeCase, _ location: SourceLocation = #_sourceLocation) {
        for input in [row.input, row.input.swapped] {
            #expect(
                TreeMerge(format: JSONCFormat()).merge(input).shown == row.merged,
                sourceLocation: location)
        }
    }

    @Test(
        "different members are merged, and comments and commas stay",
        arguments: [
            MergeCase(
                "comments of both sides", "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
                "{\n  // why a\n  \"a\": 1,\n  \"b\": 2\n}\n",
                "{\n  \"a\": 1,\n  \"b\": 3 // why b\n}\n",
                "{\n  // why a\n  \"a\": 1,\n  \"b\": 3 // why b\n}\n"),
            MergeCase(
                "both add behind the last member", "{\n  \"a\": 1 // one\n}\n",
                "{\n  \"a\": 1, // one\n  \"c\": 3\n}\n",
                "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}\n",
                "{\n  \"a\": 1, // one\n  \"b\": 2, // two\n  \"c\": 3\n}\n"),
            MergeCase(
                "a trailing comma", "{\n  a: 1,\n}\n", "{\n  a: 1,\n  c: 3,\n}\n",
                "{\n  a: 2,\n}\n",
                "{\n  a: 2,\n  c: 3,\n}\n"),
            MergeCase(
                "one side removes trailing commas", "{\n  a: 1,\n  b: 2,\n}\n",
                "{\n  a: 1,\n  b: 2\n}\n",
                "{\n  a: 1,\n  b: 3,\n}\n", "{\n  a: 1,\n  b: 3\n}\n"),
            MergeCase(
                "one side removes the last member, the other adds behind it",
                "{\n  a: 1,\n  b: 2\n}\n",
                "{\n  a: 1\n}\n", "{\n  a: 1,\n  b: 2,\n  c: 3\n}\n", "{\n  a: 1,\n  c: 3\n}\n"),
            MergeCase(
                "one line", "{\"a\": 1, /* x */ \"b\": 2}", "{\"b\": 2}",
                "{\"a\": 1, /* x */ \"b\": 2, \"c\": 3}",
                "{\"b\": 2, \"c\": 3}"),
            MergeCase(
                "one line, without comments", "{\"a\": 1, \"b\": 2}", "{\"b\": 2}",
                "{\"a\": 1, \"b\": 2, \"c\": 3}", "{\"b\": 2, \"c\": 3}"),
            MergeCase(
                "a comment that stands alone, and one at the end",
                "[\n  // all\n\n  1,\n  2\n  // end\n]\n",
                "[\n  // all of them\n\n  1,\n  2\n  // end\n]\n",
                "[\n  // all\n\n  1,\n  2,\n  3\n  // end\n]\n",
                "[\n  // all of them\n\n  1,\n  2,\n  3\n  // end\n]\n"),
            MergeCase(
                "a comment that stands alone stays without what follows it",
                "{\n  // all\n\n  a: 1,\n  b: 1\n}\n",
                "{\n  // all of them\n\n  a: 1,\n  b: 1\n}\n",
                "{\n  // all\n\n  b: 1\n}\n", "{\n  // all of them\n\n  b: 1\n}\n"),
            MergeCase(
                "the bracket on the last line", "[\n  'a',\n  'b']\n",
                "[\n  'a',\n  'b',\n  'c']\n", "[\n  'a',\n  'b',\n  'd']\n",
                "[\n  'a',\n  'b',\n  'c',\n  'd']\n"),
            MergeCase(
                "objects by identity", "[\n  { id: 1, v: 1 }, // one\n  { id: 2, v: 1 },\n]\n",
                "[\n  { id: 1, v: 2 }, // one\n  { id: 2, v: 1 },\n]\n",
                "[\n  { id: 1, v: 1 }, // one\n  { id: 2, v: 3 },\n  { id: 3, v: 1 },\n]\n",
                "[\n  { id: 1, v: 2 }, // one\n  { id: 2, v: 3 },\n  { id: 3, v: 1 },\n]\n"),
            MergeCase(
                "lists of values as sets", "{ lib: ['a', 'm'] }", "{ lib: ['a', 'c', 'm'] }",
                "{ lib: ['a', 'b', 'm'] }", "{ lib: ['a', 'b', 'c', 'm'] }"),
            MergeCase(
                "numbers sort as numbers", "[1,20,30]", "[1,9,20,30]", "[1,10,20,30]",
                "[1,9,10,20,30]"),
            MergeCase(
                "numbers, with one between the changes", "[3, 1, 2]", "[9, 1, 2]", "[3, 1, 8]",
                "[9, 1, 8]"),
            MergeCase(
                "wrapped values", "[1, 2,\n 3, 4]", "[1, 2,\n 3, 4, 5]", "[0, 1, 2,\n 3, 4]",
                "[0, 1, 2,\n 3, 4, 5]"),
            MergeCase(
                "both fill one line", "{}", "{\"a\": 1}", "{\"b\": 2}", "{\"a\": 1, \"b\": 2}"),
            MergeCase(
                "another spelling yields to another value", "{ n: 1.0, s: 'x', \"t\": 0 }",
                "{ n: 1, s: \"x\", \"t\": 1 }", "{ n: 2, s: 'y', t: 0 }", "{ n: 2, s: 'y', t: 1 }"),
            MergeCase(
                "comments before and behind the document", "// a\n{}\n// z\n", "// b\n{}\n// z\n",
                "// a\n{}\n// y\n", "// b\n{}\n// y\n"),
            MergeCase(
                "a commented member", "{\n  a: 1,\n  // b: 2\n}\n",
                "{\n  a: 1,\n  // b: 2\n  c: 3\n}\n",
                "{\n  a: 5,\n  // b: 2\n}\n", "{\n  a: 5,\n  // b: 2\n  c: 3\n}\n"),
            MergeCase(
                "both fill an empty object", "{\n  o: {}\n}\n", "{\n  o: {\n    a: 1\n  }\n}\n",
                "{\n  o: {\n    b: 2\n  }\n}\n", "{\n  o: {\n    a: 1,\n    b: 2\n  }\n}\n"),
        ])
    func merged(_ row: MergeCase) { check(row) }

    @Test(
        "what would have to be guessed is declined, and named",
        arguments: [
            MergeCase("two values", "{a: {b: 1}}", "{a: {b: 2}}", "{a: {b: 3}}", "declined: /a/b"),
            MergeCase("both add a member", "{}", "{a: 1}", "{\"a\": 2}", "declined: /a"),
            MergeCase("a range", "{r: [1, 5]}", "{r: [5, 9]}", "{r: [1, 7]}", "declined: /r"),
            MergeCase("the same number", "{r: [1]}", "{r: [2]}", "{r: [3]}", "declined: /r/0"),
            MergeCase(
                "words and numbers", "[true, 0x1]", "[false, 0x1]", "[true, 0x2]", "declined: "),
            MergeCase(
                "two orders", "{l: ['a', 'b', 'c']}", "{l: ['b', 'a', 'c']}",
                "{l: ['a', 'c', 'b']}", "declined: /l"),
            MergeCase(
                "two orders of objects", "[{id: 1}, {id: 2}, {id: 3}]",
                "[{id: 2}, {id: 1}, {id: 3}]", "[{id: 1}, {id: 3}, {id: 2}]", "declined: "),
            MergeCase("a member twice", "{a: 1}", "{a: 1, a: 2}", "{a: 3}", "declined: "),
            MergeCase(
                "removed and changed", "{a: 1, b: 1}", "{b: 1}", "{a: 2, b: 1}", "declined: /a"),
            MergeCase(
                "the same comment, changed twice", "{\n  // one\n  a: 1\n}\n",
                "{\n  // two\n  a: 1\n}\n",
                "{\n  // six\n  a: 1\n}\n", "declined: /a"),
            MergeCase(
                "a comment removed with its member, and changed",
                "{\n  // one\n  a: 1,\n  b: 1\n}\n",
                "{\n  b: 1\n}\n", "{\n  // two\n  a: 1,\n  b: 1\n}\n", "declined: /a"),
        ])
    func declined(_ row: MergeCase) { check(row) }

    @Test(
        "what is no document",
        arguments: [
            "", "1", "{", "[1 2]", "{a 1}", "{a: 1 b: 2}", "[,]", "[1,,2]", "{a: }", "{a: b}",
            "[1] [2]",
            "[1] /* open", "[/]", "['a]", "['a\nb']", "[01x]", "[1.2.3]", "[0x]", "[--1]", "]",
            "[\"a\\\"]",
        ])
    func invalid(_ text: String) {
        #expect(JSONCFormat().read(Array((text + "\n").utf8)) == nil)
    }

    @Test(
        "what JSON5 adds",
        arguments: [
            "{a: 1, $b_1: 2, 'c d': 3, \"e\": 4,}", "[.5, 5., +1, -0x1F, Infinity, -Infinity, NaN]",
            "['it\\'s', \"a\\\nb\"]", "{/* a */ b /* c */ : /* d */ 1 /* e */ , /* f */} // g",
        ])
    func valid(_ text: String) {
        #expect(JSONCFormat().read(Array((text + "\n").utf8)) != nil)
    }

    @Test("nesting is limited", arguments: [100, 101, 100_000])
    func depth(_ depth: Int) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect((JSONCFormat().read(Array((text + "\n").utf8)) != nil) == (depth <= 100))
    }
}
