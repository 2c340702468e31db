/// Merges texts by lines, byte for byte as `git merge-file` does.
///
/// Where only one side changed lines its change is taken, and where both made the same change it is
/// taken once. Where both changed the same or neighbouring lines otherwise, it declines. Bytes are
/// kept as they are: line ends, a missing last newline, byte order marks, any encoding.
///
/// A content with a zero byte in its first 8000 is no text, and is declined. Without a base, lines
/// that both sides have are no conflict only if the contents are equal.
package struct TextMerge: ContentMerge {
    package init() {}

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if let reason = input.refusalAsText { return .declined([MergeConflict("", reason)]) }
        if let easy = input.obvious { return .merged(easy) }
        let writer = TextWriter(input)
        let conflicts = writer.conflicts
        return conflicts.isEmpty ? .merged(writer.bytes()) : .declined(conflicts)
    }

    /// The merged text in which both sides of each conflict stand between markers, byte for byte
    /// as `git merge-file -p` prints it; nil if one of the contents is no text.
    ///
    /// A marker's line ends as the lines around it do.
    package static func marked(
        _ input: MergeInput, labels: Labels = Labels(here: "here", there: "there")
    ) -> [UInt8]? {
        input.refusalAsText == nil ? TextWriter(input).bytes(labels) : nil
    }

    /// What stands behind the markers of a conflict's two sides.
    package struct Labels: Hashable, Sendable {
        package var here: String
        package var there: String

        package init(here: String, there: String) {
            self.here = here
            self.there = there
        }
    }
}
