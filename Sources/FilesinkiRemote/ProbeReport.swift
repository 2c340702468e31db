/// What ``SlotProbe`` found out about a remote.
package struct ProbeReport: Sendable {
    /// One promise, and whether it held.
    package struct Check: Hashable, Sendable {
        /// A short name for machines, such as `one-winner`.
        package var name: String
        /// The promise, as a sentence.
        package var promise: String
        package var holds: Bool
        /// What was tried, or what happened instead, as a sentence.
        package var detail: String
        /// What goes wrong where the promise does not hold, as a sentence.
        package var consequence: String
    }

    package var checks: [Check]
    /// What to use when a promise is broken, as sentences.
    package var alternative: String

    /// Whether a store can live at the remote: every promise held.
    package var isFit: Bool { checks.allSatisfy(\.holds) }
}
