import FilesinkiModel
import Testing

@testable import FilesinkiMerge

@Suite("Bookmarks")
struct BookmarksMergeTests {
    /// A file with these lines in its list.
    private static func file(_ lines: String...) -> String {
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n"
            + lines.map { $0 + "\n" }.joined() + "</DL><p>\n"
    }

    private static func mark(
        _ address: String, _ rest: String = " ADD_DATE=\"5\"", title: String = "t"
    )
        -> String
    {
        "    <DT><A HREF=\"\(address)\"\(rest)>\(title)</A>"
    }

    private static func folder(_ name: String, _ attributes: String, _ lines: String...) -> String {
        "    <DT><H3\(attributes)>\(name)</H3>\n    <DL><p>\n"
            + lines.map { "    " + $0 + "\n" }.joined() + "    </DL><p>"
    }

    private static let base = file(mark("a"), mark("b"))

    private static let rows: [MergeCase] = [
        MergeCase(
            "bookmarks that both added at one place", base, file(mark("a"), mark("x"), mark("b")),
            file(mark("a"), mark("y"), mark("b")),
            file(mark("a"), mark("x"), mark("y"), mark("b"))),
        MergeCase(
            "a title and a removal", base, file(mark("a", title: "new"), mark("b")),
            file(mark("a")), file(mark("a", title: "new"))),
        MergeCase(
            "a folder that both added to, with the later time",
            file(
                folder("f", " ADD_DATE=\"1\" LAST_MODIFIED=\"2\"", mark("a"))),
            file(folder("f", " ADD_DATE=\"1\" LAST_MODIFIED=\"4\"", mark("a"), mark("x"))),
            file(folder("f", " ADD_DATE=\"1\" LAST_MODIFIED=\"13\"", mark("y"), mark("a"))),
            file(
                folder("f", " ADD_DATE=\"1\" LAST_MODIFIED=\"13\"", mark("y"), mark("a"), mark("x"))
            )),
        MergeCase(
            "the same bookmark added by both, with the earlier time", base,
            file(mark("a"), mark("b"), mark("c", " ADD_DATE=\"9\"")),
            file(mark("a"), mark("b"), mark("c", " ADD_DATE=\"10\"")),
            file(mark("a"), mark("b"), mark("c", " ADD_DATE=\"9\""))),
        MergeCase(
            "tags as a set", file(mark("a", " TAGS=\"m,n\"")), file(mark("a", " TAGS=\"m,n,x\"")),
            file(mark("a", " TAGS=\"n,y\"")), file(mark("a", " TAGS=\"n,x,y\""))),
        MergeCase(
            "a description and a keyword", base,
            file(mark("a") + "\n    <DD>said", mark("b")),
            file(mark("a", " ADD_DATE=\"5\" SHORTCUTURL=\"k\""), mark("b")),
            file(mark("a", " ADD_DATE=\"5\" SHORTCUTURL=\"k\"") + "\n    <DD>said", mark("b"))),
        MergeCase(
            "a separator", base, file(mark("a"), "    <HR>", mark("b")),
            file(mark("a"), mark("b", title: "B")),
            file(mark("a"), "    <HR>", mark("b", title: "B"))),
        MergeCase(
            "one address in two folders",
            file(folder("f", "", mark("a")), folder("g", "", mark("a"))),
            file(folder("f", "", mark("a", title: "x")), folder("g", "", mark("a"))),
            file(folder("f", "", mark("a")), folder("g", "")),
            file(folder("f", "", mark("a", title: "x")), folder("g", ""))),
        MergeCase(
            "other cases and other line ends",
            "<!doctype netscape-bookmark-file-1>\r\n<dl><p>\r\n"
                + "<dt><a href=\"a\">1</a>\r\n<dt><a href=\"b\">2</a>\r\n</dl><p>\r\n",
            "<!doctype netscape-bookmark-file-1>\r\n<dl><p>\r\n"
                + "<dt><a href=\"a\">3</a>\r\n<dt><a href=\"b\">2</a>\r\n</dl><p>\r\n",
            "<!doctype netscape-bookmark-file-1>\r\n<dl><p>\r\n"
                + "<dt><a href=\"a\">1</a>\r\n<dt><a href=\"b\">4</a>\r\n</dl><p>\r\n",
            "<!doctype netscape-bookmark-file-1>\r\n<dl><p>\r\n"
                + "<dt><a href=\"a\">3</a>\r\n<dt><a href=\"b\">4</a>\r\n</dl><p>\r\n"),
        MergeCase(
            "two titles", base, file(mark("a", title: "x"), mark("b")),
            file(mark("a", title: "y"), mark("b")), "declined: /a/title"),
        MergeCase(
            "a folder that one removed and the other changed", file(folder("f", "", mark("a"))),
            file(), file(folder("f", "", mark("a"), mark("b"))), "declined: /f"),
    ]

    @Test("are merged by folder and address", arguments: rows)
    func merges(_ row: MergeCase) {
        let merge = DocumentFormat.bookmarks.merge
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }

    @Test(
        "what is not read is merged as text",
        arguments: [
            "<html><body>x</body></html>", file("<DT>"), file("<DT><A>t</A>"), file("text"),
            file("<DT><A HREF=a>t</A>"), file("<DT><A HREF=\"a\">t"), file("<DT><H3>f</H3>"),
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n" + mark("a"),
            base + "<DL><DT>", file("<DT><A HREF=\"a>t</A>"), "",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>"
                + String(repeating: "<DL><DT><H3>f</H3>", count: 300),
        ])
    func unread(_ text: String) {
        #expect(!DocumentFormat.bookmarks.reads(Array(text.utf8)))
    }

    @Test(
        "the names of exported files select them",
        arguments: [
            "bookmarks.html", "Bookmarks_11_25_26.HTML", "bookmark.htm", "Safari Bookmarks.html",
        ])
    func names(_ name: String) {
        #expect(DocumentFormat(fileName: name.utf8)?.format == .bookmarks)
    }

    @Test("a file of another name, or of another format, is not")
    func otherNames() {
        #expect(DocumentFormat(fileName: "index.html".utf8) == nil)
        #expect(DocumentFormat(fileName: "bookmarks-2026.json".utf8)?.format == .jsonc)
    }
}
