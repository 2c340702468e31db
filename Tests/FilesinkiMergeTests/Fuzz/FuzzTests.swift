import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiMerge

/// A deterministic fuzzer: mutated contents go through every merge, and its laws must hold.
///
/// `FILESINKI_FUZZ_SECONDS` makes it run so long for each merge, `FILESINKI_FUZZ_SEED` repeats a
/// run or makes another one, `FILESINKI_FUZZ_ONLY` is a part of the names of the merges to run. A hang is seen as a run that does not end.
@Suite struct FuzzTests {
    private static let usualCount = 160

    /// The merges that the environment selects.
    static var targets: [FuzzTarget] {
        guard let only = getenv("FILESINKI_FUZZ_ONLY") else { return FuzzTarget.all }
        return FuzzTarget.all.filter { $0.name.contains(String(cString: only)) }
    }

    @Test(arguments: targets)
    func `no mutated content breaks a law`(_ target: FuzzTarget) throws {
        let seed = knob("FILESINKI_FUZZ_SEED", otherwise: 1)
        let seconds = knob("FILESINKI_FUZZ_SECONDS")
        var mutator = Mutator(dice: Dice(seed: UInt64(clamping: seed)))
        let laws = target.laws()
        let start = ContinuousClock.now
        var counts = (all: 0, merged: 0, broken: 0)
        while counts.broken < 5 {
            if let seconds {
                if start.duration(to: .now) > .seconds(seconds) { break }
            } else if counts.all == Self.usualCount {
                break
            }
            let (base, ours, theirs) = mutator.triple(from: target.corpus)
            let input = MergeInput(base: base, ours: ours, theirs: theirs)
            let broken = laws.broken(by: input)
            #expect(
                broken.isEmpty, "seed \(seed), number \(counts.all)\n\(describe(input))")
            if !broken.isEmpty { counts.broken += 1 }
            if case .merged = laws.merge.merge(input) { counts.merged += 1 }
            counts.all += 1
        }
        if seconds != nil { print("\(target.name): \(counts)") }
        #expect(counts.merged > 0)
    }
}

/// A merge that the fuzzer runs, and what it begins with.
struct FuzzTarget: Sendable, CustomTestStringConvertible {
    let name: String
    let laws: @Sendable () -> MergeLaws
    /// Contents of the format; mutations begin with these.
    let corpus: [String]

    var testDescription: String { name }

    /// Every merge has one line here.
    static let all: [FuzzTarget] =
        [text, lines, lineSet, csv, json] + settings + [jsonc, toml, yaml, wideYAML, po]
        + contentLines + [xml, notebook, bookmarks] + markdown

    static let text = FuzzTarget(
        name: "text",
        laws: { MergeLaws(merge: TextMerge(), pieces: linePieces, again: .unknown) },
        corpus: [
            "", "a\n", "a\nb\nc\nd\n", "a\r\nb\r\nc\r\n", "no end", "\n\n\n\n", "\u{FEFF}bom\nb\n",
            "int f(void)\n{\n    return 0;\n}\n\nint g(void)\n{\n    return 1;\n}\n",
            "# Title\n\nText that is\nlonger.\n\n* one\n* two\n\n# Title\n",
        ])

    static let lines = FuzzTarget(
        name: "lines",
        laws: { MergeLaws(merge: LinesMerge(), pieces: linePieces, again: .unknown) },
        corpus: text.corpus + ["*.o\n!keep.o\n/build/\n", "b\na\na\nc\n"])

    static let lineSet = tree(
        LineSetFormat(), ["a\nb\nc\n", "# x\n\nb==1\na>=2\n\n\nc\n", "b\r\nd\r\nz", "", "x\n"])

