import FilesinkiModel

/// Both versions of a document with markers where a merge cannot decide, for people to do so.
///
/// Laws, which its tests hold:
/// * What is outside of markers is merged as the format merges it.
/// * What is between them are lines of the versions, byte for byte.
/// * With one side of all markers it is a document, as the versions are.
///
/// The merge is made twice: with this replica's version of each conflict, and with the committed one. Where the two differ,
/// they stand between markers. Where the format declines otherwise, all that differs is between them; what the format merges
/// as text is marked by lines, as git does.
package struct MarkedMerge {
    private let input: MergeInput
    private let format: DocumentFormat
    private let labels: TextMerge.Labels
    private let markerSize: Int

    /// - Parameters:
    ///   - input: Versions for which the format's merge declines.
    ///   - format: `text` for other texts.
    package init(
        _ input: MergeInput, _ format: DocumentFormat, labels: TextMerge.Labels,
        markerSize: Int = TextMerge.markerSize
    ) {
        var input = input
        input.trace = nil
        self.input = input
        (self.format, self.labels, self.markerSize) = (format, labels, markerSize)
    }

    /// The text with markers; nil if one of the contents is not text.
    package var bytes: [UInt8]? {
        guard input.refusalAsText == nil else { return nil }
        let isSound = format.soundness(of: input.versions)
        if let here = merged(.ours), let there = merged(.theirs),
            let document = MarkedDocument(here: here, there: there, of: input),
            isSound(document.picked(.ours)), isSound(document.picked(.theirs))
        {
            return document.bytes(labels, markerSize: markerSize)
        }
        if format.mergesLines(of: input), let lines = markedLines(isSound) { return lines }
        let versions = MarkedDocument(here: input.ours, there: input.theirs, of: input)
        return versions?.bytes(labels, markerSize: markerSize) ?? input.ours
    }

    /// What a person begins with who decides: the text with markers. Where these would stand around everything that the merge
    /// has decided, as in a document on one line, it is the merge with this replica's version of each conflict, without markers.
    package var proposal: [UInt8]? { mergeWithoutMarkers ?? bytes }

    /// The merge with this replica's version of each conflict; nil where the text with markers has something that was decided
    /// outside of them, or nothing was.
    private var mergeWithoutMarkers: [UInt8]? {
        guard input.refusalAsText == nil, !format.mergesLines(of: input) else { return nil }
        let isSound = format.soundness(of: input.versions)
        guard let here = merged(.ours), let there = merged(.theirs), isSound(here), isSound(there),
            here != input.ours || there != input.theirs
        else { return nil }
        if let marked = MarkedDocument(here: here, there: there, of: input),
            marked.picked(.ours) != input.ours || marked.picked(.theirs) != input.theirs
        {
            return nil
        }
        return here
    }

    /// The format's merge with a side's version of each conflict; nil where it declines.
    private func merged(_ side: MarkedSide) -> [UInt8]? {
        var input = input
        input.settings.markedSide = side
        guard case .merged(let bytes)? = format.mergeDocuments(input) else { return nil }
        return bytes
    }

    /// The lines as those of a text, if they conflict, and are a document with one side of all conflicts.
    private func markedLines(_ isSound: ([UInt8]) -> Bool) -> [UInt8]? {
        let sides = [MergeVersion.ours, .theirs].compactMap { TextMerge.chosen(input, $0) }
        guard case .declined = TextMerge().merge(input), sides.allSatisfy(isSound) else {
            return nil
        }
        return TextMerge.marked(input, labels: labels, markerSize: markerSize)
    }
}

extension DocumentFormat {
    /// Whether the format merges these versions by their lines.
    fileprivate func mergesLines(of input: MergeInput) -> Bool {
        if let tables = merge as? CSVMerge { return tables.mergesLines(of: input) }
        if [.text, .lines, .markdown].contains(format) { return true }
        return !input.versions.allSatisfy(reads)
            && (textMerge is TextMerge || textMerge is YAMLTextMerge)
    }

    /// Whether bytes are a document as all versions are, as far as the format can tell.
    fileprivate func soundness(of versions: [[UInt8]]) -> ([UInt8]) -> Bool {
        if versions.allSatisfy(reads) { return reads }
        if textMerge is YAMLTextMerge, versions.allSatisfy(YAMLBlocks.areSound) {
            return YAMLBlocks.areSound
        }
        return { _ in true }
    }
}
