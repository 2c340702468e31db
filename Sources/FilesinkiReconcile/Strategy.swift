package import FilesinkiModel

/// How a conflict is resolved: a chain of links, of which the first that does not decline decides.
///
/// A link declines when it would have to guess, as ``Choice/newest`` does between equal times. A chain
/// whose links all decline ends as with ``End/keepBoth``.
package struct Strategy: Hashable, Sendable {
    /// The links in the order in which they are asked; never empty.
    package var links: [StrategyLink]

    package init(_ links: [StrategyLink]) {
        self.links = links
    }

    /// The default: `auto, keep-both`. It never loses content.
    package static let standard = Strategy([.merge(.auto), .end(.keepBoth)])

    /// Reads links separated by commas, such as `json, greater:/score, keep-both`.
    ///
    /// Spaces around a link are ignored. A comma or backslash inside a command or a pointer is
    /// written with a backslash before it.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/usage`` for an unknown or empty link, and for a
    ///   link that is never reached because `keep-both` or `leave` stands before it.
    package init(parsing text: String) throws(Failure) {
        var links: [StrategyLink] = []
        for part in Self.parts(of: text) {
            if case .end(let end)? = links.last, end != .ask {
                throw Failure(
                    .usage, path: "",
                    "The link '\(part)' after '\(end.rawValue)' is never reached.",
                    remedy: "Write '\(end.rawValue)' last.")
            }
            links.append(try StrategyLink(parsing: part))
        }
        self.links = links
    }

    /// Splits at the commas that are not escaped, and removes the escaping backslashes.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                if character != ",", character != "\\" { parts[parts.count - 1].append("\\") }
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        if isEscaped { parts[parts.count - 1].append("\\") }
        return parts.map(trimmed)
    }
}

/// The text without the spaces and tabs at its ends.
package func trimmed(_ text: some StringProtocol) -> String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let start = text.firstIndex { !isBlank($0) } ?? text.endIndex
    let end = text.lastIndex { !isBlank($0) }.map(text.index(after:)) ?? text.endIndex
    return start < end ? String(text[start..<end]) : ""
}

extension Strategy: CustomStringConvertible {
    /// The chain as ``init(parsing:)`` reads it.
    package var description: String {
        links.map { link in
            link.description.reduce(into: "") { text, character in
                if character == "," || character == "\\" { text.append("\\") }
                text.append(character)
            }
        }.joined(separator: ", ")
    }
}

/// One link of a ``Strategy``.
package enum StrategyLink: Hashable, Sendable {
    /// Decides from what the two entries say.
    case choice(Choice)
    /// Ends the chain.
    case end(End)
    /// `choose:COMMAND`: a command of the user's names the side that wins.
    case command(String)
    /// `prefer:DEVICE`: the version that the device of this name wrote wins; declines if it wrote neither.
    case device(String)
    /// Makes one content of the two, and loses neither.
    case merge(MergeLink)
    /// `greater:POINTER` or `lesser:POINTER`: compares a value inside both contents.
    case comparison(Comparison)
    /// The program that uses the library resolves it by its own types. It has no name in the text of a
    /// strategy.
    case program
}

/// A choice between the two sides by their entries alone.
package enum Choice: String, Hashable, Sendable, CaseIterable {
    /// The later time of modification wins; equal times decline.
    case newest
    /// The earlier time of modification wins; equal times decline.
    case oldest
    /// The longer file wins; equal lengths, and what is not a file, decline.
    case larger
    /// The shorter file wins; equal lengths, and what is not a file, decline.
    case smaller
    /// Our version wins, on whatever device the sync runs.
    case ours = "here"
    /// The committed version wins.
    case theirs = "there"
}

/// What stands at the end of a chain.
package enum End: String, Hashable, Sendable, CaseIterable {
    /// The committed content keeps the name, the other becomes a sibling with a conflict name.
    case keepBoth = "keep-both"
    /// Both stay as they are, and the conflict stays open.
    case leave
    /// A person at the terminal decides; declines where there is no terminal.
    case ask
}

/// A merge, which needs the contents of base, ours and theirs.
package enum MergeLink: Hashable, Sendable {
    /// Chooses the format by rule, by content and by name; declines for anything else.
    case auto
    /// Merges documents of this format.
    case format(ContentFormat)
    /// A command of the user's that follows git's convention of merge drivers.
    case exec(String)
}

/// A comparison of a value that a JSON Pointer (RFC 6901) names in both contents.
package struct Comparison: Hashable, Sendable {
    /// The JSON Pointer; empty for the whole document.
    package var pointer: String
    /// Whether the greater value wins, rather than the lesser.
    package var isGreater: Bool

    package init(pointer: String, isGreater: Bool) {
        self.pointer = pointer
        self.isGreater = isGreater
    }
}

extension StrategyLink {
    /// Reads one link, such as `newest` or `choose:pick.sh`.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/usage`` that names a link which is not known,
    ///   or a command which is missing.
    package init(parsing text: String) throws(Failure) {
        if let choice = Choice(rawValue: text) {
            self = .choice(choice)
        } else if let end = End(rawValue: text) {
            self = .end(end)
        } else if let merge = MergeLink(word: text) {
            self = .merge(merge)
        } else {
            self = try Self.withArgument(text)
        }
    }

