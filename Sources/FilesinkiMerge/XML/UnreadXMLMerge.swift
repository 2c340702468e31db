/// Merges files with the name of XML that cannot be read as XML: declines what begins as markup, and merges other
/// content as text.
///
/// A property list can be written as OpenStep did, `{ key = value; }`, under the name that it has as XML.
struct UnreadXMLMerge: ContentMerge {
    private static let merge = TreeMerge(format: XMLFormat())

    func merge(_ input: MergeInput) -> MergeOutcome {
        input.versions.contains(where: Self.isMarkup)
            ? Self.merge.merge(input) : TextMerge().merge(input)
    }

    /// Whether the first character is the one that begins markup; also of an empty content, which says nothing.
    private static func isMarkup(_ bytes: [UInt8]) -> Bool {
        var text = bytes
        _ = TextFrame(removingFrom: &text)
        return text.first { !$0.isSpace }.map { $0 == UInt8(ascii: "<") } ?? true
    }
}
