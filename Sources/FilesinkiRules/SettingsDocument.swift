package import FilesinkiModel
package import FilesinkiText

/// The content of a settings file, whose keys can be read and changed by name.
///
/// What it writes has gone through the reader that a run uses.
package struct SettingsDocument: Sendable {
    /// The name of the array of tables with the settings of some paths.
    package static let rule = "rule"

    private var editor: TOMLEditor
    private let file: String
    private let source: RuleSource
    private var problems: [SettingsProblem]

    /// - Parameters:
    ///   - bytes: The content of the file; empty if it does not exist.
    ///   - file: Its path, for messages.
    ///   - source: Whose file it is, which decides what it may contain.
    /// - Throws: The reader's `Failure` for what is not TOML.
    package init(_ bytes: [UInt8], file: String, source: RuleSource) throws(Failure) {
        editor = try TOMLEditor(bytes, file: file)
        problems = SettingsReader(bytes, file: file, source: source).problems
        self.file = file
        self.source = source
    }

    /// The present content.
    package var bytes: [UInt8] { editor.bytes }

    /// All keys in the order of the file, also those that the reader rejects. Those of a rule begin with
    /// `rule` and the rule's number, from 1.
    package var entries: [TOMLEditor.Entry] { editor.entries }

    /// What the reader rejects, in the order of the file.
    package var mistakes: [Failure] { problems.map(\.located) }

    /// The entries that a key names: its own, and those below it.
    ///
    /// - Throws: Code `usage` for a key that the reader does not know and the file does not have, and the reader's failure
    ///   for a value that it rejects.
    package func entries(of key: [String]) throws(Failure) -> [TOMLEditor.Entry] {
        let found = entries.filter { $0.key.starts(with: key) }
        for entry in found { try check(entry.line) { $0.located } }
        if found.isEmpty, key.first != Self.rule, key != [PruneKey.table], !Self.isKnown(key) {
            throw unknown(key)
        }
        return found
    }

    /// Sets a key for all paths, or one of `[prune]`.
    ///
    /// - Parameter text: The value as words of a command line: `newest`, `true`, `100`.
    /// - Throws: Code `usage` for a rule, and the reader's failure for a key or value that it rejects; then
    ///   the content is as before.
    package mutating func set(_ key: [String], to text: String) throws(Failure) {
        try refuseRule(key)
        guard let value = SettingKey(key)?.value(text) ?? PruneKey(key)?.setting(text) else {
            throw unknown(key)
        }
        var changed = self
        try changed.editor.set(key, to: value)
        changed.problems = SettingsReader(changed.bytes, file: file, source: source).problems
        for entry in changed.entries where entry.key == key {
            try changed.check(entry.line) { $0.failure }
        }
        // Not about a line: the reader cannot use the file at all.
        if let whole = changed.problems.first(where: { $0.line == nil }) { throw whole.failure }
        self = changed
    }

    /// Removes a key for all paths or of `[prune]`, also one that the reader does not know.
    ///
    /// - Returns: Whether the file had it.
    /// - Throws: Code `usage` for a rule, and for a key that the reader does not know and the file does not have.
    package mutating func unset(_ key: [String]) throws(Failure) -> Bool {
        try refuseRule(key)
        let isThere = try editor.remove(key)
        if !isThere, !Self.isKnown(key) { throw unknown(key) }
        problems = SettingsReader(bytes, file: file, source: source).problems
        return isThere
    }

    private static func isKnown(_ key: [String]) -> Bool {
        SettingKey(key) != nil || PruneKey(key) != nil
    }

    private func check(
        _ line: Int, _ failure: (SettingsProblem) -> Failure
    ) throws(Failure) {
        if let problem = problems.first(where: { $0.line == line }) { throw failure(problem) }
    }

    private func refuseRule(_ key: [String]) throws(Failure) {
        guard key.first == Self.rule else { return }
        throw Failure(
            .usage, path: file, "Rules can be shown, but not changed by this command.",
            remedy: "Change [[rule]] in the file with an editor.")
    }

    private func unknown(_ key: [String]) -> Failure {
        var failure = SettingsReader.unknown(TOMLWriter.key(key))
        failure.path = Array(file.utf8)
        failure.message = printable(failure.message.utf8)
        return failure
    }
}
