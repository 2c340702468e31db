/// How often the versions have the comments of the base.
///
/// A comment has no identity: where both sides moved one, to different places, the result would have it at both.
struct CommentCounts {
    private let base: [ByteKey: Int]
    private let ours: [ByteKey: Int]
    private let theirs: [ByteKey: Int]

    static let reason = "Both sides moved a comment, to different places."

    /// - Returns: nil where the base has no comment, or there is none.
    init?(_ trees: MergeTrio<SyntaxTree>) {
        guard let base = trees.base, let ours = trees.ours, let theirs = trees.theirs else {
            return nil
        }
        self.base = Self.counts(base) { _ in true }
        guard !self.base.isEmpty else { return nil }
        let known = self.base
        self.ours = Self.counts(ours) { known[$0] != nil }
        self.theirs = Self.counts(theirs) { known[$0] != nil }
    }

    /// Whether a comment is in the result more often than on either side, and than both sides' additions explain.
    func areExceeded(in result: SyntaxTree) -> Bool {
        Self.counts(result) { base[$0] != nil }.contains { text, count in
            let (our, their) = (ours[text] ?? 0, theirs[text] ?? 0)
            return count > max(our, their, our + their - (base[text] ?? 0))
        }
    }

    private static func counts(
        _ tree: SyntaxTree, where isCounted: (ByteKey) -> Bool
    ) -> [ByteKey: Int] {
        var result: [ByteKey: Int] = [:]
        func count(_ range: Range<Int>) {
            for line in tree.slice(range).split(separator: 10) {
                let text = line.trimmed
                guard text.contains(where: \.isLetterOrDigit) else { continue }
                let key = ByteKey(text)
                if isCounted(key) { result[key, default: 0] += 1 }
            }
        }
        func collect(_ node: SyntaxNode) {
            for item in tree.items(of: node) {
                count(item.role == .comment ? item.value.range : item.lead)
                count(item.tail)
                collect(item.value)
            }
        }
        count(tree.before)
        collect(tree.root)
        count(tree.after)
        return result
    }
}

extension UInt8 {
    /// Whether the byte is a letter or a digit of ASCII, or part of another character.
    fileprivate var isLetterOrDigit: Bool {
        let letter = self | 0x20
        return (0x61...0x7A).contains(letter) || (0x30...0x39).contains(self) || self >= 0x80
    }
}
