import Testing

@testable import FilesinkiMerge

@Suite("Settings in lines: INI, properties, .env, git's, desktop entries, systemd units")
struct SettingsMergeTests {
    private func check(
        _ row: MergeCase, _ dialect: SettingsDialect = .ini,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let merge = TreeMerge(format: SettingsFormat(dialect: dialect))
        for input in [row.input, row.input.swapped] {
            #expect(merge.merge(input).shown == row.merged, sourceLocation: location)
        }
    }

    @Test(
        "different settings are merged, and every other byte stays",
        arguments: [
            MergeCase(
                "neighbouring keys", "[a]\nx = 1\ny = 2\n", "[a]\nx = 5\ny = 2\n",
                "[a]\nx = 1\ny = 6\n", "[a]\nx = 5\ny = 6\n"),
            MergeCase(
                "spacing, quotes and comments stay",
                "# top\n\n[a]\nx=1 ; one\n; about y\ny  = \"2\"\n",
                "# top\n\n[a]\nx=1 ; one\n; about y\ny  = \"3\"\n",
                "# top\n\n[a]\n; about x\nx=1 ; one\n; about y\ny  = \"2\"\n",
                "# top\n\n[a]\n; about x\nx=1 ; one\n; about y\ny  = \"3\"\n"),
            MergeCase(
                "both add at the end of a section", "[a]\nx=1\n\n[b]\ny=1\n",
                "[a]\nx=1\nz=1\n\n[b]\ny=1\n", "[a]\nx=1\nw=1\n\n[b]\ny=1\n",
                "[a]\nx=1\nw=1\nz=1\n\n[b]\ny=1\n"),
            MergeCase(
                "both add a section at the end", "[a]\nx=1\n", "[a]\nx=1\n\n[b]\ny=1\n",
                "[a]\nx=1\n\n[c]\nz=1\n", "[a]\nx=1\n\n[b]\ny=1\n\n[c]\nz=1\n"),
            MergeCase(
                "a key that both sides add with one value", "[a]\nx=1\nz=3\n",
                "[a]\nn=1\nx=1\nz=3\n",
                "[a]\nx=1\nz=3\nn=1\n", "[a]\nn=1\nx=1\nz=3\n"),
            MergeCase(
                "both add a section of one name", "[a]\nx=1\n", "[new]\nk=1\n\n[a]\nx=1\n",
                "[a]\nx=1\n\n[new]\nl=2\n", "[a]\nx=1\n\n[new]\nk=1\nl=2\n"),
            MergeCase(
                "one side removes a key, the other changes its neighbour", "[a]\nx=1\ny=2\nz=3\n",
                "[a]\nx=1\nz=3\n", "[a]\nx=9\ny=2\nz=8\n", "[a]\nx=9\nz=8\n"),
            MergeCase(
                "one side removes a section, the other changes another", "[a]\nx=1\n\n[b]\ny=2\n",
                "[b]\ny=2\n", "[a]\nx=1\n\n[b]\ny=3\n", "[b]\ny=3\n"),
            MergeCase(
                "comments of both sides", "[a]\nx=1\ny=2\n", "[a]\n# why x\nx=1\ny=2\n",
                "[a]\nx=1\n# why y\ny=2\n", "[a]\n# why x\nx=1\n# why y\ny=2\n"),
            MergeCase(
                "one side comments a key, the other changes it", "[a]\nx=1\n", "[a]\n# why\nx=1\n",
                "[a]\nx=2\n", "[a]\n# why\nx=2\n"),
            MergeCase(
                "comments that stand alone", "# head\n\nx=1\ny=2\n", "# head\n# more\n\nx=1\ny=2\n",
                "# head\n\ny=2\n", "# head\n# more\n\ny=2\n"),
            MergeCase(
                "lines of a comment that stands alone", "# one\n# two\n# six\n# ten\n\nx=1\n",
                "# 1\n# two\n# six\n# ten\n\nx=1\n", "# one\n# two\n# six\n# 10\n\nx=1\n",
                "# 1\n# two\n# six\n# 10\n\nx=1\n"),
            MergeCase(
                "a commented setting at the end of a section", "[a]\nx=1\n;y=2\n\n[b]\nz=1\n",
                "[a]\nx=1\n;y=2\n\n[b]\nz=2\n", "[a]\nx=1\nw=1\n;y=2\n\n[b]\nz=1\n",
                "[a]\nx=1\nw=1\n;y=2\n\n[b]\nz=2\n"),
            MergeCase(
                "carriage returns, byte order mark, no last line end", "\u{FEFF}x=1\r\ny=2",
                "\u{FEFF}x=5\r\ny=2", "\u{FEFF}x=1\r\ny=6", "\u{FEFF}x=5\r\ny=6"),
            MergeCase(
                "one side changes the line ends", "x=1\ny=2\n", "x=1\r\ny=2\r\n", "x=1\ny=3\nz=1\n",
                "x=1\r\ny=3\r\nz=1\r\n"),
            MergeCase(
                "no common version", nil, "[a]\nx=1\n", "[a]\nx=1\n[b]\ny=2\n",
                "[a]\nx=1\n[b]\ny=2\n"),
            MergeCase(
                "spaces around a value", "x=1\ny=1\n", "x = 1\ny=1\n", "x=1\ny=2\n", "x = 1\ny=2\n"),
            MergeCase(
                "only comments", "# a\n", "# a\n\n# b\n", "x=1\n# a\n", "x=1\n# a\n\n# b\n"),
        ])
    func merged(_ row: MergeCase) { check(row) }

