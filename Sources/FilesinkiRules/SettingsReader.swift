import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// Converts the statements of a settings file.
///
/// Errors become problems and the rest applies. An invalid strategy or `on-delete` becomes the
/// default, which loses nothing, while an earlier rule that would apply otherwise might.
struct SettingsReader {
    /// The name of the file in messages.
    let file: String
    let source: RuleSource
    private(set) var settings = Settings()
    private(set) var problems: [SettingsProblem] = []

    private enum Section { case top, rule(Draft), prune, unknown }
    private struct Draft {
        var line: Int
        var match: PathPattern?
        var hasMatch = false
        var strategy: Strategy?
        var onDelete: OnDelete?
        var merging = MergeRules()
    }
    private var section = Section.top
    private var seen: Set<String> = []

    init(_ bytes: [UInt8], file: String, source: RuleSource) {
        self.file = file
        self.source = source
        do throws(Failure) {
            for statement in try TOMLReader.read(bytes, file: file) { read(statement) }
            endSection()
        } catch {
            settings = Settings()
            problems = [
                SettingsProblem(line: nil, failure: error, mayHidePruneRule: true, stopsRuns: true)
            ]
        }
    }

    private mutating func read(_ statement: TOMLStatement) {
        do throws(Failure) {
            switch statement.kind {
            case .pair(let pair):
                try read(pair, line: statement.line)
            case .tableInArray(["rule"]):
                endSection()
                section = .rule(Draft(line: statement.line))
            case .table([PruneKey.table]):
                endSection()
                section = .prune
            case .table(let name), .tableInArray(let name):
                endSection()
                section = .unknown
                throw Self.failure(
                    "The table '\(name.joined(separator: "."))' is not known.",
                    "Write [[rule]] for settings of some paths, [prune] for what a prune keeps.")
            }
        } catch {
            report(
                error, line: statement.line, mayHidePruneRule: mayHidePruneRule(statement),
                stopsRuns: isAboutProtection(statement))
        }
    }

    private mutating func endSection() {
        if case .rule(let draft) = section {
            if let match = draft.match {
                settings.rules.append(
                    Settings.Rule(
                        match: match, strategy: draft.strategy, onDelete: draft.onDelete,
                        merging: draft.merging))
            } else if !draft.hasMatch {
                report(
                    Self.failure(
                        "The rule has no 'match'.",
                        "Give its paths, as in match = \"*.json\"."),
                    line: draft.line)
            }
        }
        section = .top
        seen = []
    }

    private mutating func read(_ pair: TOMLPair, line: Int) throws(Failure) {
        let key = pair.key.joined(separator: ".")
        if case .unknown = section {
            guard Self.isOfProtection(pair) else { return }
            throw Self.failure(
                "'\(key)' is in a table that is not known.", "Write it above the first table.")
        }
        guard seen.insert(key).inserted else {
            throw Self.failure("Duplicate key: '\(key)'.", "Keep one of them.")
        }
        if case .rule(var draft) = section {
            defer { section = .rule(draft) }
            switch RuleKey(pair.key) {
            case .match:
                draft.hasMatch = true
                draft.match = try PathPattern(try Self.text(pair))
            case .strategy:
                draft.strategy = .standard
                draft.strategy = try strategy(pair)
            case .onDelete:
                draft.onDelete = .keep
                draft.onDelete = try OnDelete(parsing: try Self.text(pair))
            case .type: try draft.merging.setFormat(try Self.text(pair))
            case .fields:
                try draft.merging.addField(pair.key[1], try Self.text(pair))
            case .identity:
                try draft.merging.addIdentity(pair.key[1], try Self.text(pair))
            case .fieldChoice: try draft.merging.setFieldChoice(try Self.text(pair))
            case .keyColumns: draft.merging.setKeyColumns(try Self.text(pair))
            case nil: throw Self.unknown(key, among: RuleKey.allCases.map(\.rawValue), RuleKey.list)
            }
            return
        }
        if case .prune = section { return try readPrune([PruneKey.table] + pair.key, pair) }
        try readTopLevel(key, pair)
    }

    private mutating func readPrune(_ key: [String], _ pair: TOMLPair) throws(Failure) {
        guard let known = PruneKey(key) else {
            let keys = PruneKey.allCases.map(\.rawValue)
            throw Self.unknown(
                key.dropFirst().joined(separator: "."), among: keys, keys.joined(separator: ", "))
        }
        // The table, and keys with dots, may both have it.
        guard settings.prune[known] == nil else {
            throw Self.failure(
                "Duplicate key: '\(key.joined(separator: "."))'.", "Keep one of them.")
        }
        settings.prune[known] = try known.value(of: pair.value)
    }

    /// Whether a statement that was rejected may have been meant for a prune: everything but a wrong value of a known
    /// key that is not about prunes.
    private func mayHidePruneRule(_ statement: TOMLStatement) -> Bool {
        guard case .pair(let pair) = statement.kind else { return true }
        return switch section {
        case .top: SettingKey(pair.key) == nil
        case .rule: RuleKey(pair.key) == nil
        case .prune, .unknown: true
        }
    }

    /// Whether a statement that was rejected may have been meant to protect files. Without it a run could send what is
    /// private, or delete more than the user wants.
    private func isAboutProtection(_ statement: TOMLStatement) -> Bool {
        guard case .pair(let pair) = statement.kind else { return false }
        return Self.isOfProtection(pair)
    }

