import ArgumentParser
import FilesinkiText

/// What the user may have meant by an option that a command does not have. The parser's own suggestion takes
/// any option within three letters, which is half of a short one.
enum UnknownOption {
    private static let prefix = "Unknown option '"

    /// The parser's message with a hint in its second line, in place of the parser's; other messages stay as
    /// they are.
    static func explained(_ message: Substring, _ arguments: [String]) -> String {
        guard message.hasPrefix(prefix) else { return String(message) }
        let rest = message.dropFirst(prefix.count)
        guard let end = rest.firstIndex(of: "'") else { return String(message) }
        let name = String(rest[..<end])
        let below = message.firstIndex(of: "\n").map { message[$0...] } ?? ""
        let hint = hint(for: name, arguments).map { "\n" + $0 } ?? ""
        return "\(prefix)\(name)'.\(hint)\(below)"
    }

    private static func hint(for name: String, _ arguments: [String]) -> String? {
        let command = CommandNames.wholeName(in: arguments)
        if let counterpart = Counterparts.option(name, of: command) { return counterpart.text }
        guard name.hasPrefix("--") else { return nil }
        let known = HelpText.longOptions(
            in: FilesinkiCommand.helpMessage(for: CommandNames.command(in: arguments)))
        return NearestWord.nearest(to: String(name.dropFirst(2)), among: known)
            .map { "Did you mean '--\($0)'?" }
    }
}
