import ArgumentParser
import FilesinkiMerge
import FilesinkiModel

/// What `merge` says to the merges, as a `[[rule]]` does for a path.
struct MergeOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "How to merge a field that both sides changed: max, min, sum, union or newest.",
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
        for text in field {
            let (pattern, word) = try Self.pair(text)
            guard let resolution = FieldRule.Resolution(rawValue: word) else {
                throw Self.unknown(word, FieldRule.Resolution.allCases.map(\.rawValue))
            }
            settings.fields.append(FieldRule(pattern: pattern, resolution: resolution))
        }
        for text in identity {
            let (pattern, member) = try Self.pair(text)
            settings.identities.append(IdentityRule(pattern: pattern, member: member))
        }
        settings.keyColumns =
            keyColumns?.split(separator: ",").map { String($0) } ?? []
        if let fieldChoice {
            guard let choice = FieldChoice(rawValue: fieldChoice) else {
                throw Self.unknown(fieldChoice, FieldChoice.allCases.map(\.rawValue))
            }
            settings.fieldChoice = choice
        }
        return settings
    }

    private static func pair(_ text: String) throws(Failure) -> (FieldPattern, String) {
        guard let cut = text.lastIndex(of: "=") else {
            throw Failure(
                .usage, path: text, "A field and its rule are written with a = between them.",
                remedy: "Write it as /score=max.")
        }
        return (
            try FieldPattern(parsing: String(text[..<cut])), String(text[text.index(after: cut)...])
        )
    }

    private static func unknown(_ word: String, _ known: [String]) -> Failure {
        Failure(
            .usage, path: word, "This is not known.",
            remedy: "Use one of \(known.joined(separator: ", ")).")
    }
}
