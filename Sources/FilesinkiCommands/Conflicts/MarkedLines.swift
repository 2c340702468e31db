import FilesinkiModel

/// Lines of this program in a text file of a user, between two marker lines. They can be replaced and removed, and no
/// other line is touched.
struct MarkedLines {
    /// The marker lines, without their ends.
    let begin: String
    let end: String

    /// The text with these lines between the markers. If it has no markers, they become its first lines, so that in
    /// files whose last line wins the lines of the user do.
    ///
    /// - Throws: Code `usage` for a text with one marker, or with several pairs.
    func replacing(with lines: [String], in text: [UInt8]) throws(Failure) -> [UInt8] {
        let block = Array(([begin] + lines + [end]).map { $0 + "\n" }.joined().utf8)
        guard let old = try range(in: text) else { return block + text }
        return text[..<old.lowerBound] + block + text[old.upperBound...]
    }

    /// The text without the markers and the lines between them; the same text if there are none.
    ///
    /// - Throws: As ``replacing(with:in:)``.
    func removed(from text: [UInt8]) throws(Failure) -> [UInt8] {
        guard let old = try range(in: text) else { return text }
        return Array(text[..<old.lowerBound] + text[old.upperBound...])
    }

    /// The bytes from the first marker to the end of the line of the second; nil if there are none.
    private func range(in text: [UInt8]) throws(Failure) -> Range<Int>? {
        var begins: [Int] = []
        var ends: [Int] = []
        var start = 0
        for line in text.split(separator: 10, omittingEmptySubsequences: false) {
            let bare = line.last == 13 ? line.dropLast() : line
            let next = min(line.endIndex + 1, text.count)
            if bare.elementsEqual(begin.utf8) { begins.append(start) }
            if bare.elementsEqual(end.utf8) { ends.append(next) }
            start = next
        }
        if begins.isEmpty, ends.isEmpty { return nil }
        guard begins.count == 1, ends.count == 1, begins[0] < ends[0] else {
            throw Failure(
                .usage, "The lines between the markers of filesinki are damaged.",
                remedy: "Remove them with the lines '\(begin)' and '\(end)', and run again.")
        }
        return begins[0]..<ends[0]
    }
}
