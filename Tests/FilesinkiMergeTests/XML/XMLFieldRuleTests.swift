import FilesinkiModel
import Testing

@testable import FilesinkiMerge

/// Attributes are numbers although quotes are around them.
@Suite("Rules for fields of XML")
struct XMLFieldRuleTests {
    @Test(
        "attributes and texts are compared and added as numbers",
        arguments: [
            ("sum", "5", "6", "6", "7"), ("sum", "5", "6", "12", "13"),
            ("sum", "1", "0", "0", "-1"),
            ("max", "5", "6", "12", "12"), ("max", "5", "9.5", "10", "10"),
            ("min", "50", "6", "12", "6"), ("max", "a", "b", "c", "c"),
            ("sum", "1", "2", "x", "declined: "), ("max", "1", "2", "x", "declined: "),
        ])
    func attributes(
        _ word: String, _ base: String, _ ours: String, _ theirs: String, _ merged: String
    ) throws {
        let resolution = try #require(FieldRule.Resolution(rawValue: word))
        for (form, place) in [
            ("<r><i id=\"1\" n=\"$\"/><b c=\"1\"/></r>", "/i[1]/n"),
            ("<r><i id='1' n='$'/><b c=\"1\"/></r>", "/i[1]/n"),
            ("<r><n>$</n><b c=\"1\"/></r>", "/n/text()"),
        ] {
            func text(_ value: String) -> String { form.replacing("$", with: value) }
            let other = text(theirs).replacing("c=\"1\"", with: "c=\"2\"")
            var input = MergeCase("", text(base), text(ours), other, "").input
            input.settings.fields = [
                FieldRule(pattern: try FieldPattern(parsing: place), resolution: resolution)
            ]
            let expected =
                merged.hasPrefix("declined")
                ? merged + place : text(merged).replacing("c=\"1\"", with: "c=\"2\"")
            for input in [input, input.swapped] {
                #expect(DocumentFormat.xml.merge.merge(input).shown == expected)
            }
        }
    }

    @Test("a sum has the lesser of two quotes, on both devices")
    func quotes() throws {
        var input = MergeCase(
            "", "<r n=\"1\" a=\"1\"/>", "<r n='2' a=\"1\"/>", "<r n=\"3\" a=\"2\"/>", ""
        ).input
        input.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: "/n"), resolution: .sum)
        ]
        for input in [input, input.swapped] {
            #expect(DocumentFormat.xml.merge.merge(input).shown == "<r n=\"4\" a=\"2\"/>")
        }
    }
}
