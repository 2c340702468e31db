package import FilesinkiMerge
package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiText

/// The rules of this device: its own settings override the synced ones, which override the
/// defaults.
///
/// Within one file the last matching `[[rule]]` with the setting applies, else the file's setting
/// for all paths.
package struct PathRules: StrategyRules {
    /// The settings of the files, highest priority first.
    let layers: [Settings]
    /// The defaults for a path that no `[[rule]]` matches.
    private let strategy: Strategy
    private let onDelete: OnDelete
    private let hasRules: Bool

    /// Whether `.gitignore` files apply, too; false by default.
    package let gitignore: Bool
    /// The deletion limit of one run; nil if no file sets it.
    package let maxDelete: MaxDelete?
    /// The most bytes per second to and from a remote over a network.
    package let bandwidth: BandwidthLimit
    /// What the shell runs in place of ssh; nil if no file says so.
    package let sshCommand: String?
    /// What a prune without options keeps: numbers, and seconds. Empty if no file says so.
    package let prune: [PruneKey: Int64]

    /// - Parameter layers: The settings of the files, highest priority first.
    package init(_ layers: [Settings] = []) {
        self.layers = layers
        strategy = layers.firstValue { $0.strategy } ?? .standard
        onDelete = layers.firstValue { $0.onDelete } ?? .keep
        gitignore = layers.firstValue { $0.gitignore } ?? false
        maxDelete = layers.firstValue { $0.maxDelete }
        bandwidth = layers.firstValue { $0.bandwidth } ?? BandwidthLimit()
        sshCommand = layers.firstValue { $0.sshCommand }
        prune = layers.reduce(into: [:]) { rules, layer in
            rules.merge(layer.prune) { higher, _ in higher }
        }
        hasRules = layers.contains { !$0.rules.isEmpty }
    }

    /// All strategies in the files, in their order.
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
    /// The value of the last rule that matches the path and sets it.
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

/// The paths of a rule, as a glob in gitignore's syntax.
///
/// `*.json` matches at any depth, `/a/*.json` in the folder `a` of the root, `docs/` the folder
/// `docs` and everything below it.
package struct PathPattern: Sendable {
    private let rules: IgnoreRules

    /// - Throws: `Failure` with code `usage` for a glob that is empty, negated, malformed or
    ///   contains NUL.
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

    /// Whether the pattern matches the path or one of its folders.
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

/// The merge settings of one `[[rule]]`.
package struct MergeRules: Hashable, Sendable {
    package var format: ContentFormat?
    package var fields: [FieldRule] = []
    package var fieldChoice: FieldChoice?
    package var identities: [IdentityRule] = []
    package var keyColumns: [String]?

    /// How the fields that a pattern matches are merged.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid pattern or value, as the methods below.
    mutating func addField(_ pattern: String, _ text: String) throws(Failure) {
        fields.append(
            FieldRule(pattern: try FieldPattern(parsing: pattern), resolution: try word(text)))
    }

    /// The member that identifies the objects of the lists that a pattern matches.
    mutating func addIdentity(_ pattern: String, _ member: String) throws(Failure) {
        identities.append(
            IdentityRule(pattern: try FieldPattern(parsing: pattern), member: member))
    }

    /// The format that `auto` merges by.
    mutating func setFormat(_ text: String) throws(Failure) { format = try word(text) }

    mutating func setFieldChoice(_ text: String) throws(Failure) { fieldChoice = try word(text) }

    /// - Parameter text: Names separated by commas.
    mutating func setKeyColumns(_ text: String) {
        keyColumns = text.split(separator: ",").map(trimmed)
    }

    private func word<Word>(_ text: String) throws(Failure) -> Word
    where Word: RawRepresentable<String> & CaseIterable {
        if let word = Word(rawValue: text) { return word }
        let known = Word.allCases.map(\.rawValue)
        throw Failure(
            .usage, path: "", "Invalid value: '\(text)'.",
            remedy: NearestWord.suggestion(for: text, among: known)
                + "Use one of \(known.joined(separator: ", ")).")
    }
}

extension PathRules {
    /// The merge settings of a path. Within one file later rules come first; the fields of all
    /// matching rules are combined.
    package func merging(for path: RelativePath) -> MergeSettings {
        var settings = MergeSettings()
        for rule in layers.flatMap({ $0.rules.reversed() }) where rule.match.covers(path) {
            settings.format = settings.format ?? rule.merging.format
            settings.fields += rule.merging.fields
            settings.identities += rule.merging.identities
            settings.fieldChoice = settings.fieldChoice ?? rule.merging.fieldChoice
            if settings.keyColumns.isEmpty { settings.keyColumns = rule.merging.keyColumns ?? [] }
        }
        return settings
    }
}