    static let csv = FuzzTarget(
        name: "csv",
        laws: { MergeLaws(merge: CSVMerge(), pieces: fieldPieces, again: .unknown) },
        corpus: [
            "id,name,score\n1,Ann,10\n2,Bob,20\n3,Cid,30\n",
            "id;name\r\n1;\"a;b\"\r\n2;\"say \"\"hi\"\"\"\r\n", "name\tage\nx\t1\ny\t2\nz\t3",
            "a|b|c\n1|2|3\n1|2|3\n4|5|6\n", "\"id\",\"text\"\n\"1\",\"two\nlines\"\n\"2\",\"\"\n",
            "1,2,3\n4,5,6\n7,8,9\n", "id,b\n1,x\n2\n\n", "", "x\n",
        ])

    /// The pieces do not show what was kept of a document; they show that it parses.
    static let json = FuzzTarget(
        name: "json",
        laws: { MergeLaws(merge: JSONMerge(), pieces: documents, again: .unknown) },
        corpus: [
            "{}", "[]", "{\"a\": 1, \"b\": [1, 2, 3]}\n",
            "[{\"id\": 1, \"x\": 2}, {\"id\": 2, \"x\": 3}]",
            "{\n  \"name\": \"p\",\n  \"deps\": {\n    \"a\": \"^1.0\",\n    \"b\": \"2\"\n  }\n}\n",
            "{\"n\": 1e400, \"big\": 12345678901234567890, \"s\": \"\\ud800\\n\\/\"}",
            "\u{FEFF}{\"a\":null}",
            "{\"d\": 1, \"d\": 2}", "[[1, [2, [3]]], true, false, null, \"x\"]",
            "\r\n[1,\r\n2]\r\n",
        ])

    static let notebook = FuzzTarget(
        name: "notebooks",
        laws: { MergeLaws(merge: NotebookMerge(), pieces: documents, again: .unknown) },
        corpus: [
            "{\n\"cells\": [\n{\n\"id\": \"a\",\n\"source\": [\n\"x\"\n],\n\"outputs\": [\n1\n],\n\"execution_count\": 1\n},\n"
                + "{\n\"id\": \"b\",\n\"source\": \"y\",\n\"outputs\": [],\n\"execution_count\": null\n},\n"
                + "{\n\"id\": \"c\",\n\"source\": \"z\"\n}\n],\n\"nbformat\": 4\n}\n"
        ])

    /// One for each dialect, all of which begin with the same contents.
    static let settings = SettingsDialect.allCases.map { dialect in
        tree(
            SettingsFormat(dialect: dialect),
            [
                "[a]\nx = 1\ny = 2\n\n[b]\nx = 3\n",
                "# top\n\nA=1\nexport B=\"2\"\n# c\nC='3\n4'\n",
                "[core]\n\tbare = false\n[remote \"o\"]\n\tfetch = a\n\tfetch = b\n; end\n",
                "a=1\r\nb: 2\r\n! note\r\nc 3 \\\r\n  4\r\n",
                "\u{FEFF}[a]\nx=1\n  more\nX=2\n\n\n# last",
                "[Unit]\nAfter=a b\nAfter=\n\n[Service]\nExecStart=/bin/sh \\\n  -c x\n", "", "x\n",
                "a=1\nb=2\nc=3\nd=4\ne=5\n# f\nf=6\n\n# g\n\ng=7\n",
            ])
    }

    static let jsonc = tree(
        JSONCFormat(),
        json.corpus + [
            "// head\n{ // open\n  \"a\": 1, // one\n  // two\n  \"b\": [1, /* x */ 2,],\n\n  // alone\n\n  c: 'x',\n}\n",
            "{\n\t\"compilerOptions\": {\n\t\t\"strict\": true,\n\t\t// \"lib\": [],\n\t},\n\t\"include\": [\n\t\t\"a\",\n\t\t\"b\"\n\t]\n}\n",
            "[.5, +1, 0xFF, -Infinity, NaN, 1e3, 'it\\'s', {\"id\": 1}, {\"id\": 2}]",
            "{a: 1 /* b */ , b: 2}",
        ])

