import ArgumentParser
import FilesinkiMerge
import FilesinkiModel
import FilesinkiReconcile

/// What `merge` says to the merges, as a `[[rule]]` does for a path.
struct MergeOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The format that auto merges by: json, csv, yaml and others; else by content and name.",
            valueName: "format"))
    var type: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "How to merge a field that both sides changed: max, min, sum, union, newest or max-version.",
            valueName: "/pointer=rule"))
    var field: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The side to take for a field that both changed: newest, oldest, here or there.",
            valueName: "choice"))
    var fieldChoice: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The member that identifies the objects of an array.", valueName: "/pointer=member"))
    var identity: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("The columns that identify CSV rows.", valueName: "names"))
    var keyColumns: String?

    /// - Throws: `Failure` with code `usage` for what is not understood.
    func settings() throws(Failure) -> MergeSettings {
        var settings = MergeSettings()
        if let type { settings.format = try word(type) }
        for text in field {
            let (pattern, rule) = try Self.pair(text)
            settings.fields.append(FieldRule(pattern: pattern, resolution: try word(rule)))
        }
        for text in identity {
            let (pattern, member) = try Self.pair(text)
            settings.identities.append(IdentityRule(pattern: pattern, member: member))
        }
        settings.keyColumns =
            keyColumns?.split(separator: ",").map { trimmed($0) } ?? []
        if let fieldChoice { settings.fieldChoice = try word(fieldChoice) }
        return settings
    }

    /// Whether there are options for fields, which a text has none of.
    var hasFields: Bool { !field.isEmpty || fieldChoice != nil || !identity.isEmpty }

    /// - Parameter trace: Of the merge that was made.
    /// - Throws: `Failure` with code `usage` where options for fields were given and lines were merged.
    func refuseFields(of trace: MergeTrace?) throws(Failure) {
        guard hasFields, let rule = trace?.rule, ["text", "auto:text"].contains(rule) else {
            return
        }
        let unread = trace?.unreadFormat.map {
            ": a version is not \($0) that can be merged as such"
        }
        throw Failure(
            .usage, "The files are merged as text\(unread ?? ""), which has no fields.",
            remedy:
                "Leave out --field, --field-choice and --identity, or name the format with --type.")
    }

    private static func pair(_ text: String) throws(Failure) -> (FieldPattern, String) {
        guard let cut = text.lastIndex(of: "=") else {
            throw Failure(
                .usage, path: text, "Missing = between the field and its rule.",
                remedy: "Write it as /score=max.")
        }
        return (
            try FieldPattern(parsing: String(text[..<cut])), String(text[text.index(after: cut)...])
        )
    }

    private func word<Word>(_ text: String) throws(Failure) -> Word
    where Word: RawRepresentable<String> & CaseIterable {
        if let word = Word(rawValue: text) { return word }
        throw Failure(
            .usage, path: text, "Unknown choice.",
            remedy: "Use one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
}