    /// Whether a key is `gitignore` or `max-delete`, or nearly, wherever it stands.
    private static func isOfProtection(_ pair: TOMLPair) -> Bool {
        guard let name = pair.key.last, RuleKey(pair.key) == nil else { return false }
        let known = SettingKey.allCases.map(\.rawValue)
        let nearest = NearestWord.nearest(to: name, among: known)
        return [SettingKey.gitignore, .maxDelete].contains { $0.rawValue == nearest }
    }

    private mutating func readTopLevel(_ key: String, _ pair: TOMLPair) throws(Failure) {
        let known = SettingKey(pair.key)
        guard source == .device || known?.isOfDevice != true else {
            throw Self.failure(
                "'\(key)' is a setting of one device, not of all.",
                "Set it with filesinki config set --device \(key) VALUE.")
        }
        switch known {
        case .strategy:
            settings.strategy = .standard
            settings.strategy = try strategy(pair)
        case .onDelete:
            settings.onDelete = .keep
            settings.onDelete = try OnDelete(parsing: try Self.text(pair))
        case .gitignore:
            guard case .boolean(let value) = pair.value else {
                throw Self.mistyped(pair, "true or false")
            }
            settings.gitignore = value
        case .maxDelete:
            if case .integer(let count) = pair.value {
                settings.maxDelete = try MaxDelete(parsing: String(count))
            } else {
                settings.maxDelete = try MaxDelete(parsing: try Self.text(pair))
            }
        case .bwlimit: settings.bandwidth = try BandwidthLimit(parsing: try Self.text(pair))
        case .sshCommand: settings.sshCommand = try sshCommand(pair)
        case nil where pair.key.count > 1 && pair.key[0] == PruneKey.table:
            try readPrune(pair.key, pair)
        case nil: throw Self.unknown(key)
        }
    }

    private func sshCommand(_ pair: TOMLPair) throws(Failure) -> String {
        let text = try Self.text(pair)
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw Self.failure(
                "The value of 'ssh-command' is empty.", "Leave the key out to run ssh.")
        }
        return text
    }

    /// The strategy of a pair. Only the device's own file may run a command.
    private func strategy(_ pair: TOMLPair) throws(Failure) -> Strategy {
        let strategy = try Strategy(parsing: try Self.text(pair))
        guard source != .synced || !strategy.runsCommand else {
            throw Failure(
                .notAllowed, path: file,
                "The strategy '\(strategy)' runs a command, which synced rules must not.",
                remedy: "Review it and run filesinki trust, or move the rule to this device's "
                    + "own \(Settings.deviceFile).")
        }
        return strategy
    }
}

extension SettingsReader {
    private mutating func report(
        _ failure: Failure, line: Int, mayHidePruneRule: Bool = false, stopsRuns: Bool = false
    ) {
        var failure = failure
        failure.path = Array(file.utf8)
        // The message may quote text from another device.
        failure.message = printable(failure.message.utf8)
        problems.append(
            SettingsProblem(
                line: line, failure: failure, mayHidePruneRule: mayHidePruneRule,
                stopsRuns: stopsRuns))
    }

    private static func text(_ pair: TOMLPair) throws(Failure) -> String {
        guard case .string(let text) = pair.value else { throw mistyped(pair, "text in quotes") }
        return text
    }

    private static func mistyped(_ pair: TOMLPair, _ wanted: String) -> Failure {
        let key = pair.key.joined(separator: ".")
        return failure("The value of '\(key)' is \(pair.value.kind).", "Write \(wanted).")
    }

    /// The failure for a key that is none for all paths.
    static func unknown(_ key: String) -> Failure {
        let known = SettingKey.allCases.map(\.rawValue)
        let all =
            known.joined(separator: ", ") + ", [\(PruneKey.table)] and [[\(SettingsDocument.rule)]]"
        let ofPrune = PruneKey.allCases.map { "\(PruneKey.table).\($0.rawValue)" }
        if ["exclude", "exclude-from", "ignore"].contains(key) {
            return failure(
                "Unknown key: '\(key)'.",
                "What is not synced is listed in .filesinkiignore, a pattern a line, as in .gitignore."
            )
        }
        if PruneKey(rawValue: key) != nil {
            return failure("Unknown key: '\(key)'.", "Use \(PruneKey.table).\(key).")
        }
        let isOfPrune = key.hasPrefix("\(PruneKey.table).")
        let meant = isOfPrune ? ofPrune.joined(separator: ", ") : all
        return unknown(key, among: known + ofPrune, meant)
    }

    /// - Parameter all: The keys for the message.
    private static func unknown(_ key: String, among known: [String], _ all: String) -> Failure {
        failure(
            "Unknown key: '\(key)'.",
            NearestWord.suggestion(for: key, among: known) + "Use \(all).")
    }

    private static func failure(_ message: String, _ remedy: String) -> Failure {
        Failure(.usage, path: "", message, remedy: remedy)
    }
}

/// A mistake in a settings file.
struct SettingsProblem: Sendable {
    /// The line of its statement, from 1; nil if the file cannot be used at all.
    var line: Int?
    /// The failure with the path of the file, and without the line.
    var failure: Failure
    /// Whether what was rejected may have been a rule of a prune.
    var mayHidePruneRule: Bool
    /// Whether what was rejected may have been a setting that protects files, so that no run may go on without it.
    var stopsRuns: Bool

    /// The failure with its line in the message.
    var located: Failure {
        guard let line else { return failure }
        var located = failure
        located.message = "Line \(line): " + failure.message
        return located
    }
}

extension Strategy {
    /// Whether a link of the chain runs a command.
    var runsCommand: Bool {
        links.contains(where: \.runsCommand)
    }
}
