/// Text that is broken to fit a terminal. In a pipe a line is whole, for programs that read lines.
enum FlowText {
    /// Puts parts on lines, as many on each as there is room for. A part that is too long by itself stays whole.
    ///
    /// - Parameters:
    ///   - separator: What stands between two parts on a line.
    ///   - indent: What the second line, and each after it, begins with.
    ///   - width: The columns of a line; nil for one line.
    static func lines(
        _ parts: [String], separator: String, indent: String, within width: Int?
    ) -> [String] {
        var lines: [String] = []
        for part in parts {
            guard let last = lines.last else {
                lines.append(part)
                continue
            }
            if let width, last.count + separator.count + part.count > width {
                lines.append(indent + part)
            } else {
                lines[lines.count - 1] = last + separator + part
            }
        }
        return lines
    }

    /// A sentence, broken between words.
    static func words(_ text: String, indent: String = "", within width: Int?) -> [String] {
        guard let width, text.count > width else { return [text] }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return lines(words, separator: " ", indent: indent, within: width)
    }
}
