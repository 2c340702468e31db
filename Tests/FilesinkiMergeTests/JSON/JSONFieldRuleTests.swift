import FilesinkiModel
import FilesinkiText
import Testing

@testable import FilesinkiMerge

@Suite struct JSONFieldRuleTests {
    private func merge(
        _ base: String?, _ ours: String, _ theirs: String, choice: FieldChoice? = nil,
        rules: [(String, FieldRule.Resolution)] = [], times: (Int64, Int64) = (1, 2)
    ) throws -> String {
        var input = MergeCase("", base, ours, theirs, "").input
        input.oursModified = Timestamp(nanoseconds: times.0)
        input.theirsModified = Timestamp(nanoseconds: times.1)
        input.settings.fieldChoice = choice
        input.settings.fields = try rules.map {
            FieldRule(pattern: try FieldPattern(parsing: $0.0), resolution: $0.1)
        }
        let result = JSONMerge().merge(input).shown
        if choice != .ours, choice != .theirs {
            #expect(JSONMerge().merge(input.swapped).shown == result)
        }
        return result
    }

    @Test(arguments: [
        (FieldRule.Resolution.max, "1", "5", "12", "12"),
        (.min, "1", "5", "12", "5"),
        (.max, "1", "99999999999999999999.5", "99999999999999999999.49", "99999999999999999999.5"),
        (.max, "\"a\"", "\"b\"", "\"ab\"", "\"b\""),
        (.max, "1", "2", "\"3\"", "declined: /f"),
        (.max, "9", "5", "9", "5"),
        (.sum, "10", "12", "15", "17"),
        (.sum, "10", "11", "11", "12"),
        (.sum, "10", "7", "8", "5"),
        (.sum, "0.1", "0.3", "1e0", "1.2"),
        (.sum, "-1", "99999999999999999999", "-2", "99999999999999999998"),
        (.sum, "1", "2", "1e999999999", "declined: /f"),
        (.sum, "1", "2", "1e99999999999999999999", "declined: /f"),
        (.sum, "1", "2", "null", "declined: /f"),
        (.union, "[1,2,2,3]", "[2,2,3,4]", "[1,2,3,5,5]", "[2,3,4,5]"),
        (.newest, "1", "2", "3", "3"),
        (.maxVersion, "\"^1.8.0\"", "\"^1.9.0\"", "\"^1.10.0\"", "\"^1.10.0\""),
        (.maxVersion, "\"1.8.0\"", "\"2.0.0-rc.1\"", "\"2.0.0\"", "\"2.0.0\""),
        (.maxVersion, "1", "2", "\"3\"", "declined: /f"),
        (.newest, "1", "2", "{}", "{}"),
    ])
    func `a rule decides a field that both sides changed`(
        _ rule: FieldRule.Resolution, _ base: String, _ ours: String, _ theirs: String,
        _ expected: String
    ) throws {
        let document = { (value: String, other: Int) in "{\"f\":\(value),\"o\":\(other)}" }
        let result = try merge(
            document(base, 1), document(ours, 2), document(theirs, 1), rules: [("/f", rule)])
        #expect(result == (expected.hasPrefix("declined") ? expected : document(expected, 2)))
    }

    @Test func `a sum counts from zero where both created the field`() throws {
        let result = try merge("{}", #"{"f":2}"#, #"{"f":3}"#, rules: [("/f", .sum)])
        #expect(result == #"{"f":5}"#)
    }

    @Test func `a rule applies inside arrays of objects`() throws {
        let result = try merge(
            #"{"p":[{"id":1,"s":1}]}"#, #"{"p":[{"id":1,"s":3}]}"#, #"{"p":[{"id":1,"s":2}]}"#,
            rules: [("/p/*/s", .max)])
        #expect(result == #"{"p":[{"id":1,"s":3}]}"#)
    }

    @Test func `the first rule that matches decides`() throws {
        let result = try merge("[1]", "[2]", "[3]", rules: [("/0", .min), ("/*", .max)])
        #expect(result == "[2]")
    }

    @Test(arguments: [
        (FieldChoice.ours, 1, 2, #"{"a":2,"b":1,"c":9}"#),
        (.theirs, 1, 2, #"{"a":3,"c":9}"#),
        (.newest, 1, 2, #"{"a":3,"c":9}"#),
        (.oldest, 1, 2, #"{"a":2,"b":1,"c":9}"#),
        (.newest, 2, 2, "declined: /a /b"),
    ])
    func `a choice applies to the fields in conflict only`(
        _ choice: FieldChoice, _ ours: Int64, _ theirs: Int64, _ expected: String
    ) throws {
        let result = try merge(
            #"{"a":1,"b":0,"c":1}"#, #"{"a":2,"b":1,"c":1}"#, #"{"a":3,"c":9}"#, choice: choice,
            times: (ours, theirs))
        #expect(Set(result.split(separator: " ")) == Set(expected.split(separator: " ")))
    }

    @Test func `objects are identified by the member that the user names`() throws {
        var input = MergeCase(
            "", #"[{"n":1,"v":1,"id":1}]"#, #"[{"n":1,"v":2,"id":1}]"#,
            #"[{"n":1,"v":1,"id":5}]"#, ""
        ).input
        input.settings.identities = [
            IdentityRule(pattern: try FieldPattern(parsing: ""), member: "n")
        ]
        #expect(JSONMerge().merge(input).shown == #"[{"n":1,"v":2,"id":5}]"#)
    }

    @Test(arguments: [
        ("/a", #"{"a":1}"#, #"{"a":2}"#, JSONComparison.Order.lesser as JSONComparison.Order?),
        ("/a", #"{"a":10}"#, #"{"a":9}"#, .greater),
        ("/a", #"{"a":1.0}"#, #"{"a":10e-1}"#, .equal),
        ("/a", #"{"a":-3}"#, #"{"a":-2}"#, .lesser),
        ("/a", #"{"a":-3}"#, #"{"a":0}"#, .lesser),
        ("/a", #"{"a":1e400}"#, #"{"a":1e399}"#, .greater),
        ("/a", #"{"a":18446744073709551617}"#, #"{"a":18446744073709551616}"#, .greater),
        ("/a", #"{"a":"b"}"#, #"{"a":"\u0061z"}"#, .greater),
        ("/a/1", #"{"a":[0,1]}"#, #"{"a":[9,2]}"#, .lesser),
        ("/a", #"{"a":1}"#, #"{"a":"1"}"#, nil),
        ("/a", #"{"a":1}"#, #"{}"#, nil),
        ("/a", #"{"a":1,"a":2}"#, #"{"a":2}"#, nil),
        ("/a", #"{"a":null}"#, #"{"a":null}"#, nil),
        ("/a/01", #"{"a":[0,1]}"#, #"{"a":[9,2]}"#, nil),
        ("a", #"{"a":1}"#, #"{"a":2}"#, nil),
        ("/a", "no", #"{"a":2}"#, nil),
        ("/a", #"{"a":1e99999999999999999999}"#, #"{"a":2}"#, nil),
    ])
    func `a field of two documents is compared exactly`(
        _ pointer: String, _ ours: String, _ theirs: String, _ order: JSONComparison.Order?
    ) {
        let result = JSONComparison.compare(
            pointer: pointer, ours: Array(ours.utf8), theirs: Array(theirs.utf8))
        #expect(result == order)
    }
}
