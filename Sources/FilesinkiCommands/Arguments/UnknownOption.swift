import ArgumentParser
import FilesinkiModel
import FilesinkiText

/// What the user may have meant by an option that a command does not have, or by a command without arguments. The
/// parser's own suggestion takes any option within three letters, which is half of a short one.
enum UnknownOption {
    private static let prefix = "Unknown option '"

    /// The parser's message with a hint in its second line, in place of the parser's; other messages stay as
    /// they are.
    static func explained(_ message: Substring, _ arguments: [String]) -> String {
        guard message.hasPrefix(prefix) else { return missing(message, arguments) }
        let rest = message.dropFirst(prefix.count)
        guard let end = rest.firstIndex(of: "'") else { return String(message) }
        let name = String(rest[..<end])
        let below = message.firstIndex(of: "\n").map { message[$0...] } ?? ""
        let hint = hint(for: name, arguments).map { "\n" + $0 } ?? ""
        return "\(prefix)\(name)'.\(hint)\(below)"
    }

    /// The parser's message with a hint, if an argument is missing without which other tools have an answer.
    private static func missing(_ message: Substring, _ arguments: [String]) -> String {
        guard message.hasPrefix("Missing expected argument"),
            let counterpart = Counterparts.withoutArguments(CommandNames.wholeName(in: arguments))
        else { return String(message) }
        let end = message.firstIndex(of: "\n") ?? message.endIndex
        return "\(message[..<end])\n\(counterpart.text)\(message[end...])"
    }

    private static func hint(for name: String, _ arguments: [String]) -> String? {
        let command = CommandNames.wholeName(in: arguments)
        if let counterpart = Counterparts.option(name, of: command) { return counterpart.text }
        if command == "kv set", name.dropFirst().first?.isNumber == true {
            // The argument before it is the key, unless it is the command's own name.
            let before = arguments.firstIndex(of: name).flatMap { $0 > 0 ? arguments[$0 - 1] : nil }
            let key = before.flatMap { $0 == "set" || $0.hasPrefix("-") ? nil : $0 } ?? "KEY"
            return "Write a value that begins with a hyphen as \(printable(key.utf8))=\(name)."
        }
        guard name.hasPrefix("--") else { return nil }
        let known = HelpText.longOptions(
            in: FilesinkiCommand.helpMessage(for: CommandNames.command(in: arguments)))
        return NearestWord.nearest(to: String(name.dropFirst(2)), among: known)
            .map { "Did you mean '--\($0)'?" }
    }
}