    static let toml = tree(
        TOMLFormat(),
        [
            "a = 1\nb.c = \"x\"\n\n# t\n[t]\nk = [1, 2] # c\n\n[t.u]\nk = { x = 1, y = 'z' }\n",
            "[[p]]\nname = \"a\"\n[p.d]\nx = 1\n\n[[p]]\nname = \"b\"\n\n[[p.q]]\nz = 1\n",
            "s = \"\"\"\nx\n\"\"\"\nt = '''\n'x'''\nd = 1979-05-27T07:32:00Z\n", "",
            "# c\n\nk = 1\n",
            "[package]\r\nname = \"n\"\r\n\r\n[deps]\r\na = \"1\"\r\nl = [\r\n  1,\r\n  2,\r\n]\r\n",
        ])

    static let yaml = tree(
        YAMLFormat(),
        [
            "---\n# top\na: 1\nb:\n  c: x # c\n  d:\n  - 1\n  - 2\n\n# e\ne: |\n  t: 1\n\n  u\nf: \"g\"\n",
            "on: [push]\njobs:\n  test:\n    steps:\n      - name: a\n        run: |\n          x\n      - name: b\n        uses: y@v1\n",
            "- a\n- b: 1\n  c: 2\n-\n  d: 1\n- - e\n  - f\n",
            "a:\r\n  b: 1\r\n  c: [1, 2]\r\nd: {x: 1}\r\n", "k: 'it''s'\n",
        ])

    static let wideYAML = tree(
        YAMLFormat(isWide: true),
        [
            "a: x\n  y\nb: [1,\n  2] # c\nc: \"d\n  e\"\n",
            "- !t x\n- a: 'b\n\n    c'\n- !u |\n  v\n",
        ], named: "YAML with values of several lines")

    static let po = tree(
        POFormat(),
        [
            "# T\nmsgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"X: \\n\"\n\n#: a\n#, fuzzy, c-format\n#| msgid \"z\"\nmsgid \"a\"\nmsgstr \"b\"\n\n# alone\n\n#~ msgid \"o\"\n#~ msgstr \"\"\n#~ \"p\"\n",
            "msgctxt \"c\"\nmsgid \"a\"\nmsgid_plural \"as\"\nmsgstr[0] \"x\"\nmsgstr[1] \"\"\n\"y\\n\"\n\"z\"\nmsgid \"b\"\nmsgstr \"\"\n",
            "msgid \"a\"\r\nmsgstr \"b\"\r\n\r\nmsgid \"c\"\r\nmsgstr \"d\"\r\n",
        ])

    /// Calendars and cards; of stamps that both sides changed only one is in the result.
    static let contentLines = [
        tree(
            ContentLineFormat(dialect: .calendar),
            [
                "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:p\nBEGIN:VEVENT\nUID:a\nSEQUENCE:1\nDTSTART:1\nDTEND:2\nRRULE:r\nEXDATE:3,4\nSUMMARY:s\nATTENDEE;CN=\"x:y\":mailto:x\nCATEGORIES:a,b\\,c\nBEGIN:VALARM\nTRIGGER:1\nEND:VALARM\nEND:VEVENT\nBEGIN:VEVENT\nUID:a\nRECURRENCE-ID:5\nEND:VEVENT\nEND:VCALENDAR\n",
                "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Z\r\nBEGIN:STANDARD\r\nDTSTART:1\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VTODO\r\nUID:b\r\nDESCRIPTION:a\r\n  b\r\nDUE;TZID=Z:1\r\nX-A:1\r\nX-A:2\r\nEND:VTODO\r\nEND:VCALENDAR\r\n",
            ], except: ContentLineDialect.stamps),
        tree(
            ContentLineFormat(dialect: .card),
            [
                "BEGIN:VCARD\nVERSION:4.0\nUID:a\nN:A;B\nFN:B A\nTEL:1\nTEL;TYPE=home:2\nitem1.URL:u\nitem1.X-ABLabel:l\nNICKNAME:n,m\nREV:1\nEND:VCARD\n\nBEGIN:VCARD\nVERSION:4.0\nFN:C\nEND:VCARD\n",
                "BEGIN:VCARD\nVERSION:2.1\nN:A\nNOTE;ENCODING=QUOTED-PRINTABLE:a=\nb\nPHOTO;BASE64:\n AA==\n\nTEL:1\nEND:VCARD\nBEGIN:VCARD\nVERSION:2.1\nN:A\nEND:VCARD",
            ], except: ContentLineDialect.stamps),
    ]

