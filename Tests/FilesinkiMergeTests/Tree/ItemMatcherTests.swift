import Testing

@testable import FilesinkiMerge

/// Which items of three versions are the same, shown by JSON.
@Suite struct ItemMatcherTests {
    @Test(arguments: [
        MergeCase("removals of both", "[1,2,3]", "[1,3]", "[1,2]", "[1]"),
        MergeCase(
            "additions of both to sorted ones", "[1,3,9]", "[1,3,5,9]", "[1,3,4,9]", "[1,3,4,5,9]"),
        MergeCase(
            "additions of both to two, which are in some order always", "[1,5]", "[1,2,5]",
            "[1,3,5]", "declined: "),
        MergeCase(
            "additions at different places of two", "[1,5]", "[1,2,5]", "[1,5,9]", "[1,2,5,9]"),
        MergeCase("a number beside a string", #"["a",1]"#, #"["a",2]"#, #"["b",1]"#, "declined: "),
        MergeCase(
            "a number with one between", #"["a",0,1]"#, #"["a",0,2]"#, #"["b",0,1]"#, #"["b",0,2]"#),
        MergeCase("one side has both changes", "[1,5]", "[2,6]", "[2,5]", "[2,6]"),
        MergeCase("equal changes, one written otherwise", "[1,5]", "[2,5]", "[ 2,5,7]", "[ 2,5,7]"),
        MergeCase(
            "strings that look like numbers", #"["1","5"]"#, #"["1","5","7"]"#, #"["1","5","6"]"#,
            #"["1","5","6","7"]"#),
        MergeCase(
            "an element removed and its neighbour changed", "[1,2,3]", "[1,3]", "[1,2,4]",
            "declined: "),
    ])
    func `in a list with numbers or truth values the places mean something`(_ row: MergeCase) {
        check(row)
    }

    @Test(arguments: [
        MergeCase(
            "additions of both at one place", #"["b"]"#, #"["b","d"]"#, #"["b","c"]"#,
            #"["b","c","d"]"#),
        MergeCase("removals of both", #"["a","b","c"]"#, #"["a","c"]"#, #"["a","b"]"#, #"["a"]"#),
        MergeCase(
            "one replaced, and removed by the other", #"["a","b"]"#, #"["a","x"]"#, #"["a"]"#,
            #"["a","x"]"#),
        MergeCase(
            "one moved, and removed by the other", #"["a","b","c"]"#, #"["c","a","b"]"#,
            #"["a","b"]"#, #"["a","b"]"#),
        MergeCase(
            "one added by both to different places", #"["a","b","c"]"#, #"["a","x","b","c"]"#,
            #"["a","b","x","c"]"#, #"["a","b","x","c"]"#),
        MergeCase(
            "one twice in the base", #"["a","a","b"]"#, #"["a","b"]"#, #"["a","a","b","c"]"#,
            #"["a","b","c"]"#),
        MergeCase("all removed by one side", #"["a","b"]"#, "[]", #"["a","b","c"]"#, #"["c"]"#),
        MergeCase("additions to nothing", "[]", #"["b"]"#, #"["a"]"#, #"["a", "b"]"#),
    ])
    func `a list of strings is a set`(_ row: MergeCase) { check(row) }

    @Test(arguments: [
        MergeCase(
            "id goes before uuid", #"[{"uuid":1,"id":1,"v":1}]"#, #"[{"uuid":2,"id":1,"v":1}]"#,
            #"[{"uuid":1,"id":1,"v":2}]"#, #"[{"uuid":2,"id":1,"v":2}]"#),
        MergeCase(
            "uuid goes before key", #"[{"key":1,"uuid":1,"v":1}]"#, #"[{"key":2,"uuid":1,"v":1}]"#,
            #"[{"key":1,"uuid":1,"v":2}]"#, #"[{"key":2,"uuid":1,"v":2}]"#),
        MergeCase(
            "key goes before name", #"[{"name":1,"key":1,"v":1}]"#, #"[{"name":2,"key":1,"v":1}]"#,
            #"[{"name":1,"key":1,"v":2}]"#, #"[{"name":2,"key":1,"v":2}]"#),
        MergeCase(
            "a number is another identity than a string", #"[{"id":"1","v":1}]"#,
            #"[{"id":"1","v":1},{"id":1,"v":2}]"#, #"[{"id":"1","v":3}]"#,
            #"[{"id":"1","v":3},{"id":1,"v":2}]"#),
        MergeCase(
            "a container is no identity", #"[{"id":[1],"name":"a","v":1},{"name":"b"}]"#,
            #"[{"id":[1],"name":"a","v":2},{"name":"b"}]"#,
            #"[{"name":"b"},{"id":[1],"name":"a","v":1}]"#,
            #"[{"name":"b"},{"id":[1],"name":"a","v":2}]"#),
        MergeCase(
            "an identity that is there twice in one version is none",
            #"[{"id":1,"name":"a","v":1}]"#, #"[{"id":1,"name":"a","v":2}]"#,
            #"[{"id":1,"name":"b","v":3},{"id":1,"name":"a","v":1}]"#,
            #"[{"id":1,"name":"b","v":3},{"id":1,"name":"a","v":2}]"#),
        MergeCase(
            "an identity that one element does not have is none",
            #"[{"id":1,"name":"a","v":1},{"name":"b"}]"#,
            #"[{"id":2,"name":"a","v":1},{"name":"b"}]"#,
            #"[{"id":1,"name":"a","v":2},{"name":"b"}]"#,
            #"[{"id":2,"name":"a","v":2},{"name":"b"}]"#),
        MergeCase(
            "one that was moved and edited", #"[{"id":1,"v":1},{"id":2,"v":1},{"id":3,"v":1}]"#,
            #"[{"id":3,"v":1},{"id":1,"v":1},{"id":2,"v":1}]"#,
            #"[{"id":1,"v":1},{"id":2,"v":1},{"id":3,"v":9}]"#,
            #"[{"id":3,"v":9},{"id":1,"v":1},{"id":2,"v":1}]"#),
        MergeCase(
            "one that was removed and edited", #"[{"id":1,"v":1},{"id":2,"v":1}]"#,
            #"[{"id":2,"v":1}]"#, #"[{"id":1,"v":2},{"id":2,"v":1}]"#, "declined: /0"),
        MergeCase(
            "one that both added", #"[{"id":1}]"#, #"[{"id":1},{"id":2,"a":1}]"#,
            #"[{"id":1},{"id":2,"b":1}]"#, #"[{"id":1},{"id":2,"b":1,"a":1}]"#),
        MergeCase(
            "one that both added, with other values", #"[{"id":1}]"#, #"[{"id":1},{"id":2,"a":1}]"#,
            #"[{"id":1},{"id":2,"a":2}]"#, "declined: /1/a"),
    ])
    func `objects of a list are known by the first member that tells all apart`(_ row: MergeCase) {
        check(row)
    }

    @Test(arguments: [
        MergeCase(
            "half of its members are as they were", #"[{"a":1,"b":1}]"#, #"[{"a":2,"b":1}]"#,
            #"[{"a":1,"b":2}]"#, #"[{"a":2,"b":2}]"#),
        MergeCase(
            "less than half are", #"[{"a":1,"b":1,"c":1}]"#, #"[{"a":2,"b":2,"c":1}]"#,
            #"[{"a":1,"b":1,"c":2}]"#, "declined: "),
        MergeCase(
            "half of four are", #"[{"a":1,"b":1,"c":1,"d":1}]"#, #"[{"a":2,"b":2,"c":1,"d":1}]"#,
            #"[{"a":1,"b":1,"c":2,"d":2}]"#, #"[{"a":2,"b":2,"c":2,"d":2}]"#),
        MergeCase(
            "none are", #"[{"a":1}]"#, #"[{"a":2}]"#, #"[{"a":1,"b":1},{"a":3}]"#, "declined: "),
        MergeCase("half of a list is", "[[1,2]]", "[[3,2]]", "[[1,2],[4]]", "[[3,2],[4]]"),
        MergeCase(
            "a map became a list", #"[{"a":1,"b":1}]"#, "[[1]]", #"[{"a":1,"b":2}]"#, "declined: "),
        MergeCase(
            "neighbours, each of one side", #"[{"a":1,"z":0},{"a":2,"z":0}]"#,
            #"[{"a":9,"z":0},{"a":2,"z":0}]"#, #"[{"a":1,"z":0},{"a":8,"z":0}]"#,
            #"[{"a":9,"z":0},{"a":8,"z":0}]"#),
    ])
    func `objects without an identity are the same where half of them is`(_ row: MergeCase) {
        check(row)
    }

    @Test(arguments: [
        MergeCase(
            "another kind by one side", #"{"a":[1],"b":1}"#, #"{"a":{"x":1},"b":1}"#,
            #"{"a":[1],"b":2}"#, #"{"a":{"x":1},"b":2}"#),
        MergeCase(
            "another kind by both", #"{"a":1}"#, #"{"a":{"x":1}}"#, #"{"a":{"y":2}}"#,
            #"{"a":{"x":1,"y":2}}"#),
        MergeCase(
            "a list added by both alike, written otherwise", #"{"z":0}"#,
            #"{"z":0,"l":[1,2],"a":1}"#, #"{"z":0,"l":[1, 2],"b":1}"#,
            #"{"z":0,"l":[1,2],"b":1,"a":1}"#),
        MergeCase(
            "lists added by both", #"{"z":0}"#, #"{"z":0,"l":["a"]}"#, #"{"z":0,"l":["b"]}"#,
            "declined: /l"),
        MergeCase(
            "an object added by both", #"{"z":0}"#, #"{"z":0,"l":{"a":1}}"#,
            #"{"z":0,"l":{"b":1}}"#, #"{"z":0,"l":{"a":1,"b":1}}"#),
        MergeCase(
            "removed by one, written otherwise by the other", #"{"a":1,"b":1.0}"#, #"{"a":2}"#,
            #"{"a":1,"b":1.00}"#, #"{"a":2}"#),
        MergeCase(
            "removed by one, a member of it added by the other", #"{"a":1,"b":{}}"#, #"{"a":1}"#,
            #"{"a":1,"b":{"c":1}}"#, "declined: /b"),
        MergeCase(
            "removed by both", #"{"a":1,"b":1}"#, #"{"a":2}"#, #"{"a":1,"c":1}"#, #"{"a":2,"c":1}"#),
        MergeCase(
            "renamed by one, edited by the other", #"{"a":1,"b":1}"#, #"{"a":1,"c":1}"#,
            #"{"a":1,"b":2}"#, "declined: /b"),
    ])
    func `members are known by their names`(_ row: MergeCase) { check(row) }

    private func check(_ row: MergeCase) {
        for input in [row.input, row.input.swapped] {
            #expect(JSONMerge().merge(input).shown == row.merged)
        }
    }
}
