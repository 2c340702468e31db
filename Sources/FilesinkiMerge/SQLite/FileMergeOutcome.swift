/// What a merge of files came to.
package enum FileMergeOutcome: Hashable, Sendable {
    /// Both sides are in the result, and nothing was guessed.
    case merged
    /// The merge would have to guess, or the contents are not of its format; there is no result.
    /// Never empty.
    case declined([MergeConflict])
}
