import Testing

@testable import FilesinkiMerge

@Suite("What each attribute of a bookmark is, and where it stands")
struct BookmarkAttributeTests {
    private static let rows: [MergeCase] = [
        MergeCase(
            "the later visit, by its number",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" LAST_VISIT=\"1\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" LAST_VISIT=\"9\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" LAST_VISIT=\"10\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" LAST_VISIT=\"10\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "the earlier date of two that both changed",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" ADD_DATE=\"5\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" ADD_DATE=\"7\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" ADD_DATE=\"6\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" ADD_DATE=\"6\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "an attribute here, another one there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"1\" Y=\"1\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"2\" Y=\"1\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"1\" Y=\"2\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"2\" Y=\"2\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "one attribute by both",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"1\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"2\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"3\">t</A>\n</DL><p>\n",
            "declined: /a/X"),
        MergeCase(
            "moved here, titled there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"c\">t</A>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">x</A>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"c\">t</A>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">x</A>\n</DL><p>\n"
        ),
        MergeCase(
            "moved into a folder here, the folder's bookmark titled there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"b\">x</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"b\">x</A>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n</DL><p>\n"
        ),
        MergeCase(
            "one folder that both added, with a bookmark each",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n</DL><p>\n"
        ),
        MergeCase(
            "a folder renamed here, added to there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>g</H3>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n</DL><p>\n",
            "declined: /f"),
        MergeCase(
            "removed here, another one added there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "removed here, titled there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">x</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "declined: /a"),
        MergeCase(
            "descriptions by both",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DD>x\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DD>y\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DD>z\n</DL><p>\n",
            "declined: /a/description"),
        MergeCase(
            "a description here, the title there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DD>x\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DD>y\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">n</A>\n<DD>x\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">n</A>\n<DD>y\n</DL><p>\n"
        ),
        MergeCase(
            "a description removed here, the title there",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DD>x\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">n</A>\n<DD>x\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">n</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "a folder whose name is an address",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"f\">t</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"f\">x</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"f\">t</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"a\">y</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"f\">x</A>\n<DT><H3>f</H3>\n<DL><p>\n<DT><A HREF=\"a\">y</A>\n</DL><p>\n</DL><p>\n"
        ),
        MergeCase(
            "the end of a tag between quotes",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"a>b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"a>c\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"a>b\">n</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" X=\"a>c\">n</A>\n</DL><p>\n"
        ),
        MergeCase(
            "one separator by both",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<HR>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<HR>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<HR>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "no common version: bookmarks of both", nil,
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n<DT><A HREF=\"c\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "no common version: two titles", nil,
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">x</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">y</A>\n</DL><p>\n",
            "declined: /a/title"),
        MergeCase(
            "bookmarks in an empty list",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"b\">t</A>\n</DL><p>\n"
        ),
        MergeCase(
            "a folder with a description",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DD>d\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DD>d\n<DL><p>\n<DT><A HREF=\"a\">t</A>\n<DT><A HREF=\"x\">t</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DD>d\n<DL><p>\n<DT><A HREF=\"a\">y</A>\n</DL><p>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><H3>f</H3>\n<DD>d\n<DL><p>\n<DT><A HREF=\"a\">y</A>\n<DT><A HREF=\"x\">t</A>\n</DL><p>\n</DL><p>\n"
        ),
        MergeCase(
            "tags that both removed, until none is left",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" TAGS=\"m,n\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" TAGS=\"m\">t</A>\n</DL><p>\n",
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF=\"a\" TAGS=\"n\">t</A>\n</DL><p>\n",
            "declined: "),
    ]

    @Test("each row merges as it says, from both sides", arguments: rows)
    func table(_ row: MergeCase) {
        let merge = DocumentFormat.bookmarks.merge
        #expect(merge.merge(row.input).shown == row.merged)
        #expect(merge.merge(row.input.swapped).shown == row.merged)
    }
}
