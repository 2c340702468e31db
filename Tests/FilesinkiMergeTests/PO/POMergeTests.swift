import Testing

@testable import FilesinkiMerge

@Suite("Translations merged by message")
struct POMergeTests {
    private static let head = "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n"
    private static let one = "#: a.c:1\nmsgid \"one\"\nmsgstr \"eins\"\n"
    private static let two = "#: a.c:2\n#, c-format\nmsgid \"two %d\"\nmsgstr \"zwei %d\"\n"
    private static let base = [head, one, two].joined(separator: "\n")

    private static let wrapped =
        "msgid \"\"\nmsgstr \"\"\n\"Team: a \"\n\"b\\n\"\n\"Date: 1\\n\"\n"

    private static func edited(_ old: String, _ new: String) -> String {
        base.replacing(old, with: new)
    }

    static let rows: [MergeCase] = [
        MergeCase(
            "translations of neighbours", base, edited("eins", "1"), edited("zwei", "2"),
            base.replacing("eins", with: "1").replacing("zwei", with: "2")),
        MergeCase(
            "one translated, both added a message", base,
            edited("eins", "1") + "\nmsgid \"v\"\nmsgstr \"V\"\n",
            base + "\nmsgid \"u\"\nmsgstr \"U\"\n",
            edited("eins", "1")
                + "\nmsgid \"u\"\nmsgstr \"U\"\n\nmsgid \"v\"\nmsgstr \"V\"\n"),
        MergeCase(
            "the same message in two contexts", base,
            base + "\nmsgctxt \"x\"\nmsgid \"one\"\nmsgstr \"X\"\n", edited("eins", "1"),
            edited("eins", "1") + "\nmsgctxt \"x\"\nmsgid \"one\"\nmsgstr \"X\"\n"),
        MergeCase(
            "both translated it otherwise", base, edited("eins", "1"), edited("eins", "Eins"),
            "declined: /one/msgstr"),
        MergeCase(
            "both wrote the same on other lines", base, edited("\"eins\"", "\"\"\n\"1\""),
            edited("eins", "1"), edited("\"eins\"", "\"\"\n\"1\"")),
        MergeCase(
            "a comment and the translation below it", base,
            edited("#: a.c:1\n", "# short\n#: a.c:1\n"), edited("eins", "1"),
            edited("#: a.c:1\n", "# short\n#: a.c:1\n").replacing("eins", with: "1")),
        MergeCase(
            "removed, and its place changed", base, edited("\n" + one, ""),
            edited("a.c:1", "b.c:1"), "declined: /one"),
        MergeCase(
            "lines of the header", base, edited("de\\n\"\n", "de\\n\"\n\"X-Editor: e\\n\"\n"),
            edited("Language: de", "Language: de_AT"),
            edited("de\\n\"\n", "de_AT\\n\"\n\"X-Editor: e\\n\"\n")),
        MergeCase(
            "lines of a header of which one has two strings", wrapped,
            wrapped.replacing("b\\n", with: "c\\n"),
            wrapped.replacing("Date: 1", with: "Date: 2"),
            wrapped.replacing("b\\n", with: "c\\n").replacing("Date: 1", with: "Date: 2")),
        MergeCase(
            "the same line on other strings", wrapped,
            wrapped.replacing("\"Team: a \"\n\"b", with: "\"Team: \"\n\"a b"),
            wrapped.replacing("Team: a \"\n\"b", with: "Team: a c"),
            wrapped.replacing("Team: a \"\n\"b", with: "Team: a c")),
        MergeCase(
            "flags as a set", base, edited("#, c-format", "#, c-format, no-wrap"),
            edited("#, c-format", "#, fuzzy, c-format"),
            edited("#, c-format", "#, fuzzy, c-format, no-wrap")),
        MergeCase(
            "a flag line that only one side adds", base,
            edited("msgid \"one", "#, fuzzy\nmsgid \"one"),
            edited("zwei", "2"),
            edited("msgid \"one", "#, fuzzy\nmsgid \"one").replacing("zwei", with: "2")),
        MergeCase(
            "approved here, translated again there", edited("#, c", "#, fuzzy, c"), base,
            edited("#, c", "#, fuzzy, c").replacing("zwei", with: "2"),
            "declined: /two %d/msgstr"),
        MergeCase(
            "obsolete here, translated there", base,
            edited(one, "#~ msgid \"one\"\n#~ msgstr \"eins\"\n"), edited("eins", "1"),
            "declined: /one"),
        MergeCase(
            "obsolete here, another one translated there", base,
            edited(one, "#~ msgid \"one\"\n#~ msgstr \"eins\"\n"), edited("zwei", "2"),
            edited(one, "#~ msgid \"one\"\n#~ msgstr \"eins\"\n").replacing("zwei", with: "2")),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        #expect(TreeMerge(format: POFormat()).merge(row.input).shown == row.merged)
        let swapped = TreeMerge(format: POFormat()).merge(row.input.swapped).shown
        #expect(swapped == row.merged)
    }

