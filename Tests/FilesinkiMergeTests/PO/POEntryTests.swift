import Testing

@testable import FilesinkiMerge

@Suite("Entries of a catalogue, and what is around them")
struct POEntryTests {
    private static let rows: [MergeCase] = [
        MergeCase(
            "doubted here, translated otherwise there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"y\"\n",
            "declined: /a/msgstr"),
        MergeCase(
            "doubted here, a message added there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n"
        ),
        MergeCase(
            "one message that both added",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n"
        ),
        MergeCase(
            "one message that both added with other translations",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"z\"\n",
            "declined: /b/msgstr"),
        MergeCase(
            "translated here, a message added there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n"
        ),
        MergeCase(
            "translated here, removed there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"z\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "declined: /a"),
        MergeCase(
            "one line of the header by both", "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de_AT\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de_CH\\n\"\n",
            "declined: /0/msgstr/Language"),
        MergeCase(
            "a line of the header removed here, another one changed there",
            "msgid \"\"\nmsgstr \"\"\n\"X: 1\\n\"\n\"Language: de\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"X: 1\\n\"\n\"Language: fr\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: fr\\n\"\n"),
        MergeCase(
            "the later date of the template",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"POT-Creation-Date: 2026-01-01\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"POT-Creation-Date: 2026-02-01\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"POT-Creation-Date: 2026-03-01\\n\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"POT-Creation-Date: 2026-03-01\\n\"\n"),
        MergeCase(
            "a comment removed here, the translation there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#| msgid \"b\"\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#| msgid \"b\"\nmsgid \"a\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"y\"\n"),
        MergeCase(
            "the line of flags removed here, a flag added there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#, c-format\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\n#, c-format, no-wrap\nmsgid \"a\"\nmsgstr \"x\"\n",
            "declined: /a/flags"),
        MergeCase(
            "the order here, a translation there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"b\"\nmsgstr \"y\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"z\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"b\"\nmsgstr \"y\"\n\nmsgid \"a\"\nmsgstr \"z\"\n"
        ),
        MergeCase(
            "a quote inside of a string",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\\\"y\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\\\"z\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\\\"y\"\n\nmsgid \"b\"\nmsgstr \"w\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\\\"z\"\n\nmsgid \"b\"\nmsgstr \"w\"\n"
        ),
        MergeCase(
            "messages that only the context distinguishes",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgctxt \"c\"\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"a\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgctxt \"c\"\nmsgid \"a\"\nmsgstr \"z\"\n\nmsgid \"a\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgctxt \"c\"\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"a\"\nmsgstr \"w\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgctxt \"c\"\nmsgid \"a\"\nmsgstr \"z\"\n\nmsgid \"a\"\nmsgstr \"w\"\n"
        ),
        MergeCase(
            "no common version: messages of both", nil,
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"b\"\nmsgstr \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"\n"
        ),
        MergeCase(
            "one form of a plural by both",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\nmsgstr[1] \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"z\"\nmsgstr[1] \"y\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"w\"\nmsgstr[1] \"y\"\n",
            "declined: /a/msgstr[0]"),
        MergeCase(
            "the plural of the message here, its translation there",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgid_plural \"c\"\nmsgstr[0] \"x\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"z\"\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgid_plural \"c\"\nmsgstr[0] \"z\"\n"
        ),
        MergeCase(
            "line ends of both kinds",
            "msgid \"\"\r\nmsgstr \"\"\r\n\"Language: de\\n\"\r\n\r\nmsgid \"a\"\r\nmsgstr \"x\"\r\n\r\nmsgid \"b\"\r\nmsgstr \"y\"\r\n",
            "msgid \"\"\r\nmsgstr \"\"\r\n\"Language: de\\n\"\r\n\r\nmsgid \"a\"\r\nmsgstr \"z\"\r\n\r\nmsgid \"b\"\r\nmsgstr \"y\"\r\n",
            "msgid \"\"\r\nmsgstr \"\"\r\n\"Language: de\\n\"\r\n\r\nmsgid \"a\"\r\nmsgstr \"x\"\r\n\r\nmsgid \"b\"\r\nmsgstr \"w\"\r\n",
            "msgid \"\"\r\nmsgstr \"\"\r\n\"Language: de\\n\"\r\n\r\nmsgid \"a\"\r\nmsgstr \"z\"\r\n\r\nmsgid \"b\"\r\nmsgstr \"w\"\r\n"
        ),
        MergeCase(
            "no line end at the end",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"y\"",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"z\"\n\nmsgid \"b\"\nmsgstr \"y\"",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"w\"",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"z\"\n\nmsgid \"b\"\nmsgstr \"w\""
        ),
        MergeCase(
            "a comment behind the last entry",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\n# end\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"z\"\n\n# end\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"x\"\n\n# END\n",
            "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\nmsgid \"a\"\nmsgstr \"z\"\n\n# END\n"),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = DocumentFormat.po.merge
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }
}
