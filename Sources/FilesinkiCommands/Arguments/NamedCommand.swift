import ArgumentParser

/// The command that arguments begin by naming, found without the parser.
///
/// The parser reads the arguments anew for each level above a command, and every type that it meets for
/// the first time costs a search; scripts call the program in a loop. See Docs/Decisions/0005-packages.md.
enum NamedCommand {
    /// Reads the arguments of a command.
    ///
    /// - Throws: What the parser throws, for the text that says what is wrong, or the help.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        // What goes wrong, or asks for help, is told by the whole tree: it knows the full name.
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
