import ArgumentParser
import FilesinkiModel

/// The names of commands in a command line, checked before the parser reads it: the parser takes a
/// mistyped one for an argument too many, and `help` ignores it.
enum CommandNames {
    /// Refuses a name that is no command, with the one that is spelt most alike.
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
                throw unknown(word, below)
            } else {
                return
            }
        }
    }

    /// The whole names of all commands, such as `kv get`.
    static var all: [String] { names(below: FilesinkiCommand.self, []) }

    private static func names(
        below command: any ParsableCommand.Type, _ above: [String]
    ) -> [String] {
        let below = command.configuration.subcommands
        guard !below.isEmpty else { return [above.joined(separator: " ")] }
        return below.flatMap { names(below: $0, above + [$0.configuration.commandName ?? ""]) }
    }

    private static func unknown(
        _ word: String, _ commands: [any ParsableCommand.Type]
    ) -> Failure {
        let names = commands.flatMap {
            [$0.configuration.commandName ?? ""] + $0.configuration.aliases
        }
        let near = names.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        let isNear = near.map { $0.1 <= max(1, word.count / 3) } ?? false
        let suggestion = near.flatMap { isNear ? "Did you mean '\($0.0)'? " : nil } ?? ""
        return Failure(
            .usage, path: ArgumentText.bytes(of: word), "Unknown command.",
            remedy: suggestion + "filesinki help lists the commands.")
    }

    /// How many letters have to be inserted, removed, replaced or swapped with their neighbour to make
    /// one word of the other: the optimal string alignment distance.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var before: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var next = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(last[column + 1], next[column]) + 1
                cost = min(cost, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, before[column - 1] + 1)
                }
                next.append(cost)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
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
