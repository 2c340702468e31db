import FilesinkiModel
import FilesinkiReconcile
package import FilesinkiText

/// A key of a settings file that holds for all paths.
package enum SettingKey: String, CaseIterable, Sendable {
    case strategy
    case onDelete = "on-delete"
    case gitignore
    case maxDelete = "max-delete"
    case bwlimit
    case sshCommand = "ssh-command"

    /// Whether only a device's own file may have it: a link belongs to a device, not to a tree, and a file that
    /// others may change runs no command.
    package var isOfDevice: Bool { self == .bwlimit || self == .sshCommand }

    /// The value without a setting, as a file would have it.
    package var standard: TOMLValue {
        switch self {
        case .strategy: .string(Strategy.standard.description)
        case .onDelete: .string(OnDelete.keep.rawValue)
        case .gitignore: .boolean(false)
        case .maxDelete: .string(MaxDelete.standard.description)
        case .bwlimit: .string(BandwidthLimit.off)
        case .sshCommand: .string("ssh")
        }
    }

    /// The key with these parts; nil for any other.
    package init?(_ parts: [String]) {
        guard parts.count == 1 else { return nil }
        self.init(rawValue: parts[0])
    }

    /// The value that the words of a command line mean. Words that do not fit the key are text, which
    /// the reader rejects.
    func value(_ text: String) -> TOMLValue {
        switch self {
        case .gitignore where ["true", "false"].contains(text): .boolean(text == "true")
        case .maxDelete: Int(text).map(TOMLValue.integer) ?? .string(text)
        case .strategy, .onDelete, .gitignore, .bwlimit, .sshCommand: .string(text)
        }
    }
}

/// A key of a `[[rule]]`.
package enum RuleKey: String, CaseIterable, Sendable {
    case match
    case strategy
    case onDelete = "on-delete"
    case type
    case fields
    case fieldChoice = "field-choice"
    case identity
    case keyColumns = "key-columns"

    /// The key that a file writes as these parts: `fields` and `identity` have a JSON Pointer behind
    /// them. Nil for any other key.
    init?(_ parts: [String]) {
        guard let first = parts.first, let key = RuleKey(rawValue: first),
            parts.count == (key.hasPointer ? 2 : 1)
        else { return nil }
        self = key
    }

    /// Whether a JSON Pointer belongs to the key.
    package var hasPointer: Bool { self == .fields || self == .identity }

    /// The keys for a message.
    static let list: String = {
        let names = allCases.map { $0.hasPointer ? "\($0.rawValue).\"/POINTER\"" : $0.rawValue }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }()
}