    private static func withArgument(_ text: String) throws(Failure) -> StrategyLink {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let argument = parts.count == 2 ? trimmed(parts[1]) : ""
        switch (parts.count, parts.first) {
        case (2, "choose"): return .command(try command(argument, of: text))
        case (2, "exec"): return .merge(.exec(try command(argument, of: text)))
        case (2, "prefer"):
            guard !argument.isEmpty else {
                throw Failure(
                    .usage, path: "", "The strategy link '\(text)' names no device.",
                    remedy:
                        "Write the name of a device after the colon; filesinki devices lists them.")
            }
            return .device(argument)
        case (2, "greater"), (2, "lesser"):
            guard argument.isEmpty || argument.hasPrefix("/") else {
                throw Failure(
                    .usage, path: "", "The pointer in '\(text)' does not begin with a slash.",
                    remedy: "Write a JSON Pointer, such as greater:/score.")
            }
            return .comparison(Comparison(pointer: argument, isGreater: parts.first == "greater"))
        default:
            throw Failure(
                .usage, path: "", "Unknown strategy link: '\(text)'.",
                remedy: counterparts[text]
                    ?? "Use links such as newest, larger, here, there, keep-both, leave or ask.")
        }
    }

    private static let newer =
        "To take the version with the later time, use newest; without it clocks decide nothing."
    private static let here = "To take the version of this device, use here."
    private static let there = "To take the version of the store, use there."
    private static let both =
        "To keep both versions, use keep-both; without a strategy what can be merged is."

    /// The links of other tools, as bisync, Unison and git call them, each with what does it here.
    private static let counterparts = [
        "newer": newer, "latest": newer, "recent": newer, "mtime": newer,
        "older": "To take the version with the earlier time, use oldest.",
        "largest": "To take the larger version, use larger.",
        "smallest": "To take the smaller version, use smaller.",
        "ours": here, "mine": here, "local": here, "path1": here,
        "theirs": there, "remote": there, "path2": there,
        "both": both, "rename": both, "copy": both,
        "merge": "To merge, use auto, or a format such as text or json.",
        "skip": "To leave a conflict open, use leave.",
        "none": "To leave a conflict open, use leave.",
    ]

    private static func command(_ argument: String, of text: String) throws(Failure) -> String {
        guard !argument.isEmpty else {
            throw Failure(
                .usage, path: "", "The strategy link '\(text)' names no command.",
                remedy: "Write the command after the colon.")
        }
        return argument
    }
}

extension StrategyLink {
    /// The name of the device whose version the link takes; nil for other links.
    package var preferredDevice: String? {
        if case .device(let name) = self { name } else { nil }
    }

    /// Whether the link runs a command or a program. A dry run does not ask it.
    package var runsCommand: Bool {
        switch self {
        case .command, .merge(.exec), .program: true
        case .choice, .end, .merge, .comparison, .device: false
        }
    }
}

extension MergeLink {
    private static let autoWord = "auto"

    /// The merge of that name; nil for any other word, and for `exec`, which has an argument.
    init?(word: String) {
        if word == Self.autoWord {
            self = .auto
        } else if let format = ContentFormat(rawValue: word) {
            self = .format(format)
        } else {
            return nil
        }
    }

    /// The merge's name, with its command.
    var word: String {
        switch self {
        case .auto: Self.autoWord
        case .format(let format): format.rawValue
        case .exec(let command): "exec:\(command)"
        }
    }
}

extension StrategyLink: CustomStringConvertible {
    /// The link as the user writes it.
    package var description: String {
        switch self {
        case .choice(let choice): choice.rawValue
        case .end(let end): end.rawValue
        case .command(let command): "choose:\(command)"
        case .device(let name): "prefer:\(name)"
        case .merge(let merge): merge.word
        case .comparison(let comparison):
            (comparison.isGreater ? "greater:" : "lesser:") + comparison.pointer
        case .program: "program"
        }
    }
}

/// What happens when one side deleted what the other edited.
package enum OnDelete: String, Hashable, Sendable, CaseIterable {
    /// The edit stays, or comes back. The default, because it loses nothing.
    case keep
    /// The deletion stays; the edit can be brought back from the history.
    case delete
    /// A person decides; where there is no person, as ``keep``.
    case ask

    /// Reads `keep`, `delete` or `ask`.
    ///
    /// - Throws: `Failure` with code ``Failure/Code/usage`` for any other word.
    package init(parsing text: String) throws(Failure) {
        guard let value = OnDelete(rawValue: text) else {
            throw Failure(
                .usage, path: "", "Invalid value of on-delete: '\(text)'.",
                remedy: "Use keep, delete or ask.")
        }
        self = value
    }
}

/// The rules by which conflicts are resolved, path by path.
package protocol StrategyRules: Sendable {
    /// The chain for a conflict at `path`.
    func strategy(for path: RelativePath) -> Strategy

    /// What to do when one side deleted `path` and the other edited it.
    func onDelete(for path: RelativePath) -> OnDelete

    /// Whether an answer is needed before a file at `path` is deleted that was not edited here.
    func asksBeforeDeleting(_ path: RelativePath) -> Bool

    /// Whether a file at `path` that this replica has never received stays, although its content was deleted there once.
    func keepsUnreceived(_ path: RelativePath) -> Bool
}

extension StrategyRules {
    /// False: an unedited file is deleted.
    package func asksBeforeDeleting(_ path: RelativePath) -> Bool { false }

    /// False: it is an old copy.
    package func keepsUnreceived(_ path: RelativePath) -> Bool { false }
}

/// The same rules for every path.
package struct UniformRules: StrategyRules {
    package var strategy: Strategy
    package var onDelete: OnDelete

    package init(_ strategy: Strategy = .standard, onDelete: OnDelete = .keep) {
        self.strategy = strategy
        self.onDelete = onDelete
    }

    package func strategy(for path: RelativePath) -> Strategy { strategy }
    package func onDelete(for path: RelativePath) -> OnDelete { onDelete }
}
