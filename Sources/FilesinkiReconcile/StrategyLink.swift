package import FilesinkiModel

/// One link of a ``Strategy``.
package enum StrategyLink: Hashable, Sendable {
    /// Decides from what the two entries say.
    case choice(Choice)
    /// Ends the chain.
    case end(End)
    /// `choose:COMMAND`: a program of the user's names the side that wins.
    case command(String)
    /// Makes one content of the two, and loses neither.
    case merge(MergeLink)
    /// `greater:POINTER` or `lesser:POINTER`: compares a value inside both contents.
    case comparison(Comparison)
    /// The program that uses the library resolves it, by what its own types say. No text names this
    /// link.
    case program
}

/// A choice between the two sides that needs nothing but their entries.
package enum Choice: String, Hashable, Sendable, CaseIterable {
    /// The later time of modification wins; equal times decline.
    case newest
    /// The earlier time of modification wins; equal times decline.
    case oldest
    /// The longer file wins; equal lengths, and what is not a file, decline.
    case larger
    /// The shorter file wins; equal lengths, and what is not a file, decline.
    case smaller
    /// This replica wins, whichever runs.
    case ours = "here"
    /// What is committed wins.
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

/// A merge, which needs the contents of base, here and there.
package enum MergeLink: Hashable, Sendable {
    /// Chooses by content: SQLite, JSON, text; declines for anything else.
    case auto
    /// Three-way by lines; declines where both sides changed the same lines.
    case text
    /// Both sides' additions and removals of whole lines.
    case lines
    /// Three-way by key and element.
    case json
    /// Rows by key column.
    case csv
    /// Rows by primary key, columns within a row.
    case sqlite
    /// A program of the user's by git's convention of a merge driver.
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
        case (2, "greater"), (2, "lesser"):
            guard argument.isEmpty || argument.hasPrefix("/") else {
                throw Failure(
                    .usage, path: "", "The pointer in '\(text)' does not begin with a slash.",
                    remedy: "Write a JSON Pointer, such as greater:/score.")
            }
            return .comparison(Comparison(pointer: argument, isGreater: parts.first == "greater"))
        default:
            throw Failure(
                .usage, path: "", "The strategy link '\(text)' is not known.",
                remedy: "Use links such as newest, larger, here, there, keep-both, leave or ask.")
        }
    }

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
    /// Whether the link runs code that is not ours: a dry run asks it nothing.
    package var runsCommand: Bool {
        switch self {
        case .command, .merge(.exec), .program: true
        case .choice, .end, .merge, .comparison: false
        }
    }
}

extension MergeLink {
    private static let words: [(String, MergeLink)] = [
        ("auto", .auto), ("text", .text), ("lines", .lines), ("json", .json), ("csv", .csv),
        ("sqlite", .sqlite),
    ]

    /// The merge of that name; nil for any other word, and for `exec`, which has an argument.
    init?(word: String) {
        guard let found = Self.words.first(where: { $0.0 == word }) else { return nil }
        self = found.1
    }

    /// The merge's name, with its command.
    var word: String {
        if case .exec(let command) = self { return "exec:\(command)" }
        return Self.words.first { $0.1 == self }?.0 ?? "auto"
    }
}

extension StrategyLink: CustomStringConvertible {
    /// The link as the user writes it.
    package var description: String {
        switch self {
        case .choice(let choice): choice.rawValue
        case .end(let end): end.rawValue
        case .command(let command): "choose:\(command)"
        case .merge(let merge): merge.word
        case .comparison(let comparison):
            (comparison.isGreater ? "greater:" : "lesser:") + comparison.pointer
        case .program: "program"
        }
    }
}
