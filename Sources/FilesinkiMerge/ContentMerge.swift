package import FilesinkiModel

/// A three-way merge of one content.
///
/// Every merge keeps these laws, which its tests hold:
/// * `merge(b, x, x) = x`, `merge(b, b, x) = x` and `merge(b, x, b) = x`, byte for byte.
/// * Swapping the sides gives the same bytes, except where the user chose by side.
/// * What only one side added or changed is in the result, and what it removed is not.
/// * The result is a document of the same format, or the merge declines.
package protocol ContentMerge: Sendable {
    /// Merges, or declines where it would have to guess. The engine never passes equal sides, but
    /// they must merge to themselves.
    func merge(_ input: MergeInput) -> MergeOutcome
}

/// The three versions of one content.
package struct MergeInput: Sendable {
    /// What both sides started from; nil when there is no common version, as when both created the
    /// file.
    package var base: [UInt8]?
    /// This replica's version.
    package var ours: [UInt8]
    /// The committed version.
    package var theirs: [UInt8]
    /// When ``ours`` was last modified. Used only by rules of the user that choose by time.
    package var oursModified: Timestamp
    /// When ``theirs`` was last modified.
    package var theirsModified: Timestamp
    package var settings: MergeSettings
    /// Is told what the merge decides; nil if nobody asks.
    package var trace: MergeTrace?

    package init(
        base: [UInt8]?, ours: [UInt8], theirs: [UInt8],
        oursModified: Timestamp = Timestamp(nanoseconds: 0),
        theirsModified: Timestamp = Timestamp(nanoseconds: 0), settings: MergeSettings = .init(),
        trace: MergeTrace? = nil
    ) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.oursModified = oursModified
        self.theirsModified = theirsModified
        self.settings = settings
        self.trace = trace
    }

    /// The contents that there are.
    var versions: [[UInt8]] { [base, ours, theirs].compactMap(\.self) }

    /// The same merge seen from the other device.
    package var swapped: MergeInput {
        MergeInput(
            base: base, ours: theirs, theirs: ours, oursModified: theirsModified,
            theirsModified: oursModified, settings: settings)
    }

    /// The result when no merge is needed: one side equals the base, or both are equal. Nil for a comparison, which
    /// looks inside.
    var obvious: [UInt8]? {
        if isComparison { return nil }
        if ours == theirs || theirs == base { return ours }
        return ours == base ? theirs : nil
    }

    /// Why these contents cannot be merged as texts; nil if they can.
    var refusalAsText: String? {
        let contents = [base ?? [], ours, theirs]
        if contents.contains(where: { $0.prefix(binaryWindow).contains(0) }) {
            return "The content is not text."
        }
        return contents.contains { $0.count > largestText } ? "The text is too large." : nil
    }
}

/// How many bytes git searches for a zero byte to tell text from binary.
private let binaryWindow = 8000
/// git's limit in bytes, which keeps line numbers and offsets in 32 bits.
private let largestText = 1023 << 20

/// The result of a merge in memory.
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
    /// The cell or row of a database; nil for any other place.
    package var cell: MergeCell?

    package init(_ place: String, _ reason: String, cell: MergeCell? = nil) {
        self.place = place
        self.reason = reason
        self.cell = cell
    }
}

extension MergeConflict: CustomStringConvertible {
    /// The place and the reason on one line, safe for a terminal.
    package var description: String {
        printable((place.isEmpty ? reason : "\(place): \(reason)").utf8)
    }
}