    static let xml = tree(
        XMLFormat(),
        [
            "<?xml version=\"1.0\"?>\n<!-- a -->\n<a x=\"1\"\n  y='2'>\n  <!-- b -->\n  <b id=\"1\">t<i/>u</b>\n  <b id=\"2\"/> <!-- l -->\n\n  <!-- s -->\n\n  <c>1</c>\n  <c>2</c>\n</a>\n",
            "<r>\r\n <p>a</p>\r\n <p z=\"1\">b</p>\r\n <p>c</p>\r\n <q><![CDATA[<]]></q><?i j?>\r\n</r>\r\n",
            "<!DOCTYPE plist SYSTEM \"x\">\n<plist version=\"1.0\">\n<dict>\n<key>a</key>\n<string>b</string>\n<key>c</key>\n<array>\n<integer>1</integer>\n<true/>\n</array>\n</dict>\n</plist>\n",
            "<a><b/><b>1</b><c xmlns:n=\"u\" n:d=\"1\"/></a>",
        ])

    /// Of the attributes that browsers write by themselves only one value is in the result.
    static let bookmarks = tree(
        BookmarksFormat(),
        [
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<H1>B</H1>\n<DL><p>\n    <DT><A HREF=\"a\" ADD_DATE=\"1\" TAGS=\"x,y\">A</A>\n    <DD>D\n    <HR>\n    <DT><H3 LAST_MODIFIED=\"2\">F</H3>\n    <DL><p>\n        <DT><A HREF=\"b\">B</A>\n        <DT><A HREF=\"c\">C</A>\n    </DL><p>\n    <DT><A HREF=\"e\">E</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\r\n<dl>\r\n<dt><a href=\"a\">A</a>\r\n<dt><h3>F</h3><dl></dl>\r\n</dl>\r\n",
        ], except: BookmarksFormat.stamps.map(\.name))

    /// Markdown with front matter, and its text alone, which is merged by lines first, and by blocks.
    static let markdown = [
        FuzzTarget(
            name: "front matter",
            laws: { MergeLaws(merge: FrontMatterMerge(), again: .unknown) },
            corpus: [
                "---\ntitle: A\ntags:\n- x\n- y\n# c\nd: 1\n---\n# A\n\nText.\n\nMore\n",
                "---\r\na: 1\r\nb: [1, 2]\r\n...\r\n\r\nT\r\nU\r\n",
                "\u{FEFF}---\na: |\n  x\nb: 2\n---", "# no\n\n---\nx: 1\n---\n",
            ]),
        FuzzTarget(
            name: "Markdown, lines first",
            laws: { MergeLaws(merge: MarkdownTextMerge(), pieces: words, again: .unknown) },
            corpus: markdownCorpus),
        FuzzTarget(
            name: "Markdown",
            laws: {
                MergeLaws(
                    merge: TreeMerge(format: MarkdownFormat()), pieces: words, again: .unknown)
            }, corpus: markdownCorpus),
    ]

