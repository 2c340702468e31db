import Testing

@testable import FilesinkiMerge

/// Two merges as one text, with markers wherever they differ.
@Suite struct MarkedDocumentTests {
    private static let labels = TextMerge.Labels(ours: "here", theirs: "there")

    /// - Parameters:
    ///   - ours: The version of this replica, if it is not the merge.
    private static func marked(
        _ here: String, _ there: String, ours: String? = nil, theirs: String? = nil
    ) -> String? {
        let input = MergeInput(
            base: nil, ours: Array((ours ?? here).utf8), theirs: Array((theirs ?? there).utf8))
        return MarkedDocument(here: Array(here.utf8), there: Array(there.utf8), of: input)
            .map { String(decoding: $0.bytes(labels), as: UTF8.self) }
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
            (
                "1\n}\n2\n", "3\n}\n4\n",
                "<<<<<<< here\n1\n}\n2\n=======\n3\n}\n4\n>>>>>>> there\n"
            ),
            ("a\n1", "a\n2", "a\n<<<<<<< here\n1\n=======\n2\n>>>>>>> there\n"),
        ])
    func differences(_ here: String, _ there: String, _ expected: String) {
        #expect(Self.marked(here, there) == expected)
    }

    @Test func `a line that no version has is replaced with all up to the next shared ones`() {
        let marked = Self.marked(
            "{\n1,\n2\n}\nb\n", "{\n3,\n2\n}\nb\n", ours: "{\n1\n}\na\n", theirs: "{\n3,\n2\n}\nb\n"
        )
        #expect(marked == "{\n<<<<<<< here\n1\n=======\n3,\n2\n>>>>>>> there\n}\nb\n")
    }

    @Test func `lines that do not stand beside each other in a version are conflicts of their own`()
    {
        let marked = Self.marked("1\n2\n", "3\n4\n", ours: "1\nx\n2\n", theirs: "3\n4\n")
        #expect(
            marked
                == "<<<<<<< here\n1\n=======\n3\n>>>>>>> there\n"
                + "<<<<<<< here\n2\n=======\n4\n>>>>>>> there\n")
    }

    @Test func `equal merges, and contents that are not text, have no markers`() {
        #expect(Self.marked("same\n", "same\n") == nil)
        #expect(Self.marked("\0", "a") == nil)
    }
}
