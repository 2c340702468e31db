package import FilesinkiMerge
package import FilesinkiModel
import FilesinkiReconcile

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
    mutating func take(_ key: [String], _ text: String) throws(Failure) -> Bool {
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