    @Test(
        "what would have to be guessed is declined, and named",
        arguments: [
            MergeCase("two values", "[a]\nx=1\n", "[a]\nx=2\n", "[a]\nx=3\n", "declined: /a/x"),
            MergeCase(
                "both add a key", "[a]\nx=1\nz=3\n", "[a]\nn=1\nx=1\nz=3\n", "[a]\nx=1\nz=3\nn=2\n",
                "declined: /a/n"),
            MergeCase(
                "a key in a section that the other side removed", "[a]\nx=1\n[b]\ny=1\n",
                "[b]\ny=1\n",
                "[a]\nx=1\nn=1\n[b]\ny=1\n", "declined: /a"),
            MergeCase("removed and changed", "x=1\ny=1\n", "y=1\n", "x=2\ny=1\n", "declined: /x"),
            MergeCase(
                "a key twice", "x=1\ny=1\n", "x=1\nx=2\ny=1\n", "x=3\ny=1\n", "declined: "),
            MergeCase(
                "the same comment, changed twice", "# one\n\nx=1\n", "# two\n\nx=1\n",
                "# six\n\nx=1\n",
                "declined: /0"),
            MergeCase(
                "a comment, changed and removed", "# one\n\nx=1\n", "# two\n\nx=1\n", "x=1\n",
                "declined: "),
            MergeCase(
                "more of a value on the next line", "x=1\n  2\ny=1\n", "x=1\n  3\ny=1\n",
                "x=1\n  2\ny=2\n", "declined: "),
            MergeCase("no settings", "[a\nx\n", "[a\ny\n", "[a\nz\n", "declined: "),
        ])
    func declined(_ row: MergeCase) { check(row) }

    @Test("keys that differ in case are one key, where programs take them for one")
    func folding() {
        let row = MergeCase(
            "", "[a]\nx=1\n", "[a]\nName=1\nx=1\n", "[a]\nx=1\nname=1\n", "declined: ")
        for dialect in SettingsDialect.allCases where dialect.hasSections {
            let merge = TreeMerge(format: SettingsFormat(dialect: dialect))
            let isDeclined = merge.merge(row.input).shown.hasPrefix("declined")
            #expect(isDeclined == [.ini, .git].contains(dialect), "\(dialect)")
        }
    }

    @Test(
        "keys with several values: git's settings and systemd units",
        arguments: [
            MergeCase(
                "both add values", "[r]\n\tfetch = a\n", "[r]\n\tfetch = a\n\tfetch = b\n",
                "[r]\n\tfetch = a\n\tfetch = c\n",
                "[r]\n\tfetch = a\n\tfetch = b\n\tfetch = c\n"),
            MergeCase(
                "one removes a value, one adds one", "[r]\nf=a\nf=b\n", "[r]\nf=b\n",
                "[r]\nf=a\nf=b\nf=c\n", "[r]\nf=b\nf=c\n"),
            MergeCase(
                "both change a value", "[r]\nf=a\nf=b\n", "[r]\nf=x\nf=b\n", "[r]\nf=y\nf=b\n",
                "declined: /r"),
            MergeCase(
                "a second value beside a changed one", "[r]\nf=a\n", "[r]\nf=a\nf=b\n",
                "[r]\nf=c\n", "declined: /r"),
            MergeCase(
                "a value twice", "[r]\nf=a\nf=a\n", "[r]\nf=a\nf=a\nf=b\n", "[r]\nf=a\n",
                "declined: /r"),
            MergeCase(
                "lines that go on", "[r]\nf=a \\\n  b\ng=1\n", "[r]\nf=a \\\n  c\ng=1\n",
                "[r]\nf=a \\\n  b\ng=2\n", "[r]\nf=a \\\n  c\ng=2\n"),
        ])
    func lists(_ row: MergeCase) {
        check(row, .git)
        check(row, .systemd)
    }

    @Test(
        "environment variables",
        arguments: [
            MergeCase(
                "exported and quoted, over several lines", "export A=1\nB=\"x\n# y\"\nC='2'\n",
                "export A=1\nB=\"x\n# z\"\nC='2'\n", "export A=3\nB=\"x\n# y\"\nC='2'\nD=4\n",
                "export A=3\nB=\"x\n# z\"\nC='2'\nD=4\n"),
            MergeCase(
                "the same name with export", "X=0\n", "A=1\nX=0\n", "X=0\nexport A=2\n",
                "declined: /A"),
            MergeCase("an open quote", "A=\"1\n", "A=\"1\nB=2\n", "C=3\nA=\"1\n", "declined: "),
            MergeCase("no variable", "a b\n", "a b\nB=2\n", "C=3\na b\n", "declined: "),
        ])
    func environment(_ row: MergeCase) { check(row, .env) }

