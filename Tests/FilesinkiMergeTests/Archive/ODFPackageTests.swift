import Testing

@testable import FilesinkiMerge

@Suite("What the parts of an ODF document say of each other")
struct ODFPackageTests {
    private static let base = ODFSample.text(["a", "b", "c"])
    private static let first = ODFSample.text(["A", "b", "c"])
    private static let third = ODFSample.text(["a", "b", "C"])

    @Test(
        "names that both sides gave away are declined",
        arguments: [
            ("text:bookmark", "text:name"), ("text:section", "text:name"),
            ("draw:frame", "draw:name"),
            ("table:table", "table:name"), ("text:reference-mark", "text:name"),
            ("office:annotation", "office:name"), ("text:x", "xml:id"), ("text:x", "draw:id"),
            ("text:x", "text:id"),
        ])
    func repeated(_ element: String, _ attribute: String) throws {
        let thing = "<\(element) \(attribute)=\"n\"/>"
        let outcome = try SampleArchive.merged(
            .odf, Self.base, ODFSample.text([thing, "b", "c"]), ODFSample.text(["a", "b", thing]))
        #expect(
            try outcome.names() == ["declined", "\(element) \(attribute)=n (2 times)"],
            "\(outcome.reasons)")
    }

    @Test("other attributes can be equal")
    func equal() throws {
        let thing = "<text:x text:name=\"n\"/>"
        let outcome = try SampleArchive.merged(
            .odf, Self.base, ODFSample.text([thing, "b", "c"]), ODFSample.text(["a", "b", thing]))
        #expect(
            try outcome.part("content.xml")?.split(separator: thing).count == 3,
            "\(outcome.reasons)")
    }

    /// The end of a part's outermost element but one, and what each side adds before it.
    @Test(
        "what both sides added under other names stays both",
        arguments: [
            (
                "meta.xml", "</office:meta>", "<meta:keyword>x</meta:keyword>",
                "<meta:keyword>y</meta:keyword>"
            ),
            (
                "meta.xml", "</office:meta>",
                "<meta:user-defined meta:name=\"p\">1</meta:user-defined>",
                "<meta:user-defined meta:name=\"q\">1</meta:user-defined>"
            ),
            (
                "styles.xml", "</office:styles>",
                "<style:style style:name=\"X\" style:family=\"text\"/>",
                "<style:style style:name=\"Y\" style:family=\"text\"/>"
            ),
            (
                "styles.xml", "</office:styles>",
                "<style:style style:name=\"X\" style:family=\"text\"/>",
                "<style:style style:name=\"X\" style:family=\"paragraph\"/>"
            ),
        ])
    func added(_ part: String, _ end: String, _ one: String, _ other: String) throws {
        let outcome = try SampleArchive.merged(
            .odf, Self.base, Self.first.edited(part, end, one + end),
            Self.third.edited(part, end, other + end))
        let text = try outcome.part(part) ?? ""
        #expect(text.contains(one) && text.contains(other), "\(outcome.reasons)")
    }

    @Test(
        "what both sides gave one name is declined",
        arguments: [
            (
                "meta.xml, office:meta/meta:user-defined", "</office:meta>",
                "<meta:user-defined meta:name=\"p\">1</meta:user-defined></office:meta>",
                "<meta:user-defined meta:name=\"p\">2</meta:user-defined></office:meta>"
            ), ("meta.xml, office:meta/dc:title", ">T<", ">U<", ">V<"),
        ])
    func contested(_ place: String, _ text: String, _ one: String, _ other: String) throws {
        let outcome = try SampleArchive.merged(
            .odf, Self.base, Self.first.edited("meta.xml", text, one),
            Self.third.edited("meta.xml", text, other))
        #expect(try outcome.names() == ["declined", place], "\(outcome.reasons)")
    }

    @Test("where a page ended is no edit")
    func pages() throws {
        let page = "<text:soft-page-break/>"
        let outcome = try SampleArchive.merged(
            .odf, Self.base, ODFSample.text(["a" + page, "b", "C"]),
            ODFSample.text([page + "a", "b", "c", "d"]))
        let content = try outcome.part("content.xml") ?? ""
        #expect(
            content.replacing(page, with: "")
                == ODFSample.text(["a", "b", "C", "d"])["content.xml"],
            "\(outcome.reasons)")
    }

    @Test(
        "a spreadsheet with computed values is not merged",
        arguments: [
            "<table:data-pilot-table/>", "<draw:object/>", "<table:scenario/>",
            "<table:c table:formula=\"x\"/>",
        ])
    func computed(_ thing: String) throws {
        func sheets(_ texts: [String]) -> SampleArchive {
            let tables = texts.enumerated().map {
                "<table:table table:name=\"\($0)\">\($1)</table:table>"
            }
            return ODFSample.document("spreadsheet", tables.joined())
        }
        let outcome = try SampleArchive.merged(
            .odf, sheets(["a", thing]), sheets(["A", thing]), sheets(["a", thing, "c"]))
        #expect(try outcome.names() == ["declined", "content.xml"], "\(outcome.reasons)")
        let plain = try SampleArchive.merged(
            .odf, sheets(["a", "b"]), sheets(["A", "b"]), sheets(["a", "b", "c"]))
        #expect(
            try plain.part("content.xml") == sheets(["A", "b", "c"])["content.xml"],
            "\(plain.reasons)")
        let texts = try SampleArchive.merged(
            .odf, ODFSample.text([thing, "b", "c"]), ODFSample.text([thing, "B", "c"]),
            ODFSample.text([thing, "b", "c", "d"]))
        #expect(
            try texts.part("content.xml") == ODFSample.text([thing, "B", "c", "d"])["content.xml"],
            "\(texts.reasons)")
    }

    @Test("a picture that one side removed is gone, unless the other shows it anew")
    func pictures() throws {
        let base = Self.base.listing("Pictures/1.png", "picture")
        let edited = Self.third.listing("Pictures/1.png", "picture")
        let outcome = try SampleArchive.merged(.odf, base, Self.first, edited)
        #expect(try outcome.part("Pictures/1.png") == nil, "\(outcome.reasons)")
        #expect(try outcome.part("content.xml") == ODFSample.text(["A", "b", "C"])["content.xml"])
        for link in ["Pictures/1.png", "./Pictures/1.png"] {
            let shown = base.edited("content.xml", ">c<", "><draw:image xlink:href=\"\(link)\"/><")
            #expect(
                try SampleArchive.merged(.odf, base, Self.first, shown).names()
                    == ["declined", "Pictures/1.png"])
        }
    }
}
