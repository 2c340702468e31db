import Testing

@testable import FilesinkiMerge

@Suite("ODF documents merged by their parts")
struct ODFMergeTests {
    /// Paragraphs, one a line, and what becomes of them.
    static let texts:
        [(name: String, base: [String], ours: [String], theirs: [String], merged: [String])] = [
            (
                "each side edited one", ["a", "b", "c"], ["A", "b", "c"], ["a", "b", "C"],
                ["A", "b", "C"]
            ),
            ("neighbours", ["a", "b"], ["A", "b"], ["a", "B"], ["A", "B"]),
            (
                "one added, another removed", ["a", "b", "c"], ["a", "n", "b", "c"], ["a", "b"],
                ["a", "n", "b"]
            ),
            ("both edited one", ["a", "b"], ["A", "b"], ["Z", "b"], ["declined"]),
            ("both added at one place", ["a"], ["a", "n"], ["a", "m"], ["declined"]),
            (
                "both made the same edit", ["a", "b", "c", "d"], ["A", "b", "c", "D"],
                ["A", "b", "C", "d"], ["A", "b", "C", "D"]
            ),
            (
                "one removed, and edited", ["a", "b", "c"], ["a", "c"], ["a", "B", "c"],
                ["declined"]
            ),
            (
                "one moved, and edited", ["a", "b", "c", "d"], ["b", "c", "d", "a"],
                ["A", "b", "c", "d"], ["declined"]
            ),
            (
                "one moved, and removed", ["a", "b", "c", "d"], ["b", "c", "d", "a"],
                ["b", "c", "d"], ["declined"]
            ),
            (
                "one moved by both", ["a", "b", "c", "d"], ["b", "a", "c", "d"],
                ["b", "c", "a", "d"], ["declined"]
            ),
        ]

    @Test("paragraphs", arguments: texts.map(\.name))
    func paragraphs(_ name: String) throws {
        for row in Self.texts where row.name == name {
            let outcome = try SampleArchive.merged(
                .odf, ODFSample.text(row.base), ODFSample.text(row.ours).saved(2),
                ODFSample.text(row.theirs).saved(3))
            let merged = try outcome.paragraphs().map { $0.replacing("Text:", with: "") }
            #expect(merged == row.merged, "\(outcome.reasons)")
        }
    }

