package import FilesinkiModel
package import FilesinkiReconcile

/// The rules that hold on this device: its own settings, over the synced ones, over the defaults.
///
/// Within one file the last `[[rule]]` that matches and says something decides; where none does,
/// what the file says for all paths.
package struct PathRules: StrategyRules {
    /// What the files say, the deciding one first.
    let layers: [Settings]
    /// The answers for a path that no `[[rule]]` matches.
    private let strategy: Strategy
    private let onDelete: OnDelete
    private let hasRules: Bool

    /// Whether `.gitignore` files count too; false unless a file says so.
    package let gitignore: Bool
    /// How much one run may delete; nil when no file says so.
    package let maxDelete: MaxDelete?

    /// - Parameter layers: What the files say, the deciding one first.
    package init(_ layers: [Settings] = []) {
        self.layers = layers
        strategy = layers.firstValue { $0.strategy } ?? .standard
        onDelete = layers.firstValue { $0.onDelete } ?? .keep
        gitignore = layers.firstValue { $0.gitignore } ?? false
        maxDelete = layers.firstValue { $0.maxDelete }
        hasRules = layers.contains { !$0.rules.isEmpty }
    }

    /// Every strategy that the files name, in their order.
    package var strategies: [Strategy] {
        layers.reversed().flatMap { layer in
            ([layer.strategy] + layer.rules.map(\.strategy)).compactMap { $0 }
        }
    }

    package func strategy(for path: RelativePath) -> Strategy {
        if !hasRules { return strategy }
        return layers.firstValue { $0.value(\.strategy, for: path) ?? $0.strategy } ?? .standard
    }

    package func onDelete(for path: RelativePath) -> OnDelete {
        if !hasRules { return onDelete }
        return layers.firstValue { $0.value(\.onDelete, for: path) ?? $0.onDelete } ?? .keep
    }
}

extension Settings {
    /// What the last rule says that is about the path and says anything.
    fileprivate func value<Value>(_ key: KeyPath<Rule, Value?>, for path: RelativePath) -> Value? {
        for rule in rules.reversed() {
            if let value = rule[keyPath: key], rule.match.covers(path) { return value }
        }
        return nil
    }
}

extension Array {
    /// The first value that is not nil.
    fileprivate func firstValue<Value>(_ transform: (Element) -> Value?) -> Value? {
        for element in self {
            if let value = transform(element) { return value }
        }
        return nil
    }
}