    @Test(
        "properties of Java programs",
        arguments: [
            MergeCase(
                "all separators", "a=1\nb: 2\nc 3\n! note\nd = x\\\n  = y\n",
                "a=1\nb: 2\nc 4\n! note\nd = x\\\n  = y\n",
                "a=1\nb: 5\nc 3\n! note\nd = x\\\n  = z\n",
                "a=1\nb: 5\nc 4\n! note\nd = x\\\n  = z\n"),
            MergeCase(
                "one key, written otherwise", "x=0\n", "a=1\nx=0\n", "x=0\na: 2\n", "declined: /a"),
            MergeCase(
                "escapes in keys", "a\\ b=1\nc=1\n", "a\\ b=2\nc=1\n", "a\\ b=1\nc=2\n",
                "a\\ b=2\nc=2\n"),
            MergeCase(
                "both add keys with escapes", "a=1\n", "a=1\nb\\ c=2\n", "a=1\nb\\:c=3\n",
                "a=1\nb\\ c=2\nb\\:c=3\n"),
            MergeCase(
                "a key with an escape that says nothing", "\\a=0\nx=0\n",
                "\\a=1\nx=0\n", "\\a=2\nx=0\n", "declined: /\\a"),
            MergeCase(
                "an escaped character, which could be in any encoding", "x=1\n\\u0061=1\n",
                "x=2\n\\u0061=1\n", "x=1\n\\u0061=2\n", "declined: "),
            MergeCase(
                "line ends of two kinds that one side made equal", "a=1\r\nb=2\nc=3\r\n",
                "a=1\r\nb=2\nc=3\r\nd=4\r\n", "a=1\nb=2\nc=9\n", "a=1\nb=2\nc=9\nd=4\n"),
            MergeCase(
                "line ends of two kinds that both sides have", "a=1\r\nb=2\nc=3\r\n",
                "a=1\r\nb=2\nc=3\r\nd=4\r\n", "a=1\r\nb=2\nc=9\r\n",
                "a=1\r\nb=2\nc=9\r\nd=4\r\n"),
            MergeCase(
                "a line end of the other kind that one side mended", "a=1\r\nb=2\nc=3\r\n",
                "a=1\r\nb=2\nc=3\r\nd=4\n", "a=1\r\nb=2\r\nc=9\r\n",
                "a=1\r\nb=2\r\nc=9\r\nd=4\n"),
        ])
    func properties(_ row: MergeCase) { check(row, .properties) }

    @Test("many keys with several values are merged in time")
    func manyLists() {
        func text(_ first: String, _ last: String) -> String {
            "[a]\n" + first + (0..<5000).map { "k\($0)=1\nk\($0)=2\n" }.joined() + last
        }
        let row = MergeCase(
            "", text("", ""), text("x=1\n", ""), text("", "y=1\n"), text("x=1\n", "y=1\n"))
        check(row, .git)
    }

    @Test("desktop entries and units have only sections and keys")
    func strict() {
        for dialect in [SettingsDialect.desktop, .systemd] {
            let format = SettingsFormat(dialect: dialect)
            for text in ["x=1\n", "[a]\nx\n", "[a] x=1\n", "[a\n", "[]\n", "[a]]\n"] {
                #expect(format.read(Array(text.utf8)) == nil, "\(text)")
            }
            #expect(format.read(Array("# c\n[a]\nx=1\n".utf8)) != nil)
        }
    }

    @Test(
        "fields can have rules",
        arguments: [
            ("sum", "n=1\n", "n=4\n", "n=3\n", "n=6\n"),
            ("max", "n=1\n", "n=4\n", "n=3\n", "n=4\n"),
            ("min", "n=9\n", "n=4\n", "n=10\n", "n=4\n"),
            ("sum", "n=1\n", "n=x\n", "n=3\n", "declined: /a/n"),
            ("max-version", "n=1.8\n", "n=1.10\n", "n=1.9\n", "n=1.10\n"),
            ("max-version", "n=1.8\n", "n=1.10\n", "n=x\n", "declined: /a/n"),
        ])
    func fields(rule: String, base: String, ours: String, theirs: String, merged: String) throws {
        var input = MergeCase("", "[a]\n" + base, "[a]\n" + ours, "[a]\n" + theirs, "").input
        let resolution = try #require(FieldRule.Resolution(rawValue: rule))
        input.settings.fields = [
            FieldRule(pattern: try FieldPattern(parsing: "/a/n"), resolution: resolution)
        ]
        let merge = TreeMerge(format: SettingsFormat(dialect: .ini))
        let expected = merged.hasPrefix("declined") ? merged : "[a]\n" + merged
        #expect(merge.merge(input).shown == expected)
        #expect(merge.merge(input.swapped).shown == expected)
    }
}