    @Test("each form of a plural is a field")
    func plurals() {
        let base = "msgid \"day\"\nmsgid_plural \"days\"\nmsgstr[0] \"Tag\"\nmsgstr[1] \"Tage\"\n"
        let row = MergeCase(
            "", base, base.replacing("Tag\"", with: "T\""), base.replacing("Tage", with: "\"\n\"T"),
            "msgid \"day\"\nmsgid_plural \"days\"\nmsgstr[0] \"T\"\nmsgstr[1] \"\"\n\"T\"\n")
        #expect(TreeMerge(format: POFormat()).merge(row.input).shown == row.merged)
    }

    @Test("of two dates of a revision the later one stays")
    func dates() {
        func text(_ date: String, _ value: String) -> String {
            "msgid \"\"\nmsgstr \"\"\n\"PO-Revision-Date: \(date)\\n\"\n\nmsgid \"a\"\nmsgstr \"\(value)\"\n\nmsgid \"b\"\nmsgstr \"\(date)\"\n"
                .replacing("msgstr \"\(date)", with: "msgstr \"")
        }
        let row = MergeCase(
            "", text("2026-01-01 10:00+0100", ""), text("2026-02-02 10:00+0100", "x"),
            text("2026-02-01 10:00+0100", ""), text("2026-02-02 10:00+0100", "x"))
        let merge = TreeMerge(format: POFormat())
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }

    @Test(
        "the last translator is the one of the last revision",
        arguments: [
            // The dates, translators and programs of base, ours, theirs and the result.
            ["5 Ann p1", "8 Ann p1", "6 Ben p1", "8 Ann p1"],
            ["5 Ann p1", "8 Cid p1", "6 Ben p1", "8 Cid p1"],
            ["5 Ann p1", "8 Ann p2", "6 Ben p3", "8 Ann p2"],
            ["5 Ann p1", "8 Ann p1", "6 Ann p3", "8 Ann p3"],
            ["5 Ann p1", "8 Cid p1", "8 Ben p1", "declined: /0/msgstr/Last-Translator"],
            ["5 Ann p1", "8 Ann p1", "5 Ben p1", "8 Ben p1"],
        ])
    func revisions(_ texts: [String]) {
        func text(_ words: String) -> String {
            let words = words.split(separator: " ")
            guard words.count == 3 else { return words.joined(separator: " ") }
            return
                "msgid \"\"\nmsgstr \"\"\n\"PO-Revision-Date: 2026-01-0\(words[0])\\n\"\n\"Last-Translator: \(words[1])\\n\"\n\"X-Generator: \(words[2])\\n\"\n"
        }
        let row = MergeCase("", text(texts[0]), text(texts[1]), text(texts[2]), text(texts[3]))
        let merge = TreeMerge(format: POFormat())
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }

    @Test("a rule for the date or the translator comes first")
    func ruledRevisions() throws {
        func text(_ date: String, _ name: String) -> String {
            "msgid \"\"\nmsgstr \"\"\n\"PO-Revision-Date: \(date)\\n\"\n\"Last-Translator: \(name)\\n\"\n"
        }
        for (field, merged) in [
            ("PO-Revision-Date", text("6", "Ben")), ("Last-Translator", text("8", "Ben")),
        ] {
            var input = MergeCase("", text("5", "Ann"), text("8", "Ann"), text("6", "Ben"), "")
                .input
            input.settings.fields = [
                FieldRule(
                    pattern: try FieldPattern(parsing: "/*/msgstr/" + field), resolution: .min)
            ]
            #expect(TreeMerge(format: POFormat()).merge(input).shown == merged)
        }
    }

    @Test(
        "what programs could read otherwise is not read",
        arguments: [
            "msgid \"a\"\n", "msgstr \"a\"\n", "msgid \"a\"\nmsgstr \"b\n", "x\n", "# only\n",
            "msgid \"a\"\nmsgstr[0] \"b\"\n", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr \"c\"\n",
            "msgid \"a\"\nmsgstr \"b\" c\n", "#, fuzzy\n\nmsgid \"a\"\nmsgstr \"b\"\n",
            "#, fuzzy\n#, x\nmsgid \"a\"\nmsgstr \"b\"\n",
            "domain \"d\"\nmsgid \"a\"\nmsgstr \"b\"\n",
            "msgid \"a\"\n#~ msgstr \"b\"\n", "msgid \"a\"\n\nmsgstr \"b\"\n", "",
            "msgid \"a\"\nmsgstr \"b\"\nmsgstr \"c\"\n",
        ])
    func unread(_ text: String) {
        #expect(!DocumentFormat.po.reads(Array(text.utf8)))
    }

    @Test("names select it", arguments: ["de.po", "app.POT"])
    func names(_ name: String) {
        #expect(DocumentFormat(fileName: name.utf8)?.word == "po")
    }
}
