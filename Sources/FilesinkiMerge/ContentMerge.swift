/// A way to make one content of two that came from the same base.
///
/// Every merge keeps these laws, which its tests hold:
/// * `merge(b, x, x) = x`, `merge(b, b, x) = x` and `merge(b, x, b) = x`, byte for byte.
/// * Here and there exchanged give the same bytes, save where the user chose by side.
/// * What only one side added or changed is in the result, and what it removed is not.
/// * The result is a document of the same format, or the merge declines.
package protocol ContentMerge: Sendable {
    /// Merges, or declines where it would have to guess. Never called with equal sides by the
    /// engine, but must answer for them too.
    func merge(_ input: MergeInput) -> MergeOutcome
}
