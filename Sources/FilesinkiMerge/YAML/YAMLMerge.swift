/// Merges YAML by key and element; what only ``YAMLFormat/isWide`` reads by lines first.
///
/// Documents with values of several lines are merged as text as ever, where that leaves no conflict and a sound document.
struct YAMLMerge: ContentMerge {
    private static let strict = TreeMerge(format: YAMLFormat())
    private static let wide = TreeMerge(format: YAMLFormat(isWide: true))

    func merge(_ input: MergeInput) -> MergeOutcome {
        mergeDocuments(input) ?? Self.wide.merge(input)
    }

    /// Merges documents that can be read; nil if one of the versions cannot.
    @Sendable func mergeDocuments(_ input: MergeInput) -> MergeOutcome? {
        if let outcome = Self.strict.mergeDocuments(input) { return outcome }
        guard input.versions.allSatisfy(reads) else { return nil }
        // A rule may decide about what both sides changed alike, such as a counter.
        guard input.settings.fields.isEmpty else { return Self.wide.merge(input) }
        let start = input.trace?.count ?? 0
        let lines = YAMLTextMerge().merge(input)
        if case .merged(let bytes) = lines, reads(bytes) { return lines }
        input.trace?.discard(from: start)
        return Self.wide.merge(input)
    }

    /// Whether the bytes are a document that can be merged.
    @Sendable func reads(_ bytes: [UInt8]) -> Bool { Self.wide.reads(bytes) }
}
