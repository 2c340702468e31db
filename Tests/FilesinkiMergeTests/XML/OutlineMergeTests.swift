import Testing

@testable import FilesinkiMerge

@Suite("Lines of OPML among others that changed")
struct OutlineMergeTests {
    /// A file with a feed for each text: the title, and the address behind a bar where it is another one.
    private static func feeds(_ feeds: String...) -> String {
        let lines = feeds.map { feed in
            let parts = feed.split(separator: "|")
            return
                "    <outline type=\"rss\" text=\"\(parts[0])\" xmlUrl=\"\(parts[parts.count - 1])\"/>\n"
        }
        return "<opml version=\"2.0\">\n  <body>\n\(lines.joined())  </body>\n</opml>\n"
    }

    static let rows: [MergeCase] = [
        MergeCase(
            "one removed what stands beside an addition", feeds("a", "b", "c"), feeds("a", "c"),
            feeds("a", "b", "n", "c"), feeds("a", "n", "c")),
        MergeCase(
            "one edited and removed feeds around an addition", feeds("a", "b", "c", "d"),
            feeds("a", "b|b2", "d"), feeds("a", "b", "n", "c", "d"),
            feeds("a", "n", "b|b2", "d")),
        MergeCase(
            "both added one feed at different places", feeds("a", "b", "c"),
            feeds("a", "X|x", "b", "c"), feeds("a", "b", "Y|x", "c"),
            "declined: /body/outline/text"),
        MergeCase(
            "both replaced one feed", feeds("a", "b", "c"), feeds("a", "B|1", "c"),
            feeds("a", "C|2", "c"), "declined: /body"),
        MergeCase(
            "one removed a feed that the other edited beside an addition",
            feeds("a", "b", "c"), feeds("a", "c"), feeds("a", "B|b", "n", "c"),
            "declined: /body/outline"),
    ]

    @Test("are known by their address or text", arguments: rows)
    func merges(_ row: MergeCase) {
        let merge = TreeMerge(format: XMLFormat())
        for input in [row.input, row.input.swapped] {
            #expect(merge.merge(input).shown == row.merged)
        }
    }
}
