import ArgumentParser
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// What the user may have meant by an option that a command does not have, or by too few or too many arguments. The
/// parser's own suggestion takes any option within three letters, which is half of a short one.
struct UnknownOption {
    private static let prefix = "Unknown option '"

    private let arguments: [String]
    /// The help of the command that the arguments name. To make it takes longer than all else here.
    private lazy var help = FilesinkiCommand.helpMessage(for: CommandNames.command(in: arguments))

    private init(_ arguments: [String]) { self.arguments = arguments }

    /// The parser's message with a hint in its second line, in place of the parser's; other messages stay as
    /// they are.
    static func explained(_ message: Substring, _ arguments: [String]) -> String {
        var option = UnknownOption(arguments)
        return option.explained(message)
    }

    private mutating func explained(_ message: Substring) -> String {
        guard message.hasPrefix(Self.prefix) else { return otherwise(message) }
        let rest = message.dropFirst(Self.prefix.count)
        guard let end = rest.firstIndex(of: "'") else { return String(message) }
        let name = String(rest[..<end])
        let below = message.firstIndex(of: "\n").map { message[$0...] } ?? ""
        let hint = hint(for: name).map { "\n" + $0 } ?? ""
        return "\(Self.prefix)\(name)'.\(hint)\(below)"
    }

    /// The parser's message with a hint, if other tools take fewer or more arguments.
    private mutating func otherwise(_ message: Substring) -> String {
        let end = message.firstIndex(of: "\n") ?? message.endIndex
        if let name = firstUnknown() {
            return explained("\(Self.prefix)\(name)'.\(message[end...])")
        }
        let command = CommandNames.wholeName(in: arguments)
        let hint: String?
        if message.hasPrefix("Missing expected argument") {
            hint = Counterparts.withoutArguments(command)?.text
        } else if message.prefix(while: { $0 != "'" }).contains("nexpected argument") {
            hint = surplusHint(for: command)
        } else if command == "diff", message[..<end].contains("' is invalid for '<") {
            hint = conflictHint() ?? Counterparts.withArguments(command)?.text
        } else {
            hint = nil
        }
        guard let hint else { return String(message) }
        return "\(message[..<end])\n\(hint)\(message[end...])"
    }

    /// The command that compares a conflict copy with its original; nil if the arguments do not name both.
    private func conflictHint() -> String? {
        let paths = arguments.map { RelativePath(unchecked: Array($0.utf8)) }
        let original = paths.lazy.compactMap { conflictOriginal(of: $0)?.path }
            .first { paths.contains($0) }
        return original.map {
            "To compare the versions of a conflict: filesinki diff --conflict "
                + "\(ShellWord.path($0.bytes))."
        }
    }

    /// Some commands take the replica's folder as an argument, so that it is tried with the others.
    private func surplusHint(for command: String) -> String? {
        if command == "init", let address = arguments.first(where: AddressAsFolder.isAddress) {
            return "Give the store's address with --remote \(ShellWord.shown(address.utf8))."
        }
        let meant = CommandNames.command(in: arguments)
        let other = Counterparts.withArguments(command)?.text
        // What follows a key or a record is a value.
        let isItem = command.hasPrefix("kv ") || command.hasPrefix("rec ")
        let isPlace = meant is any ReplicaCommand.Type && !(isItem && other != nil)
        let place = isPlace ? "To name the replica, add --root DIR." : nil
        let words = [other, place].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The first option that the command of the arguments does not have; nil if all are known. The parser checks what it
    /// has read before it looks at what it has not, and then says that an argument is missing.
    private mutating func firstUnknown() -> String? {
        let long = HelpText.longOptions(in: help)
        let short = HelpText.shortOptions(in: help)
        return arguments.prefix { $0 != "--" }.first { word in
            guard word.hasPrefix("-"), word != "-" else { return false }
            guard word.hasPrefix("--") else {
                return word.dropFirst().first.map { !short.contains($0) } ?? false
            }
            return !long.contains(String(word.dropFirst(2).prefix { $0 != "=" }))
        }.map { String($0.prefix { $0 != "=" }) }
    }

    /// Whether a word behind one hyphen is more likely the rest of a name than short options.
    private static func isName(_ word: Substring) -> Bool {
        word.count > 3 || word.contains { !$0.isASCII || !$0.isLetter }
    }

    /// The one option that begins with a word, which other tools take for it; nil if there is none, or several.
    private static func longer(_ word: String, among known: some Collection<String>) -> String? {
        guard word.count >= 3 else { return nil }
        let longer = known.filter { $0.hasPrefix(word) }
        return longer.count == 1 ? longer.first : nil
    }

    private mutating func hint(for name: String) -> String? {
        let command = CommandNames.wholeName(in: arguments)
        if let counterpart = Counterparts.option(name, of: command) { return counterpart.text }
        if command == "kv set", name.dropFirst().first?.isNumber == true {
            // The argument before it is the key, unless it is the command's own name.
            let before = arguments.firstIndex(of: name).flatMap { $0 > 0 ? arguments[$0 - 1] : nil }
            let key = before.flatMap { $0 == "set" || $0.hasPrefix("-") ? nil : $0 } ?? "KEY"
            return "Write a value that begins with a hyphen as \(printable(key.utf8))=\(name)."
        }
        guard name.hasPrefix("--") else {
            return HelpText.takesPaths(in: help) && Self.isName(name.dropFirst())
                ? "Write a path that begins with a hyphen as ./\(name)." : nil
        }
        let known = HelpText.longOptions(in: help)
        let word = String(name.dropFirst(2))
        let meant = NearestWord.nearest(to: word, among: known) ?? Self.longer(word, among: known)
        return meant.map { "Did you mean '--\($0)'?" }
    }
}
