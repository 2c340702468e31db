import Testing

@testable import FilesinkiMerge

@Suite("What the parts of an EPUB book say of each other")
struct EPUBPackageTests {
    private static let list = "b/book.opf"
    private static let base = EPUBMergeTests.book([("a", "A"), ("b", "B"), ("c", "C")])
    private static let edited = base.edited("b/t/b.xhtml", ">B<", ">2<")

    /// A book with a picture, and the reference that its list has to it.
    private static func picture(_ reference: String, _ name: String) -> SampleArchive {
        base.edited(
            list, "</manifest>", "<item id=\"p\" href=\"\(reference)\"/></manifest>"
        ).with([(name, "picture")])
    }

    @Test(
        "a part that one side added is listed, however its name is written",
        arguments: [
            ("p.png", "b/p.png"), ("./p.png", "b/p.png"), ("t/../p.png", "b/p.png"),
            ("/p.png", "p.png"), ("a%20b.png", "b/a b.png"), ("a&amp;b.png", "b/a&b.png"),
            ("p.png#xywh=1", "b/p.png"),
        ])
    func listed(_ reference: String, _ name: String) throws {
        let outcome = try SampleArchive.merged(
            .epub, Self.base, Self.picture(reference, name), Self.edited)
        #expect(try outcome.part(name) == "picture", "\(outcome.reasons)")
        #expect(try outcome.part("b/t/b.xhtml") == Self.edited["b/t/b.xhtml"])
    }

    /// Links that one side adds to a chapter that the other removed.
    @Test(
        "what one side removed and the other refers to anew is declined",
        arguments: [
            "<a href=\"c.xhtml\">A</a>", "<a href=\"c.xhtml#p\">A</a>",
            "<a href=\"../t/c.xhtml\">A</a>", "<a href=\"/b/t/c.xhtml\">A</a>",
            "<a href=\"./c.xhtml\">A</a>", "<a href=\"%63.xhtml\">A</a>", "<img src=\"c.xhtml\"/>",
            "<i><img src='c.xhtml'/></i>",
        ])
    func dangling(_ link: String) throws {
        let outcome = try SampleArchive.merged(
            .epub, Self.base, EPUBMergeTests.book([("a", "A"), ("b", "B")]),
            Self.base.edited("b/t/a.xhtml", ">A<", ">\(link)<"))
        #expect(try outcome.names() == ["declined", "b/t/c.xhtml"], "\(outcome.reasons)")
    }

    @Test(
        "chapters of any name can refer to others",
        arguments: ["xhtml", "html", "htm", "svg", "ncx"])
    func names(_ suffix: String) throws {
        func book(_ chapters: [(String, String)]) -> SampleArchive {
            let book = EPUBMergeTests.book(chapters)
            return book.edited(Self.list, "t/a.xhtml", "t/a.\(suffix)").with([
                ("b/t/a.xhtml", nil), ("b/t/a.\(suffix)", book["b/t/a.xhtml"]),
            ])
        }
        let chapters = [("a", "A"), ("b", "B"), ("c", "C")]
        let base = book(chapters)
        let outcome = try SampleArchive.merged(
            .epub, base, book(Array(chapters.dropLast())),
            base.edited("b/t/a.\(suffix)", ">A<", "><a href=\"c.xhtml\">A</a><"))
        #expect(try outcome.names() == ["declined", "b/t/c.xhtml"], "\(outcome.reasons)")
    }

    @Test(
        "what leads elsewhere, or was missing before, is no matter",
        arguments: [
            "<a href=\"x:c.xhtml\">A</a>", "<a href=\"#c\">A</a>",
            "<a href=\"../../../c.xhtml\">A</a>",
            "<a title=\"c.xhtml\">A</a>",
        ])
    func elsewhere(_ link: String) throws {
        let outcome = try SampleArchive.merged(
            .epub, Self.base, EPUBMergeTests.book([("a", "A"), ("b", "B")]),
            Self.base.edited("b/t/a.xhtml", ">A<", ">\(link)<"))
        #expect(try outcome.part("b/t/a.xhtml")?.contains(link) == true, "\(outcome.reasons)")
        #expect(try outcome.part("b/t/c.xhtml") == nil)
    }

