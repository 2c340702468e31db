/// Whether a content is a table, as the versions of the same file are.
enum TableCheck {
    /// Whether the content is no table with one of the separators. Needs no version to be read.
    static func isDoubtful(_ content: [UInt8]) -> Bool {
        CSVSeparator.candidates.contains { reason(content, $0) != nil }
    }

    /// Why the content is no table with the separator of the versions; nil if it is one, or if one of these is none either.
    static func refusal(of content: [UInt8], beside versions: [[UInt8]]) -> String? {
        let separator = CSVSeparator.found(in: versions)
        guard versions.allSatisfy({ reason($0, separator) == nil }) else { return nil }
        return reason(content, separator)
    }

    private static func reason(_ content: [UInt8], _ separator: UInt8) -> String? {
        var text = content
        _ = TextFrame(removingFrom: &text)
        if CSVTable(text, separator: separator) == nil { return "its quotes do not match" }
        return CSVSheet(text, separator: separator) == nil
            ? "a row has more fields than the first" : nil
    }
}
