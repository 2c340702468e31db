import FilesinkiModel

/// What a merge of contents in memory came to.
package enum MergeOutcome: Hashable, Sendable {
    /// Both sides are in this content, and nothing was guessed.
    case merged([UInt8])
    /// The merge would have to guess, or the contents are not of its format. Never empty.
    case declined([MergeConflict])
}

/// A place where a merge would have to guess.
package struct MergeConflict: Hashable, Sendable {
    /// Where it is: a JSON Pointer, `line 12`, `table t, key 7`; empty for the whole content.
    package var place: String
    /// What both sides did there, or why the content is not for this merge: a sentence.
    package var reason: String

    package init(_ place: String, _ reason: String) {
        self.place = place
        self.reason = reason
    }
}

extension MergeConflict: CustomStringConvertible {
    /// The place and the reason on one line, safe for a terminal.
    package var description: String {
        printable((place.isEmpty ? reason : "\(place): \(reason)").utf8)
    }
}