    private static let markdownCorpus = [
        "# T\n\nText of\ntwo lines.\n\n- [ ] a\n- [x] b\n  more\n\n  - c\n  - d\n- e\n\nEnd.\n",
        "| k | v |\n|---|:-:|\n| a | 1 |\n| b | `2` |\n| c | x\\|y |\n\n[l]: u\n[m]: v\n",
        "1. one\n2. two\n\n   ```sh\n   x\n   ```\n3. three\n\nHead\n====\n\n> quote\nlazy\n***\n",
        "* a\r\n* b\r\n\r\n\tx\r\n+ c\r\n\r\n<!-- h\r\n\r\n- no -->\r\n~~~\r\n- x\r\n~~~",
    ]

    /// The words of the lines, without the marks and numbers that begin them.
    private static let words: @Sendable ([UInt8], MergeInput) -> Set<[UInt8]> = { content, _ in
        // A box has two spellings, and lines around it can be written as either.
        content.map(\.lowercasedASCII).split(separator: 10).reduce(into: []) { result, line in
            let text = line.drop { !isLetter($0) }
            result.formUnion(text.split { !isLetter($0) && !(0x30...0x39 ~= $0) }.map(Array.init))
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    /// A merge of trees: whatever a document says that only one side has must be in the result.
    ///
    /// - Parameter names: Of items of which both sides' values can become one.
    private static func tree(
        _ format: some SyntaxFormat, _ corpus: [String], except names: [String] = [],
        named name: String? = nil
    ) -> FuzzTarget {
        FuzzTarget(
            name: name ?? format.name,
            laws: {
                MergeLaws(
                    merge: TreeMerge(format: format),
                    pieces: { content, _ in
                        var content = content
                        _ = TextFrame(removingFrom: &content)
                        guard let tree = format.read(content) else { return [] }
                        return texts(of: tree.root, tree, except: names)
                    }, again: .unknown)
            }, corpus: corpus)
    }

    /// The names and scalars of a document.
    private static func texts(
        of node: SyntaxNode, _ tree: SyntaxTree, except names: [String]
    ) -> Set<[UInt8]> {
        guard node.kind != .scalar else { return [[node.type] + bare(tree.slice(node.meaning))] }
        let items = tree.items(of: node).filter { $0.role == .value }
        return items.reduce(into: []) { result, item in
            if names.contains(String(decoding: tree.slice(item.name), as: UTF8.self)) { return }
            result.insert(bare(tree.slice(item.key)))
            result.formUnion(texts(of: item.value, tree, except: names))
        }
    }

    /// Lost where the result is no document while both sides are.
    private static let documents: @Sendable ([UInt8], MergeInput) -> Set<[UInt8]> = { content, _ in
        JSONMerge.isDocument(content) ? [Array("document".utf8)] : []
    }

    /// The lines without their ends, carriage returns and byte order marks.
    private static let linePieces: @Sendable ([UInt8], MergeInput) -> Set<[UInt8]> = { content, _ in
        Set(content.split(separator: 10).map(bare)).subtracting([[]])
    }

    private static func bare(_ piece: some Sequence<UInt8>) -> [UInt8] {
        piece.filter { ![13, 0xEF, 0xBB, 0xBF].contains($0) }
    }

    /// What the fields say, separated as the merge's versions are.
    private static let fieldPieces: @Sendable ([UInt8], MergeInput) -> Set<[UInt8]> = {
        content, input in
        var base = input.base ?? []
        _ = TextFrame(removingFrom: &base)
        let newline = TextFrame.newline(in: base) ?? [10]
        func unframed(_ content: [UInt8]) -> [UInt8] {
            var content = content
            // As the merge does: only the sides take the base's line end.
            let isBase = content == input.base
            _ = TextFrame(removingFrom: &content, newline: isBase ? [10] : newline)
            return content
        }
        let versions = [base, unframed(input.ours), unframed(input.theirs)]
        let separator = CSVSeparator.found(in: versions.filter { !$0.isEmpty })
        guard let table = CSVTable(unframed(content), separator: separator) else { return [] }
        let values = table.fields.indices.map { bare(CSVTable.value(of: table.raw($0))) }
        return Set(values).subtracting([[]])
    }
}
