import Testing

@testable import FilesinkiMerge

@Suite("EPUB books merged by their parts")
struct EPUBMergeTests {
    /// - Parameter chapters: Names and texts.
    static func book(_ chapters: [(String, String)], date: Int = 1) -> SampleArchive {
        let items = chapters.map { "<item id=\"\($0.0)\" href=\"t/\($0.0).xhtml\"/>\n" }
        let references = chapters.map { "<itemref idref=\"\($0.0)\"/>\n" }
        return SampleArchive(
            [
                ("mimetype", "application/epub+zip"),
                (
                    "META-INF/container.xml",
                    "<container><rootfiles><rootfile full-path=\"b/book.opf\"/></rootfiles></container>"
                ),
                (
                    "b/book.opf",
                    "<package><metadata><meta property=\"dcterms:modified\">2026-01-0\(date)</meta></metadata>"
                        + "<manifest>\n\(items.joined())</manifest><spine>\n\(references.joined())</spine></package>"
                ),
            ] + chapters.map { ("b/t/\($0.0).xhtml", "<html><p>\($0.1)</p></html>") })
    }

    private static let base = book([("a", "A"), ("b", "B"), ("c", "C")])

    @Test("chapters that each side edited, added and removed")
    func chapters() throws {
        let outcome = try SampleArchive.merged(
            .epub, Self.base, Self.book([("n", "N"), ("a", "A"), ("b", "B"), ("c", "C")], date: 3),
            Self.book([("a", "A"), ("b", "X")], date: 2))
        let expected = Self.book([("n", "N"), ("a", "A"), ("b", "X")], date: 3)
        #expect(try outcome.part("b/book.opf") == expected["b/book.opf"], "\(outcome.reasons)")
        #expect(try Set(outcome.names()) == Set(expected.parts.map(\.name)))
        #expect(try outcome.part("b/t/b.xhtml") == expected["b/t/b.xhtml"])
    }

    @Test("elements of one chapter that each side edited")
    func elements() throws {
        func chapter(_ one: String, _ two: String) -> SampleArchive {
            Self.base.with([("b/t/a.xhtml", "<html>\n<h1>\(one)</h1>\n<p>\(two)</p>\n</html>\n")])
        }
        let outcome = try SampleArchive.merged(
            .epub, chapter("1", "2"), chapter("3", "2"), chapter("1", "4"))
        #expect(
            try outcome.part("b/t/a.xhtml") == chapter("3", "4")["b/t/a.xhtml"],
            "\(outcome.reasons)")
    }

    /// What does not go together.
    static let declined: [(name: String, ours: SampleArchive, theirs: SampleArchive)] = [
        (
            "one text", base.edited("b/t/a.xhtml", ">A<", ">1<"),
            base.edited("b/t/a.xhtml", ">A<", ">2<")
        ),
        (
            "chapters added at one place", book([("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]),
            book([("a", "A"), ("b", "B"), ("c", "C"), ("e", "E")])
        ),
        (
            "a chapter removed, and linked to", book([("a", "A"), ("b", "B")]),
            base.edited("b/t/a.xhtml", ">A<", "><a href=\"c.xhtml#x\">A</a><")
        ),
        (
            "a chapter removed, and edited", book([("a", "A"), ("b", "B")]),
            base.edited("b/t/c.xhtml", ">C<", ">Z<")
        ),
        (
            "encrypted", base.with([("META-INF/encryption.xml", "<a/>")]),
            base.edited("b/t/a.xhtml", ">A<", ">1<")
        ),
        (
            "signed", base.with([("META-INF/signatures.xml", "<a/>")]),
            base.edited("b/t/a.xhtml", ">A<", ">1<")
        ),
    ]

    @Test("what does not go together is declined", arguments: declined.map(\.name))
    func declines(_ name: String) throws {
        for row in Self.declined where row.name == name {
            #expect(
                try SampleArchive.merged(.epub, Self.base, row.ours, row.theirs).names().first
                    == "declined")
        }
    }
}
