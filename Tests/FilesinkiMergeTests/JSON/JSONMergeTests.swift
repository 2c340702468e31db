import FilesinkiText
import Testing

@testable import FilesinkiMerge

@Suite struct JSONMergeTests {
    @Test(arguments: [
        MergeCase(
            "neighbouring members", "{\n  \"a\": 1,\n  \"b\": 2\n}\n",
            "{\n  \"a\": 5,\n  \"b\": 2\n}\n", "{\n  \"a\": 1,\n  \"b\": 6\n}\n",
            "{\n  \"a\": 5,\n  \"b\": 6\n}\n"),
        MergeCase(
            "both add at the end", "{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"y\": 2\n}",
            "{\n  \"a\": 1,\n  \"x\": 3\n}", "{\n  \"a\": 1,\n  \"x\": 3,\n  \"y\": 2\n}"),
        MergeCase(
            "one removes the last, one adds behind it", "{\"a\": 1, \"b\": 2}", "{\"a\": 1}",
            "{\"a\": 1, \"b\": 2, \"c\": 3}", "{\"a\": 1, \"c\": 3}"),
        MergeCase(
            "both fill an empty object", "{}", "{\"a\": 1}", "{\"b\": 2}", "{\"a\": 1, \"b\": 2}"),
        MergeCase("both empty it", "{\"a\":1,\"b\":2}", "{\"a\":1}", "{\"b\":2}", "{}"),
        MergeCase(
            "spelling, escapes, spaces stay", #"{ "n":1.0 , "s":"\u00e9", "x":1}"#,
            #"{ "n":1.0 , "s":"\u00e9", "x":2}"#, #"{ "n":1.0 , "s":"\u00e9", "x":1, "y":1e2}"#,
            #"{ "n":1.0 , "s":"\u00e9", "x":2, "y":1e2}"#),
        MergeCase(
            "another spelling yields to another value", #"{"n":1.0,"m":0}"#, #"{"n":1.00,"m":1}"#,
            #"{"n":2,"m":0}"#, #"{"n":2,"m":1}"#),
        MergeCase(
            "long numbers", #"{"a":18446744073709551617,"b":1}"#,
            #"{"a":18446744073709551618,"b":1}"#, #"{"a":18446744073709551617,"b":2}"#,
            #"{"a":18446744073709551618,"b":2}"#),
        MergeCase(
            "lone surrogates", #"{"\ud800":"\udfff","b":1}"#, #"{"\ud800":"\udffe","b":1}"#,
            #"{"\ud800":"\udfff","b":2}"#, #"{"\ud800":"\udffe","b":2}"#),
        MergeCase(
            "one side indents anew", "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": 1\n}\n",
            "{\n\t\"a\": {\n\t\t\"b\": 1\n\t},\n\t\"c\": 1\n}\n",
            "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": 1,\n  \"d\": {\n    \"e\": 2\n  }\n}\n",
            "{\n\t\"a\": {\n\t\t\"b\": 1\n\t},\n\t\"c\": 1,\n\t\"d\": {\n\t\t\"e\": 2\n\t}\n}\n"),
        MergeCase(
            "one side breaks the lines", #"{"a":1,"b":2}"#, "{\n  \"a\": 1,\n  \"b\": 2\n}",
            #"{"a":1,"b":2,"c":{"d":[1]}}"#,
            "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": {\n    \"d\": [\n      1\n    ]\n  }\n}"),
        MergeCase(
            "byte order mark and last line end", "\u{FEFF}[1]", "\u{FEFF}[1,2]", "\u{FEFF}[1]\n",
            "\u{FEFF}[1,2]\n"),
        MergeCase(
            "carriage returns", "{\r\n \"a\": 1\r\n}", "{\r\n \"a\": 2\r\n}",
            "{\r\n \"a\": 1,\r\n \"b\": 1\r\n}", "{\r\n \"a\": 2,\r\n \"b\": 1\r\n}"),
        MergeCase(
            "one side orders the keys", #"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#, #"{"b":3,"a":2}"#,
            #"{"a":2,"b":3}"#),
        MergeCase(
            "nothing in common", nil, #"{"a":1,"c":2}"#, #"{"b":3,"c":2}"#, #"{"a":1,"b":3,"c":2}"#),
        MergeCase(
            "a key twice, where the other changed nothing", #"{"o":{"a":1,"a":1},"b":1}"#,
            #"{"o":{"a":1,"a":2},"b":1}"#, #"{"o":{"a":1,"a":1},"b":2}"#,
            #"{"o":{"a":1,"a":2},"b":2}"#),
    ])
    func `objects are merged by key, in the formatting of the originals`(_ row: MergeCase) {
        #expect(JSONMerge().merge(row.input).shown == row.merged)
        #expect(JSONMerge().merge(row.input.swapped).shown == row.merged)
    }

    @Test(arguments: [
        MergeCase(
            "as a set", #"["a", "b", "c"]"#, #"["a", "b", "c", "e"]"#, #"["b", "c", "d"]"#,
            #"["b", "c", "d", "e"]"#),
        MergeCase(
            "strings replaced one after the other, each by one side", #"["k", "m"]"#,
            #"["x", "m"]"#, #"["k", "y"]"#, #"["x", "y"]"#),
        MergeCase(
            "sorted stays sorted", #"["a","m"]"#, #"["a","c","m"]"#, #"["a","b","m"]"#,
            #"["a","b","c","m"]"#),
        MergeCase(
            "sorted also where a replacement follows what it replaced", #"["a","m","z"]"#,
            #"["a","b","z"]"#, #"["a","c","m","z"]"#, #"["a","b","c","z"]"#),
        MergeCase(
            "an edited one stays before what the other side put behind it", #"["b","y","a"]"#,
            #"["x","y","a"]"#, #"["b","c","y","a"]"#, #"["x","c","y","a"]"#),
        MergeCase(
            "one between two that the other side edited", #"[{"x":1},{"x":2},{"x":9}]"#,
            #"[{"x":7},{"x":8},{"x":9}]"#, #"[{"x":1},{"x":5},{"x":2},{"x":9}]"#,
            #"[{"x":7},{"x":5},{"x":8},{"x":9}]"#),
        MergeCase("sorted the other way", "[9,5,3]", "[9,7,5,3]", "[9,8,5,3]", "[9,8,7,5,3]"),
        MergeCase(
            "numbers sort as numbers", "[1,20,30]", "[1,9,20,30]", "[1,10,20,30]",
            "[1,9,10,20,30]"),
        MergeCase(
            "numbers, with one between the changes", "[3,1,2]", "[9,1,2]", "[3,1,8]", "[9,1,8]"),
        MergeCase("numbers that both only remove", "[4,1,3,2]", "[4,3,2]", "[4,1,2]", "[4,2]"),
        MergeCase("numbers, the same change and one more", "[1,5]", "[2,5]", "[2,6]", "[2,6]"),
        MergeCase("numbers inserted apart", "[3,1,2]", "[0,3,1,2]", "[3,1,2,9]", "[0,3,1,2,9]"),
        MergeCase(
            "equal values, each in its place", "[0,7,0,7,0]", "[1,7,0,7,0]", "[0,7,2,7,0]",
            "[1,7,2,7,0]"),
        MergeCase(
            "one moves, the other removes and adds", #"["a","b","c"]"#, #"["b","a","c"]"#,
            #"["a","b","x"]"#, #"["b","a","x"]"#),
        MergeCase(
            "both moved one alike", #"["a","b","c"]"#, #"["b","a","c"]"#, #"["b","a","c","d"]"#,
            #"["b","a","c","d"]"#),
        MergeCase(
            "one moved what the other side removed, which moved others", #"["a","b","c"]"#,
            #"["b","a","c"]"#,
            #"["c","a"]"#, #"["c","a"]"#),
        MergeCase("rows", "[[1,2],[3,4]]", "[[1,5],[3,4]]", "[[1,2],[3,6]]", "[[1,5],[3,6]]"),
        MergeCase(
            "by identity", #"[{"id":1,"v":1},{"id":2,"v":1}]"#, #"[{"id":1,"v":2},{"id":2,"v":1}]"#,
            #"[{"id":1,"v":1,"w":3},{"id":2,"v":4}]"#, #"[{"id":1,"v":2,"w":3},{"id":2,"v":4}]"#),
        MergeCase(
            "both add objects", #"[{"name":"b"}]"#, #"[{"name":"b"},{"name":"d"}]"#,
            #"[{"name":"b"},{"name":"c"}]"#, #"[{"name":"b"},{"name":"c"},{"name":"d"}]"#),
        MergeCase(
            "one moves, one changes", #"[{"id":1,"v":1},{"id":2,"v":1}]"#,
            #"[{"id":2,"v":1},{"id":1,"v":1}]"#, #"[{"id":1,"v":9},{"id":2,"v":1}]"#,
            #"[{"id":2,"v":1},{"id":1,"v":9}]"#),
        MergeCase(
            "sorted by something else than the identity",
            #"[{"id":9,"name":"a"},{"id":1,"name":"m"}]"#,
            #"[{"id":9,"name":"a"},{"id":3,"name":"c"},{"id":1,"name":"m"}]"#,
            #"[{"id":9,"name":"a"},{"id":7,"name":"b"},{"id":1,"name":"m"}]"#,
            #"[{"id":9,"name":"a"},{"id":7,"name":"b"},{"id":3,"name":"c"},{"id":1,"name":"m"}]"#),
        MergeCase(
            "objects without identity, in place", #"[{"x":1,"y":1},{"x":1,"y":1}]"#,
            #"[{"x":2,"y":1},{"x":1,"y":1}]"#, #"[{"x":1,"y":3},{"x":1,"y":1}]"#,
            #"[{"x":2,"y":3},{"x":1,"y":1}]"#),
        MergeCase(
            "wrapped numbers", "[1, 2,\n 3, 4]", "[1, 2,\n 3, 4, 5]", "[0, 1, 2,\n 3, 4]",
            "[0, 1, 2,\n 3, 4, 5]"),
    ])
    func `arrays are merged by identity, as sets or by position`(_ row: MergeCase) {
        #expect(JSONMerge().merge(row.input).shown == row.merged)
        #expect(JSONMerge().merge(row.input.swapped).shown == row.merged)
    }

    @Test(arguments: [
        MergeCase(
            "different values", #"{"a":{"b/c":1}}"#, #"{"a":{"b/c":2}}"#, #"{"a":{"b/c":3}}"#,
            "/a/b~1c"),
        MergeCase("removed and changed", #"{"a":{"b":1}}"#, "{}", #"{"a":{"b":2}}"#, "/a"),
        MergeCase("different kinds", #"{"a":1}"#, #"{"a":[]}"#, #"{"a":{}}"#, "/a"),
        MergeCase(
            "two places", #"{"a":1,"b":[1]}"#, #"{"a":2,"b":[2]}"#, #"{"a":3,"b":[3]}"#, "/a /b/0"),
        MergeCase("a key twice", #"{"a":1}"#, #"{"a":1,"a":2}"#, #"{"a":3}"#, ""),
        MergeCase(
            "the same element", #"[{"id":7,"v":1}]"#, #"[{"id":7,"v":2}]"#, #"[{"id":7,"v":3}]"#,
            "/0/v"),
        MergeCase(
            "one number for two new objects", #"[{"pk":1,"f":{"n":"a"}}]"#,
            #"[{"pk":1,"f":{"n":"a"}},{"pk":2,"f":{"n":"b"}}]"#,
            #"[{"pk":1,"f":{"n":"a"}},{"pk":2,"f":{"n":"c"}}]"#, "/1/f/n"),
        MergeCase("insertions among equals", "[0,0]", "[0,1,0]", "[0,2,0]", ""),
        MergeCase(
            "numbers that moved on", #"{"pos":[10,20]}"#, #"{"pos":[20,30]}"#, #"{"pos":[10,25]}"#,
            "/pos"),
        MergeCase("a range", "[1,5]", "[5,9]", "[1,7]", ""),
        MergeCase("a version", "[1,2,3]", "[2,3,4]", "[1,2,5]", ""),
        MergeCase("a coordinate", "[13.4,52.5]", "[52.5,13.4]", "[13.5,52.5]", ""),
        MergeCase("numbers turned round", "[1,2,3]", "[3,2,1]", "[1,2,4]", ""),
        MergeCase("neighbouring numbers", "[10.5,20.1]", "[9.5,20.1]", "[10.5,1.3]", ""),
        MergeCase("numbers put at one place", "[3,1,2]", "[3,1,2,9]", "[3,1,2,8]", ""),
        MergeCase("numbers put into an empty list", "[]", "[1,2]", "[3,4]", ""),
        MergeCase("truth values", "[true,false]", "[false,false]", "[true,true]", ""),
        MergeCase("a string beside null", #"["a",null]"#, #"["b",null]"#, #"["a","c"]"#, ""),
        MergeCase(
            "a number moved to two places", "[3,1,2,4,5,6,0,0]", "[1,2,4,5,6,3,0,0]",
            "[1,2,3,4,5,6,0,0]", ""),
        MergeCase("one string", #"["a"]"#, #"["b"]"#, #"["c"]"#, "/0"),
        MergeCase(
            "one string among others", #"["k","a","m"]"#, #"["k","b","m"]"#, #"["k","c","m"]"#, "/1"
        ),
        MergeCase(
            "one string by several", #"["k","a","m"]"#, #"["k","b","m"]"#, #"["k","c","d","m"]"#, ""
        ),
        MergeCase("two orders", #"["a","b","c"]"#, #"["b","a","c"]"#, #"["a","c","b"]"#, ""),
        MergeCase(
            "two orders of objects", #"{"l":[{"id":1},{"id":2},{"id":3}]}"#,
            #"{"l":[{"id":2},{"id":1},{"id":3}]}"#, #"{"l":[{"id":1},{"id":3},{"id":2}]}"#, "/l"),
        MergeCase(
            "two orders of objects without identity", #"[{"x":1},{"x":2},{"x":3}]"#,
            #"[{"x":2},{"x":1},{"x":3}]"#, #"[{"x":1},{"x":3},{"x":2}]"#, ""),
        MergeCase(
            "two orders, and an element that one side removed", #"["a","b","c","d"]"#,
            #"["b","a","c","d"]"#, #"["c","b","a"]"#, ""),
        MergeCase("both created other lists", nil, #"{"a":[1]}"#, #"{"a":[2]}"#, "/a"),
    ])
    func `an ambiguous merge declines and names the place`(_ row: MergeCase) {
        #expect(JSONMerge().merge(row.input).shown == "declined: " + row.merged)
        #expect(JSONMerge().merge(row.input.swapped).shown == "declined: " + row.merged)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,}", "[01]", "[1.]", "[.5]", "[+1]", "[1e]", "['a']", "[NaN]",
        "{a:1}", "// c\n[]", "[1] [2]", "\"\\x\"", "\"\\u12\"", "\"a\nb\"", "[\"", "tru", "-",
        "{\"a\"}", "[1 2]", "{\"a\":1 \"b\":2}", "\u{FEFF}", "]", "[}", "# c\n{}",
    ])
    func `a content that is not strict JSON declines`(_ text: String) {
        let row = MergeCase("", "[]", text, "[1]", "")
        #expect(JSONMerge().merge(row.input).shown == "declined: ")
        #expect(JSONMerge().merge(row.input.swapped).shown == "declined: ")
    }

    @Test(arguments: [
        [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82], [0x22, 0xE2, 0x82, 0x22],
    ])
    func `a content that is not UTF-8 declines`(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONDocument(bytes) }
    }

    @Test func `a conflict names the line`() {
        let row = MergeCase("", "[]", "[\n1,\n// two\n2]", "[1]", "")
        guard case .declined(let conflicts) = JSONMerge().merge(row.input) else {
            Issue.record("It was merged.")
            return
        }
        #expect(conflicts.first?.reason.contains("line 3 has a comment") == true)
    }

    @Test(arguments: [512, 513, 100_000])
    func `nesting is limited`(_ depth: Int) {
        let nested = { (middle: String) in
            String(repeating: "{\"a\":", count: depth) + middle
                + String(repeating: "}", count: depth)
        }
        let row = MergeCase("", nested("1"), nested("1.0"), nested("2"), nested("2"))
        let expected = depth <= 512 ? row.merged : "declined: "
        #expect(JSONMerge().merge(row.input).shown == expected)
    }

    @Test func `long arrays of equal values that differ everywhere are merged in time`() {
        let list = { (period: Int) in
            "[" + (0..<20_000).map { "\($0 * $0 % period)" }.joined(separator: ",") + "]"
        }
        let row = MergeCase("", list(101), list(103), list(107), "")
        #expect(JSONMerge().merge(row.input).shown.hasPrefix("declined"))
    }
}
