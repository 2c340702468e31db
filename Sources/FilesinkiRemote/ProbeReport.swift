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

        package init(name: String, promise: String, holds: Bool, detail: String) {
            self.name = name
            self.promise = promise
            self.holds = holds
            self.detail = detail
        }
    }

    package var checks: [Check]

    package init(checks: [Check]) { self.checks = checks }

    /// Whether a store can live at the remote: every promise held.
    package var isFit: Bool { checks.allSatisfy(\.holds) }
}