    @Test(
        "what each save writes is of the later one, and other settings of the side that changed them"
    )
    func metadata() throws {
        let base = ODFSample.text(["a", "b"])
        let ours = ODFSample.text(["A", "b"]).saved(3)
        let theirs = ODFSample.text(["a", "B"]).saved(2).with([
            ("settings.xml", ODFSample.settings(view: 2, option: 7))
        ]).edited("meta.xml", ">T<", ">New<")
        let outcome = try SampleArchive.merged(.odf, base, ours, theirs)
        #expect(
            try outcome.part("meta.xml")
                == ODFSample.meta(cycles: 3).replacing(">T<", with: ">New<"))
        #expect(try outcome.part("settings.xml") == ODFSample.settings(view: 3, option: 7))
        #expect(try outcome.part("Thumbnails/thumbnail.png") == "thumbnail 3")
        #expect(try outcome.names() == base.parts.map(\.name))
    }

    @Test(
        "entries that nobody changed have the same bytes, and those that one side changed its bytes"
    )
    func bytes() throws {
        var ours = ODFSample.text(["a", "b"]).listing("Pictures/x.png", "picture")
        ours.time = 5
        let base = ODFSample.text(["a", "b"])
        let theirs = ODFSample.text(["a", "B"])
        guard case .merged(let bytes) = try SampleArchive.merged(.odf, base, ours, theirs) else {
            Issue.record("declined")
            return
        }
        let (result, side) = (try ZipArchive(bytes), try ZipArchive(ours.bytes()))
        let other = try ZipArchive(theirs.bytes())
        for entry in result.entries {
            let origin = [side, other].contains { version in
                version.entries.contains { version.bytes[$0.local] == bytes[entry.local] }
            }
            #expect(origin, "\(String(decoding: entry.name, as: UTF8.self))")
        }
        #expect(result.entries.map(\.name).contains(Array("Pictures/x.png".utf8)))
    }

    @Test("automatic styles that each save numbers anew keep what they say")
    func styles() throws {
        let (bold, red) = ("<fo:b/>", "<fo:r/>")
        let base = ODFSample.text(["P1|a", "b", "c"], styles: [("P1", bold)])
        let ours = ODFSample.text(["P2|a", "b", "P1|C"], styles: [("P1", red), ("P2", bold)])
        let theirs = ODFSample.text(
            ["P1|a", "P2|B", "c"], styles: [("P1", bold), ("P2", "<fo:g/>")])
        let outcome = try SampleArchive.merged(.odf, base, ours, theirs)
        let content = try #require(try outcome.part("content.xml"), "\(outcome.reasons)")
        let merged = try outcome.paragraphs()
        for (paragraph, style) in zip(merged, [bold, "<fo:g/>", red]) {
            let name = paragraph.prefix { $0 != ":" }
            #expect(
                content.contains(
                    "<style:style style:name=\"\(name)\" style:family=\"paragraph\">\(style)<"))
        }
        #expect(merged.map { $0.suffix(1) } == ["a", "B", "C"])
    }

    @Test("styles that use other automatic styles are told apart by what these say")
    func nestedStyles() throws {
        func content(_ list: String, _ text: String) -> SampleArchive {
            ODFSample.text(text.split(separator: " ").map(String.init), styles: [("P1", "")])
                .edited(
                    "content.xml", "style:family=\"paragraph\">",
                    "style:family=\"paragraph\" style:list-style-name=\"L1\">",
                    "</office:automatic-styles>",
                    "<text:list-style style:name=\"L1\">\(list)</text:list-style></office:automatic-styles>"
                )
        }
        let outcome = try SampleArchive.merged(
            .odf, content("1", "P1|a b c"), content("2", "P1|A b c"), content("1", "P1|a b C"))
        let merged = try outcome.part("content.xml") ?? ""
        #expect(
            try outcome.paragraphs().map { $0.suffix(1) } == ["A", "b", "C"], "\(outcome.reasons)")
        let name = try outcome.paragraphs()[0].prefix { $0 != ":" }
        let style = merged.split(separator: "style:name=\"\(name)\"")[1]
        let list = style.split(separator: "style:list-style-name=\"")[1].prefix { $0 != "\"" }
        #expect(merged.contains("<text:list-style style:name=\"\(list)\">2<"))
    }

    /// Changes of both sides that do not go together, by the place of the conflict.
    static let declined:
        [(name: String, place: String, ours: SampleArchive, theirs: SampleArchive)] = {
            let base = ODFSample.text(["a", "b", "c"])
            let edited = ODFSample.text(["a", "b", "C"])
            return [
                (
                    "a style removed, and used", "Head",
                    base.edited(
                        "styles.xml",
                        "<style:style style:name=\"Head\" style:family=\"paragraph\"/>", ""),
                    ODFSample.text(["a", "b", "Head|C"])
                ),
                (
                    "pictures of one name added", "Pictures/x.png",
                    base.listing("Pictures/x.png", "1"),
                    base.listing("Pictures/x.png", "2")
                ),
                (
                    "the title changed by both", "meta.xml, office:meta/dc:title",
                    base.edited("meta.xml", ">T<", ">U<"), base.edited("meta.xml", ">T<", ">V<")
                ),
                (
                    "an option changed by both",
                    "settings.xml, office:settings/config:config-item-set/config:config-item",
                    base.with([("settings.xml", ODFSample.settings(view: 1, option: 2))]),
                    base.with([("settings.xml", ODFSample.settings(view: 1, option: 3))])
                ),
                (
                    "bookmarks of one name added", "text:bookmark text:name=B (2 times)",
                    ODFSample.text(["a<text:bookmark text:name=\"B\"/>", "b", "c"]),
                    ODFSample.text(["a", "b", "c<text:bookmark text:name=\"B\"/>"])
                ),
                (
                    "text that is not in a paragraph", "content.xml, office:body/office:text",
                    ODFSample.text(["A", "b", "c"]),
                    edited.edited("content.xml", "<office:text>", "<office:text>x")
                ),
                (
                    "a prefix that means something else", "content.xml",
                    ODFSample.text(["A", "b", "c"]),
                    edited.edited(
                        "content.xml", "urn:f\"", "urn:g\"", "office:automatic", "office:automatic")
                ),
            ]
        }()

    @Test("what does not go together is declined", arguments: declined.map(\.name))
    func declines(_ name: String) throws {
        for row in Self.declined where row.name == name {
            let outcome = try SampleArchive.merged(
                .odf, ODFSample.text(["a", "b", "c"]), row.ours, row.theirs)
            #expect(try outcome.names() == ["declined", row.place], "\(outcome.reasons)")
        }
    }

    @Test("a picture that one side replaced and the other shows anew is declined")
    func pictures() throws {
        let link = "<draw:image xlink:href=\"Pictures/x.png\"/>"
        let base = ODFSample.text(["a", "b"]).listing("Pictures/x.png", "1")
        let shown = base.edited("content.xml", ">b<", ">b\(link)<")
        let replaced = base.with([("Pictures/x.png", "2")])
        #expect(
            try SampleArchive.merged(.odf, base, replaced, shown).names()
                == ["declined", "Pictures/x.png"])
        let edited = base.edited("content.xml", ">b<", ">B<")
        #expect(
            try SampleArchive.merged(.odf, base, replaced, edited).paragraphs() == [
                "Text:a", "Text:B",
            ])
    }

    @Test("an end that one side moved, of what the other removed, is declined")
    func unpaired() throws {
        let start = "<text:bookmark-start text:name=\"B\"/>"
        let end = "<text:bookmark-end text:name=\"B\"/>"
        let outcome = try SampleArchive.merged(
            .odf, ODFSample.text(["a" + start, "b", "x", "c" + end]),
            ODFSample.text(["a" + start, "b" + end, "x", "c"]),
            ODFSample.text(["a", "b", "x", "c"]))
        #expect(
            try outcome.names() == ["declined", "text:bookmark-start B"], "\(outcome.reasons)")
    }

    /// Documents that are not merged, whatever was changed.
    static let refused: [(name: String, change: @Sendable (SampleArchive) -> SampleArchive)] = [
        ("signed", { $0.with([("META-INF/documentsignatures.xml", "<a/>")]) }),
        (
            "encrypted",
            {
                $0.edited(
                    "META-INF/manifest.xml", "</manifest:manifest>",
                    "<manifest:encryption-data/></manifest:manifest>")
            }
        ),
        ("without a manifest", { $0.with([("META-INF/manifest.xml", nil)]) }),
        ("whose content is no XML", { $0.with([("content.xml", "<a>")]) }),
        ("of another type", { $0.with([("mimetype", "application/epub+zip")]) }),
    ]

    @Test("documents that are refused", arguments: refused.map(\.name))
    func refuses(_ name: String) throws {
        for row in Self.refused where row.name == name {
            let base = ODFSample.text(["a", "b"])
            let outcome = try SampleArchive.merged(
                .odf, base, row.change(ODFSample.text(["A", "b"])), ODFSample.text(["a", "B"]))
            #expect(try outcome.names() == ["declined", ""], "\(outcome.reasons)")
        }
    }

    @Test("without a common version nothing is merged")
    func noBase() throws {
        let outcome = ArchiveMerge(kind: .odf).merge(
            MergeInput(
                base: nil, ours: try ODFSample.text(["a"]).bytes(),
                theirs: try ODFSample.text(["b"]).bytes()))
        #expect(outcome.shown == "declined: ")
    }

    @Test("sheets and pages are merged, and no spreadsheet with formulas")
    func sheets() throws {
        func sheet(_ name: String, _ text: String) -> String {
            "<table:table table:name=\"\(name)\"><table:table-row>\(text)</table:table-row></table:table>"
        }
        func workbook(_ one: String, _ two: String) -> SampleArchive {
            ODFSample.document("spreadsheet", sheet("1", one) + sheet("2", two))
        }
        let merged = try SampleArchive.merged(
            .odf, workbook("<a/>", "<b/>"), workbook("<c/>", "<b/>"), workbook("<a/>", "<d/>"))
        #expect(try merged.part("content.xml") == workbook("<c/>", "<d/>")["content.xml"])
        let formula = "<table:table-cell table:formula=\"of:=1\"/>"
        let declined = try SampleArchive.merged(
            .odf, workbook("<a/>", formula), workbook("<c/>", formula),
            workbook("<a/>", formula + "<d/>"))
        #expect(try declined.names() == ["declined", "content.xml"])
        func slides(_ one: String, _ two: String) -> SampleArchive {
            ODFSample.document(
                "presentation",
                "<draw:page draw:name=\"1\">\(one)</draw:page><draw:page draw:name=\"2\">\(two)</draw:page>"
            )
        }
        let shown = try SampleArchive.merged(
            .odf, slides("<a/>", "<b/>"), slides("<c/>", "<b/>"), slides("<a/>", "<d/>"))
        #expect(try shown.part("content.xml") == slides("<c/>", "<d/>")["content.xml"])
    }

    @Test("the trace says which part and which block is from which side")
    func trace() throws {
        let trace = MergeTrace()
        _ = try SampleArchive.merged(
            .odf, ODFSample.text(["a", "b", "c"]), ODFSample.text(["A", "b", "c"]).saved(2),
            ODFSample.text(["a", "b"]), trace: trace)
        let steps = Set(trace.steps.map { "\($0.place) \($0.source.rawValue) \($0.reason.word)" })
        #expect(
            steps.isSuperset(of: [
                "meta.xml here edited", "content.xml, office:body/office:text, block 1 here edited",
                "content.xml, office:body/office:text, block 3 there removed",
            ]), "\(steps)")
    }
}
