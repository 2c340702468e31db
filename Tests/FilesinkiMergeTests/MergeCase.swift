import Testing

@testable import FilesinkiMerge

/// What each side did, and what becomes of it.
struct MergeCase: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var base: String?
    var ours: String
    var theirs: String
    var merged: String

    init(_ name: String, _ base: String?, _ ours: String, _ theirs: String, _ merged: String) {
        (testDescription, self.base, self.ours, self.theirs) = (name, base, ours, theirs)
        self.merged = merged
    }

    var input: MergeInput {
        MergeInput(
            base: base.map { Array($0.utf8) }, ours: Array(ours.utf8), theirs: Array(theirs.utf8))
    }
}

extension MergeOutcome {
    /// The document, or the places of the conflicts.
    var shown: String {
        switch self {
        case .merged(let bytes): String(decoding: bytes, as: UTF8.self)
        case .declined(let conflicts): "declined: " + conflicts.map(\.place).joined(separator: " ")
        }
    }
}
