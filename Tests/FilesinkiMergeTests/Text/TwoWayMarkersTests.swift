import Testing

@testable import FilesinkiMerge

/// Two texts as one, with markers wherever they differ.
@Suite struct TwoWayMarkersTests {
    private static let labels = TextMerge.Labels(ours: "here", theirs: "there")

    private static func marked(_ ours: String, _ theirs: String) -> String? {
        TextMerge.marked(Array(ours.utf8), against: Array(theirs.utf8), labels: labels)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "a line that only one has is between markers, too",
        arguments: [
            ("a\n1\nb\n", "a\n2\nb\n", "a\n<<<<<<< here\n1\n=======\n2\n>>>>>>> there\nb\n"),
            ("a\nb\n", "a\n2\nb\n", "a\n<<<<<<< here\n=======\n2\n>>>>>>> there\nb\n"),
            ("a\n1\nb\n", "a\nb\n", "a\n<<<<<<< here\n1\n=======\n>>>>>>> there\nb\n"),
            (
                "a\r\n1\r\n", "a\r\n2\r\n",
                "a\r\n<<<<<<< here\r\n1\r\n=======\r\n2\r\n>>>>>>> there\r\n"
            ),
            ("same\n", "same\n", "same\n"),
        ])
    func differences(_ ours: String, _ theirs: String, _ expected: String) {
        #expect(Self.marked(ours, theirs) == expected)
    }

    @Test func `contents that are not text have no markers`() {
        #expect(Self.marked("\0", "a") == nil)
    }
}
