/// Merges texts by lines, byte for byte as `git merge-file` does.
///
/// Where only one side changed lines its change is taken, and where both made the same change it is
/// taken once. Where both changed the same or neighbouring lines otherwise, it declines. Bytes are
/// kept as they are: line ends, a missing last newline, byte order marks, any encoding.
///
/// A content with a zero byte in its first 8000 is no text, and is declined. Without a base, lines
/// that both sides have are no conflict only if the contents are equal.
package struct TextMerge: ContentMerge {
    /// What git looks at to tell a text from anything else.
    private static let binaryWindow = 8000
    /// git's limit, which keeps its arithmetic right; a content above it is declined.
    private static let largest = 1023 << 20

    package init() {}

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if let reason = Self.refusal(input) { return .declined([MergeConflict("", reason)]) }
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
        refusal(input) == nil ? TextWriter(input).bytes(labels) : nil
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

    /// Why these contents are not for this merge.
    private static func refusal(_ input: MergeInput) -> String? {
        let contents = [input.base ?? [], input.here, input.there]
        if contents.contains(where: { $0.prefix(binaryWindow).contains(0) }) {
            return "The content is not text."
        }
        return contents.contains { $0.count > largest } ? "The text is too large." : nil
    }
}

extension MergeInput {
    /// The result, where it takes no merge: one side is as the base, or both are equal.
    var obvious: [UInt8]? {
        if here == there || there == base { return here }
        return here == base ? there : nil
    }
}
