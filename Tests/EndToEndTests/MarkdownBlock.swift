/// A fenced block of a Markdown document.
struct MarkdownBlock {
    /// What stands behind the opening fence, such as `sh run`.
    var info: String
    /// The line of the opening fence, from 1.
    var line: Int
    /// Its lines, each ended by a newline.
    var text: String

    /// All blocks of a document, in order.
    static func all(in document: String) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        var open: MarkdownBlock?
        for (index, line) in document.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.hasPrefix("```") {
                if let block = open {
                    blocks.append(block)
                    open = nil
                } else {
                    open = MarkdownBlock(info: String(line.dropFirst(3)), line: index + 1, text: "")
                }
            } else {
                open?.text += line + "\n"
            }
        }
        return blocks
    }
}
