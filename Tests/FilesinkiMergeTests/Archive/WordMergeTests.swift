import Testing

@testable import FilesinkiMerge

@Suite("Texts in Office Open XML merged by their parts")
struct WordMergeTests {
    private static let name = "word/document.xml"

    @Test("paragraphs of both sides, settings and properties of the later save")
    func paragraphs() throws {
        let base = OOXMLSample.text(["a", "b", "c"])
        let ours = OOXMLSample.text(["A", "b", "c"]).with([
            ("docProps/core.xml", OOXMLSample.core(3)),
            ("word/settings.xml", OOXMLSample.settings(rsid: 3)),
        ])
        let theirs = OOXMLSample.text(["a", "b<w:lastRenderedPageBreak/>", "c", "d"]).with([
            ("docProps/core.xml", OOXMLSample.core(2)),
            ("word/settings.xml", OOXMLSample.settings(rsid: 2, option: "<w:trackRevisions/>")),
        ])
        let outcome = try SampleArchive.merged(.ooxml, base, ours, theirs)
        #expect(
            try outcome.wordParagraphs() == ["A", "b<w:lastRenderedPageBreak/>", "c", "d"],
            "\(outcome.reasons)")
        #expect(try outcome.part("docProps/core.xml") == OOXMLSample.core(3))
        #expect(
            try outcome.part("word/settings.xml")
                == OOXMLSample.settings(rsid: 3, option: "<w:trackRevisions/>"))
    }

    @Test("a page that ends elsewhere on both sides is no edit")
    func pageBreaks() throws {
        let outcome = try SampleArchive.merged(
            .ooxml, OOXMLSample.text(["a", "b", "c"]),
            OOXMLSample.text(["A", "b<w:lastRenderedPageBreak/>", "c"]),
            OOXMLSample.text(["a", "<w:proofErr/>b", "C"]))
        #expect(
            try outcome.wordParagraphs().map { $0.filter(\.isLetter).suffix(1) } == ["A", "k", "C"]
                || outcome.wordParagraphs() == ["A", "<w:proofErr/>b", "C"], "\(outcome.reasons)")
    }

    @Test("one side adds a picture, a style and a note, the other edits")
    func additions() throws {
        let base = OOXMLSample.text(["a", "b", "c"])
        let ours = OOXMLSample.text(["a", "b", "C"]).edited(
            "word/styles.xml", "</w:styles>", "<w:style w:styleId=\"Mine\"/></w:styles>")
        let theirs = base.edited(
            Self.name, "<w:p>a</w:p>",
            "<w:p><w:pStyle w:val=\"Own\"/><w:pic r:embed=\"rId9\"/><w:footnoteReference w:id=\"2\"/></w:p>"
        ).edited(
            "word/_rels/document.xml.rels", "</Relationships>",
            OOXMLSample.relationship("rId9", "image", "media/image1.png") + "</Relationships>"
        ).edited(
            "word/footnotes.xml", "</w:footnotes>",
            "<w:footnote w:id=\"2\">two</w:footnote></w:footnotes>"
        ).edited(
            "word/styles.xml", "</w:styles>", "<w:style w:styleId=\"Own\"/></w:styles>"
        ).with([("word/media/image1.png", "picture")])
        let outcome = try SampleArchive.merged(.ooxml, base, ours, theirs)
        #expect(try outcome.wordParagraphs().suffix(2) == ["b", "C"], "\(outcome.reasons)")
        #expect(try outcome.part("word/media/image1.png") == "picture")
        let styles = try outcome.part("word/styles.xml") ?? ""
        #expect(styles.contains("\"Mine\"") && styles.contains("\"Own\""))
    }

    /// What does not go together, by the place of the conflict.
    static let declined:
        [(name: String, place: String, ours: SampleArchive, theirs: SampleArchive)] = {
            let base = OOXMLSample.text(["a", "b", "c"])
            func text(_ first: String) -> SampleArchive { OOXMLSample.text([first, "b", "c"]) }
            let other = OOXMLSample.text(["a", "b", "C"])
            let rels = "word/_rels/document.xml.rels"
            func picture(_ target: String, _ paragraph: Int) -> SampleArchive {
                let pic = "<w:pic r:embed=\"rId9\"/>"
                return OOXMLSample.text(paragraph == 0 ? [pic, "b", "c"] : ["a", "b", pic]).edited(
                    rels, "</Relationships>",
                    OOXMLSample.relationship("rId9", "image", "media/\(target).png")
                        + "</Relationships>"
                ).with([("word/media/\(target).png", "picture")])
            }
            let list = "<w:numId w:val=\"1\"/>"
            return [
                ("one paragraph", "word/document.xml, w:body", text("A"), text("Z")),
                (
                    "one identifier for two pictures", "word/_rels/document.xml.rels, Relationship",
                    picture("x", 0), picture("y", 2)
                ),
                (
                    "a list that means something else", "w:num 1",
                    other.edited("word/numbering.xml", "<w:a/>", "<w:z/>"), text(list)
                ),
                (
                    "a footnote of one number by both", "word/footnotes.xml, w:footnote",
                    text("<w:footnoteReference w:id=\"2\"/>").edited(
                        "word/footnotes.xml", "</w:footnotes>",
                        "<w:footnote w:id=\"2\">two</w:footnote></w:footnotes>"),
                    OOXMLSample.text(["a", "b", "<w:footnoteReference w:id=\"2\"/>"]).edited(
                        "word/footnotes.xml", "</w:footnotes>",
                        "<w:footnote w:id=\"2\">zwei</w:footnote></w:footnotes>")
                ),
                (
                    "a style removed, and used", "w:style Head",
                    other.edited("word/styles.xml", "<w:style w:styleId=\"Head\"/>", ""),
                    text("<w:pStyle w:val=\"Head\"/>")
                ),
                (
                    "bookmarks of one number", "w:bookmarkStart w:id=5 (2 times)",
                    text("<w:bookmarkStart w:id=\"5\"/>"),
                    OOXMLSample.text(["a", "b", "<w:bookmarkStart w:id=\"5\"/>"])
                ),
                (
                    "settings added by both", "word/settings.xml",
                    text("A").with([
                        ("word/settings.xml", OOXMLSample.settings(rsid: 1, option: "<w:x/>"))
                    ]),
                    other.with([
                        ("word/settings.xml", OOXMLSample.settings(rsid: 1, option: "<w:y/>"))
                    ])
                ),
                (
                    "a part removed, and referred to", "word/footnotes.xml",
                    base.with([("word/footnotes.xml", nil)]).edited(
                        "[Content_Types].xml",
                        OOXMLSample.override("word/footnotes.xml", "wordprocessingml.footnotes"), ""
                    ).edited(
                        rels, OOXMLSample.relationship("rId4", "footnotes", "footnotes.xml"), ""),
                    other.edited("word/footnotes.xml", "one", "eins")
                ),
                (
                    "macros of both", "word/vbaProject.bin",
                    text("A").with([("word/vbaProject.bin", "1")]),
                    other.with([("word/vbaProject.bin", "2")])
                ),
            ]
        }()

    @Test("what does not go together is declined", arguments: declined.map(\.name))
    func declines(_ name: String) throws {
        for row in Self.declined where row.name == name {
            let outcome = try SampleArchive.merged(
                .ooxml, OOXMLSample.text(["a", "b", "c"]), row.ours, row.theirs)
            #expect(try outcome.names().prefix(2) == ["declined", row.place], "\(outcome.reasons)")
        }
    }

    @Test("a picture that is another one on the other side is declined where a side shows it anew")
    func pictures() throws {
        let rels = "word/_rels/document.xml.rels"
        let base = OOXMLSample.text(["a", "b", "c"]).edited(
            rels, "</Relationships>",
            OOXMLSample.relationship("rId9", "image", "media/x.png") + "</Relationships>"
        ).with([("word/media/x.png", "1")])
        let replaced = base.edited(Self.name, ">c<", ">C<").with([("word/media/x.png", "2")])
        let shown = base.edited(Self.name, ">a<", "><w:pic r:embed=\"rId9\"/><")
        #expect(
            try SampleArchive.merged(.ooxml, base, replaced, shown).names()
                == ["declined", "word/media/x.png"])
        let edited = base.edited(Self.name, ">a<", ">A<")
        #expect(
            try SampleArchive.merged(.ooxml, base, replaced, edited).wordParagraphs() == [
                "A", "b", "C",
            ])
        let moved = base.edited(rels, "media/x.png", "media/y.png").with([
            ("word/media/x.png", nil), ("word/media/y.png", "1"),
        ])
        #expect(try SampleArchive.merged(.ooxml, base, moved, shown).names() == ["declined", rels])
    }

    @Test(
        "an end that one side moved, of what the other removed, is declined",
        arguments: [
            ("<w:bookmarkStart w:id=\"1\"/>", "<w:bookmarkEnd w:id=\"1\"/>", "w:bookmarkStart 1"),
            (
                "<w:fldChar w:fldCharType=\"begin\"/>", "<w:fldChar w:fldCharType=\"end\"/>",
                "w:fldChar"
            ),
        ])
    func unpaired(_ start: String, _ end: String, _ place: String) throws {
        let outcome = try SampleArchive.merged(
            .ooxml, OOXMLSample.text(["a" + start, "b", "x", "c" + end]),
            OOXMLSample.text(["a" + start, "b" + end, "x", "c"]),
            OOXMLSample.text(["a", "b", "x", "c"]))
        #expect(try outcome.names() == ["declined", place], "\(outcome.reasons)")
    }

    @Test("a signed document is refused")
    func signed() throws {
        let outcome = try SampleArchive.merged(
            .ooxml, OOXMLSample.text(["a"]), OOXMLSample.text(["A"]),
            OOXMLSample.text(["a", "b"]).with([("_xmlsignatures/sig1.xml", "<a/>")]))
        #expect(outcome.reasons.contains("has a digital signature"))
    }
}