    /// What both sides make of the list, and where that is a conflict.
    private static let conflicts:
        [(name: String, place: String, ours: SampleArchive, theirs: SampleArchive)] =
            [
                (
                    "one identifier for two parts", "b/book.opf, manifest/item",
                    picture("p.png", "b/p.png"),
                    picture("q.png", "b/q.png")
                ),
                (
                    "an item removed and edited", "b/book.opf, manifest/item",
                    base.edited(list, "href=\"t/c.xhtml\"", "href=\"t/c.xhtml\" p=\"1\""),
                    EPUBMergeTests.book([("a", "A"), ("b", "B")])
                ),
                (
                    "two titles", "b/book.opf, metadata/title",
                    base.edited(list, "<metadata>", "<metadata><title>T</title>"),
                    base.edited(list, "<metadata>", "<metadata><title>U</title>")
                ),
                (
                    "elements of the outermost one", "b/book.opf",
                    base.edited(list, "</package>", "<guide/></package>"),
                    base.edited(list, "</package>", "<tours/></package>")
                ),
                (
                    "attributes of one element", "b/book.opf, spine",
                    base.edited(list, "<spine>", "<spine x=\"1\">"),
                    base.edited(list, "<spine>", "<spine y=\"1\">")
                ),
                (
                    "namespaces", "b/book.opf",
                    base.edited(list, "<package>", "<package xmlns=\"u\">"),
                    base.edited(list, "<package>", "<package xmlns:x=\"u\">")
                ),
                (
                    "text between the items", "b/book.opf, manifest",
                    base.edited(list, "<manifest>", "<manifest>x"),
                    base.edited(list, "<item id=\"b\"", "<item p=\"1\" id=\"b\"")
                ),
                (
                    "comments before the outermost element", "b/book.opf",
                    base.edited(
                        list, "<package>", "<!--x--><package>", "<spine>", "<spine x=\"1\">"),
                    base.edited(
                        list, "<package>", "<!--y--><package>", "<manifest>", "<manifest y=\"1\">")
                ),
            ]

    @Test("the list of parts is merged by element", arguments: conflicts.map(\.name))
    func declines(_ name: String) throws {
        for row in Self.conflicts where row.name == name {
            let outcome = try SampleArchive.merged(.epub, Self.base, row.ours, row.theirs)
            #expect(try outcome.names() == ["declined", row.place], "\(outcome.reasons)")
        }
    }

    /// What each side replaces in the list, and what the list has then.
    @Test(
        "what each side changed in the list is in the result",
        arguments: [
            (("<spine>", "<spine x=\"1\">"), ("<manifest>", "<manifest y=\"1\">")),
            (("</package>", "<guide/></package>"), ("<manifest>", "<manifest y=\"1\">")),
            (("<package>", "<!--x--><package>"), ("<spine>", "<spine x=\"1\">")),
            (("</package>", "</package>\n"), ("<spine>", "<spine x=\"1\">")),
            (("<package>", "<package xmlns=\"u\">"), ("<spine>", "<spine x=\"1\">")),
            (
                ("</metadata>", "<creator id=\"x\">C</creator></metadata>"),
                (">2026-01-01<", ">2026-01-02<")
            ),
            (
                ("<item id=\"a\"", "<item p=\"1\" id=\"a\""),
                ("<item id=\"c\"", "<item q=\"1\" id=\"c\"")
            ),
        ])
    func merges(_ ours: (String, String), _ theirs: (String, String)) throws {
        let outcome = try SampleArchive.merged(
            .epub, Self.base, Self.base.edited(Self.list, ours.0, ours.1),
            Self.base.edited(Self.list, theirs.0, theirs.1))
        let both = Self.base.edited(Self.list, ours.0, ours.1, theirs.0, theirs.1)
        #expect(try outcome.part(Self.list) == both[Self.list], "\(outcome.reasons)")
    }

    @Test("chapters that one side moved, and one that the other added")
    func moved() throws {
        let chapters = [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]
        let two = "<itemref idref=\"a\"/>\n<itemref idref=\"b\"/>\n"
        let other = "<itemref idref=\"b\"/>\n<itemref idref=\"a\"/>\n"
        let all = EPUBMergeTests.book(chapters)
        let outcome = try SampleArchive.merged(
            .epub, Self.base, Self.base.edited(Self.list, two, other), all)
        #expect(
            try outcome.part(Self.list) == all.edited(Self.list, two, other)[Self.list],
            "\(outcome.reasons)")
    }

    /// Versions that are no books that can be merged.
    private static let refused: [(name: String, reason: String, archive: SampleArchive)] = [
        ("rights", "is encrypted", base.with([("META-INF/rights.xml", "<a/>")])),
        ("without a container", "cannot be read", base.with([("META-INF/container.xml", nil)])),
        ("without a list", "cannot be read", base.with([("b/book.opf", nil)])),
        (
            "a list that is not well-formed", "cannot be read",
            base.with([("b/book.opf", "<package>")])
        ),
        (
            "a media type behind another part", "is not of the format epub",
            SampleArchive(
                [("a", "")]
                    + base.parts.map { ($0.name, String(decoding: $0.content, as: UTF8.self)) })
        ),
    ]

    @Test("a version that is no book is named", arguments: refused.map(\.name))
    func refuses(_ name: String) throws {
        for row in Self.refused where row.name == name {
            #expect(
                try SampleArchive.merged(.epub, Self.base, row.archive, Self.edited).reasons
                    == "The version of this replica \(row.reason).")
            #expect(
                try SampleArchive.merged(.epub, Self.base, Self.edited, row.archive).reasons
                    == "The committed version \(row.reason).")
            #expect(
                try SampleArchive.merged(
                    .epub, row.archive, Self.base.edited("b/t/a.xhtml", ">A<", ">1<"), Self.edited
                ).reasons == "The common version \(row.reason).")
        }
    }
}
