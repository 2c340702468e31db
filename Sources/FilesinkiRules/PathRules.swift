package import FilesinkiMerge
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

/// A glob in gitignore's syntax that says which paths a rule is about.
///
/// `*.json` is about that name at any depth, `/a/*.json` about files of the folder `a` in the root,
/// `docs/` about the folder `docs` and all that lies below it.
package struct PathPattern: Sendable {
    private let rules: IgnoreRules

    /// - Throws: `Failure` with code `usage` for what is empty, negated, malformed or holds NUL.
    package init(_ glob: String) throws(Failure) {
        if glob.utf8.first == UInt8(ascii: "!") {
            throw Self.failure(
                "The pattern '\(printable(glob.utf8))' begins with !.",
                "Write a rule for the other paths.")
        }
        guard let rules = IgnoreRules(pattern: Array(glob.utf8)) else {
            throw Self.failure(
                "The pattern '\(printable(glob.utf8))' matches nothing.",
                "Write a pattern as in .gitignore, such as *.json or docs/.")
        }
        self.rules = rules
    }

    private static func failure(_ message: String, _ remedy: String) -> Failure {
        Failure(.usage, path: "", message, remedy: remedy)
    }

    /// Whether the pattern matches the path or a folder that the path lies in.
    package func covers(_ path: RelativePath) -> Bool {
        let bytes = path.bytes.span
        var start = 0
        for end in 0...bytes.count
        where end == bytes.count || bytes[end] == UInt8(ascii: "/") {
            let found = rules.lastMatch(
                name: bytes.extracting(start..<end), path: bytes.extracting(0..<end),
                isDirectory: end < bytes.count)
            if found != nil { return true }
            start = end + 1
        }
        return false
    }
}

/// What one `[[rule]]` says to the merges.
package struct MergeRules: Hashable, Sendable {
    package var fields: [FieldRule] = []
    package var fieldChoice: FieldChoice?
    package var identities: [IdentityRule] = []
    package var keyColumns: [String]?

    /// Takes one key of a rule.
    ///
    /// - Returns: Whether the key is about merges.
    /// - Throws: `Failure` with code `usage` for a value that is not understood.
    mutating func set(_ key: [String], _ text: String) throws(Failure) -> Bool {
        switch (key.first, key.count) {
        case ("fields", 2):
            fields.append(
                FieldRule(
                    pattern: try FieldPattern(parsing: key[1]), resolution: try word(text)))
        case ("identity", 2):
            identities.append(
                IdentityRule(pattern: try FieldPattern(parsing: key[1]), member: text))
        case ("field-choice", 1): fieldChoice = try word(text)
        case ("key-columns", 1): keyColumns = text.split(separator: ",").map(trimmed)
        default: return false
        }
        return true
    }

    /// The keys, for a message.
    static let keys = "fields.\"/POINTER\", field-choice, identity.\"/POINTER\" and key-columns"

    private func word<Word>(_ text: String) throws(Failure) -> Word
    where Word: RawRepresentable<String> & CaseIterable {
        if let word = Word(rawValue: text) { return word }
        let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(
            .usage, path: "", "The value '\(text)' is not known.", remedy: "Use one of \(known).")
    }
}

extension PathRules {
    /// What the rules say to the merges of a path: within one file later rules come first, as
    /// everywhere; a rule adds its fields to those of the others.
    package func merging(for path: RelativePath) -> MergeSettings {
        var settings = MergeSettings()
        for rule in layers.flatMap({ $0.rules.reversed() }) where rule.match.covers(path) {
            settings.fields += rule.merging.fields
            settings.identities += rule.merging.identities
            settings.fieldChoice = settings.fieldChoice ?? rule.merging.fieldChoice
            if settings.keyColumns.isEmpty { settings.keyColumns = rule.merging.keyColumns ?? [] }
        }
        return settings
    }
}
