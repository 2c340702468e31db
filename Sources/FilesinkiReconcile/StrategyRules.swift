package import FilesinkiModel

/// What happens when one side deleted what the other edited.
package enum OnDelete: String, Hashable, Sendable, CaseIterable {
    /// The edit stays, or comes back. The default, for it loses nothing.
    case keep
    /// The deletion stays; the edit can be brought back from the history.
    case delete
    /// A person decides; where there is none, as ``keep``.
    case ask

    /// Reads `keep`, `delete` or `ask`.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/usage`` for any other word.
    package init(parsing text: String) throws(Failure) {
        guard let value = OnDelete(rawValue: text) else {
            throw Failure(
                .usage, path: "", "The value '\(text)' of on-delete is not known.",
                remedy: "Use keep, delete or ask.")
        }
        self = value
    }
}

/// The rules by which conflicts are resolved, path by path.
package protocol StrategyRules: Sendable {
    /// The chain for a conflict at `path`.
    func strategy(for path: RelativePath) -> Strategy

    /// What to do when one side deleted `path` and the other edited it.
    func onDelete(for path: RelativePath) -> OnDelete

    /// Whether a file at `path` that was deleted there is asked about also when nobody edited it here.
    func asksBeforeDeleting(_ path: RelativePath) -> Bool
}

extension StrategyRules {
    /// What nobody edited goes with its deletion.
    package func asksBeforeDeleting(_ path: RelativePath) -> Bool { false }
}

/// The same rules for every path.
package struct UniformRules: StrategyRules {
    package var strategy: Strategy
    package var onDelete: OnDelete

    package init(_ strategy: Strategy = .standard, onDelete: OnDelete = .keep) {
        self.strategy = strategy
        self.onDelete = onDelete
    }

    package func strategy(for path: RelativePath) -> Strategy { strategy }
    package func onDelete(for path: RelativePath) -> OnDelete { onDelete }
}
