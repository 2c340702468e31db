import ArgumentParser
import FilesinkiModel
import FilesinkiText

/// The names of commands in a command line, checked before the parser reads it: the parser takes a
/// mistyped one for an argument too many, and `help` ignores it.
enum CommandNames {
    /// Rejects an unknown command, and names its counterpart here, or the most similar one.
    ///
    /// - Throws: `Failure` with code `usage`.
    static func check(_ arguments: [String]) throws(Failure) {
        let isHelp = arguments.first == "help"
        var command: any ParsableCommand.Type = FilesinkiCommand.self
        for word in arguments.dropFirst(isHelp ? 1 : 0) {
            let below = command.configuration.subcommands
            if word.hasPrefix("-") || below.isEmpty && !isHelp { return }
            if let next = below.first(where: { $0.isNamed(word) }) {
                command = next
            } else if isHelp || !command.takesWords {
                throw unknown(word, in: command, isHelp: isHelp)
            } else {
                return
            }
        }
    }

    /// The arguments with options of every command that stand before a subcommand, such as `devices --root b
    /// forget`, moved behind it: the parser takes a subcommand only right behind its group.
    static func ordered(_ arguments: [String]) -> [String] {
        guard let name = arguments.first,
            let group = FilesinkiCommand.configuration.subcommands.first(where: { $0.isNamed(name) }
            ),
            !group.configuration.subcommands.isEmpty
        else { return arguments }
        return [name] + ordered(Array(arguments.dropFirst()), below: group)
    }

    private static let commonFlags: Set = ["--json", "-q", "--quiet", "-v", "--verbose"]
    private static let commonOptions: Set = [
        "--root", "--state", "--lock-wait", "--timeout", "--color", "--progress",
    ]

    private static func ordered(
        _ words: [String], below group: any ParsableCommand.Type
    ) -> [String] {
        var rest = words[...]
        var options: [String] = []
        while let word = rest.first, word.hasPrefix("-") {
            let name = String(word.prefix { $0 != "=" })
            guard commonFlags.contains(word) || commonOptions.contains(name) else { return words }
            options.append(rest.removeFirst())
            if name == word, commonOptions.contains(name), let value = rest.popFirst() {
                options.append(value)
            }
        }
        guard let word = rest.first,
            let next = group.configuration.subcommands.first(where: { $0.isNamed(word) })
        else { return words }
        let behind = options + rest.dropFirst()
        return [word]
            + (next.configuration.subcommands.isEmpty ? behind : ordered(behind, below: next))
    }

    /// The whole names of all commands, such as `kv get`.
    static var all: [String] { names(below: FilesinkiCommand.self, []) }

    /// The whole name of the command that the arguments begin with, also behind `help`; an alias
    /// counts as its command, a group as its default command.
    static func wholeName(in arguments: [String]) -> String {
        commands(in: arguments).map { $0.configuration.commandName ?? "" }.joined(separator: " ")
    }

    /// The command that `wholeName` names; the root if the arguments begin with none.
    static func command(in arguments: [String]) -> any ParsableCommand.Type {
        commands(in: arguments).last ?? FilesinkiCommand.self
    }

    private static func commands(in arguments: [String]) -> [any ParsableCommand.Type] {
        var command: any ParsableCommand.Type = FilesinkiCommand.self
        var found: [any ParsableCommand.Type] = []
        for word in arguments.dropFirst(arguments.first == "help" ? 1 : 0) {
            guard let next = command.configuration.subcommands.first(where: { $0.isNamed(word) })
            else { break }
            command = next
            found.append(command)
        }
        if let standard = command.configuration.defaultSubcommand { found.append(standard) }
        return found
    }

    private static func names(
        below command: any ParsableCommand.Type, _ above: [String]
    ) -> [String] {
        let below = command.configuration.subcommands
        guard !below.isEmpty else { return [above.joined(separator: " ")] }
        return below.flatMap { names(below: $0, above + [$0.configuration.commandName ?? ""]) }
    }

    private static func unknown(
        _ word: String, in group: any ParsableCommand.Type, isHelp: Bool
    ) -> Failure {
        let isRoot = group == FilesinkiCommand.self
        let above = isRoot ? "" : "\(group.configuration.commandName ?? "") "
        if let counterpart = Counterparts.command(above + word) {
            return Failure(
                .usage, path: ArgumentText.bytes(of: word), "Unknown command.",
                remedy: counterpart.text)
        }
        var names = group.configuration.subcommands.flatMap {
            [$0.configuration.commandName ?? ""] + $0.configuration.aliases
        }
        if isHelp { names += HelpTopic.allCases.map(\.rawValue) }
        let suggestion = NearestWord.suggestion(for: word, among: names)
        let next =
            isRoot || isHelp ? nil : Counterparts.word(in: group.configuration.commandName ?? "")
        return Failure(
            .usage, path: ArgumentText.bytes(of: word), "Unknown command.",
            remedy: suggestion + (next?.text ?? "filesinki help lists the commands."))
    }
}

extension ParsableCommand {
    static func isNamed(_ name: String) -> Bool {
        configuration.commandName == name || configuration.aliases.contains(name)
    }

    /// Whether a word behind the command's name may be something else than a command.
    fileprivate static var takesWords: Bool {
        guard let standard = configuration.defaultSubcommand else {
            return configuration.subcommands.isEmpty
        }
        return standard == ServeFolderCommand.self
    }
}

/// The command that arguments begin by naming, found without the parser.
///
/// The parser reads the arguments again for each level above a command, and the first use of each type
/// costs a search; scripts call the program in a loop. See Docs/Decisions/0005-packages.md.
enum NamedCommand {
    /// Reads the arguments of a command.
    ///
    /// - Throws: What the parser throws, for the text that says what is wrong, or the help.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        // Errors and help come from the whole tree, which knows the full name.
        if let (command, rest) = find(arguments), let parsed = try? command.parseAsRoot(rest),
            type(of: parsed) == command
        {
            return parsed
        }
        return try FilesinkiCommand.parseAsRoot(arguments)
    }

    /// The command at the end of the names, with the arguments behind them; nil when the names end at
    /// a group of commands.
    private static func find(
        _ arguments: [String]
    ) -> (command: any ParsableCommand.Type, rest: [String])? {
        var command: any ParsableCommand.Type = FilesinkiCommand.self
        var rest = arguments[...]
        while !command.configuration.subcommands.isEmpty {
            guard let name = rest.popFirst(),
                let next = command.configuration.subcommands.first(where: { $0.isNamed(name) })
            else { return nil }
            command = next
        }
        return (command, Array(rest))
    }
}