@Suite("Presentations in Office Open XML merged by their parts")
struct PresentationMergeTests {
    private func slide(_ number: Int) -> String { "ppt/slides/slide\(number).xml" }

    @Test("slides of both sides, and one that a side added")
    func slides() throws {
        let base = OOXMLSample.presentation(["a", "b"])
        let outcome = try SampleArchive.merged(
            .ooxml, base, base.edited(slide(1), ">a<", ">A<"),
            OOXMLSample.presentation(["a", "B", "c"]))
        #expect(try outcome.part(slide(1))?.contains(">A<") == true, "\(outcome.reasons)")
        #expect(try outcome.part(slide(2))?.contains(">B<") == true)
        #expect(try outcome.part(slide(3))?.contains(">c<") == true)
        #expect(try outcome.part("ppt/presentation.xml")?.contains("rId3") == true)
    }

    @Test("one slide that both edited, and slides that both added")
    func conflicts() throws {
        let base = OOXMLSample.presentation(["a", "b"])
        #expect(
            try SampleArchive.merged(
                .ooxml, base, base.edited(slide(1), ">a<", ">A<"),
                base.edited(slide(1), ">a<", ">Z<")
            ).names() == ["declined", slide(1)])
        #expect(
            try SampleArchive.merged(
                .ooxml, base, OOXMLSample.presentation(["a", "b", "c"]),
                OOXMLSample.presentation(["a", "b", "d"])
            ).names().contains(slide(3)))
    }

    @Test("a slide whose picture is another one on the other side is declined")
    func pictures() throws {
        let base = OOXMLSample.presentation(["a", "b"])
        let edited = base.edited(slide(1), ">a<", ">A<")
        let replaced = base.with([("ppt/media/image1.png", "other")])
        #expect(
            try SampleArchive.merged(.ooxml, base, edited, replaced).names()
                == ["declined", "ppt/media/image1.png"])
        let rels = "ppt/slides/_rels/slide1.xml.rels"
        let renamed = base.edited(rels, "image1", "image2")
        #expect(
            try SampleArchive.merged(.ooxml, base, edited, renamed).names() == ["declined", rels])
        let second = base.with([("ppt/media/image2.png", "other")])
        #expect(try SampleArchive.merged(.ooxml, base, edited, second).reasons.isEmpty)
    }
}
