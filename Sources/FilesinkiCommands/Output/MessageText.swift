import ArgumentParser
import FilesinkiModel

/// Messages as a terminal shows them: long lines are broken between words, but not in a command, in quotes or in the path
/// that a message begins with, which a person may copy. In a pipe a message is one line.
enum MessageText {
    /// The text with its long lines broken. A line that begins with a space has a form of its own, and stays as it is.
    ///
    /// - Parameters:
    ///   - path: What the text begins with, behind the program's name; it stays whole. Empty for none.
    ///   - columns: The columns of a line.
    static func folded(_ text: String, _ path: [UInt8], _ columns: Int) -> String {
        guard text.count > columns else { return text }
        let place = path.isEmpty ? nil : text.firstRange(of: printable(path) + ":")
        let start = text[..<(place?.upperBound ?? text.startIndex)]
        let lines = text[start.endIndex...].split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().flatMap { number, line in
            let isFirst = number == 0 && !start.isEmpty
            var units = line.hasPrefix(" ") && !isFirst ? [String(line)] : units(of: line)
            if isFirst { units[0] = start + units[0] }
            return lined(units, within: max(20, columns))
        }.joined(separator: "\n")
    }

    private static func lined(_ units: [String], within width: Int) -> [String] {
        var lines: [String] = []
        var room = 0
        for unit in units {
            let needed = columns(of: unit)
            if !lines.isEmpty, needed < room {
                lines[lines.count - 1] += " " + unit
                room -= needed + 1
            } else {
                lines.append(unit)
                room = width - needed
            }
        }
        return lines
    }

    /// The columns of a text, in which colours take none.
    private static func columns(of text: String) -> Int {
        guard text.contains("\u{1B}") else { return text.count }
        let parts = text.split(separator: "\u{1B}", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(parts[0].count) { sum, part in
            sum + (part.firstIndex(of: "m").map { part[$0...].count - 1 } ?? part.count)
        }
    }

    /// The parts of a line between which it may be broken.
    static func units(of line: some StringProtocol) -> [String] {
        let words = String(line).split(separator: " ", omittingEmptySubsequences: false).map(
            String.init)
        var units: [String] = []
        var next = 0
        while next < words.count {
            let length = quoted(words[next...]) ?? command(words[next...]) ?? 1
            units.append(words[next..<next + length].joined(separator: " "))
            next += length
        }
        return units.isEmpty ? [""] : units
    }

    /// How many words are in the quotes that the first one opens; nil if it opens none, or they are not closed.
    private static func quoted(_ words: ArraySlice<String>) -> Int? {
        guard let first = words.first?.drop(while: { "($".contains($0) }).first,
            first == "'" || first == "\""
        else { return nil }
        var count = 0
        for (length, word) in words.enumerated() {
            count += word.count { $0 == first }
            if count % 2 == 0 { return length + 1 }
        }
        return nil
    }

    /// How many words are a command of this program that begins with the first one; nil if none does.
    private static func command(_ words: ArraySlice<String>) -> Int? {
        guard words.first?.drop(while: { "(\"".contains($0) }) == "filesinki" else { return nil }
        var command: any ParsableCommand.Type = FilesinkiCommand.self
        var rest = words.dropFirst()
        var (length, isValue) = (1, false)
        while let word = rest.first {
            if let named = command.configuration.subcommands.first(where: {
                $0.isNamed(plain(word))
            }) {
                command = named
                isValue = false
            } else if isValue || isArgument(word) {
                isValue = word.hasPrefix("-") && !word.contains("=")
            } else {
                break
            }
            let taken = quoted(rest) ?? 1
            let last = rest[rest.startIndex + taken - 1]
            length += taken
            rest = rest.dropFirst(taken)
            if last != plain(last) { break }
        }
        return length
    }

    /// The word without the end of a sentence, and of a colour.
    private static func plain(_ word: String) -> String {
        let text = word.first == "\u{1B}" ? word[...] : word.prefix { $0 != "\u{1B}" }
        return String(text.reversed().drop { ".,;:)\"".contains($0) }.reversed())
    }

    /// Whether a word behind a command belongs to it: an option, a path, a number, or a name in capitals for one.
    private static func isArgument(_ word: String) -> Bool {
        let plain = plain(word)
        guard let first = plain.first else { return false }
        if "-/~'\"$".contains(first) || plain.contains(where: { "/@.".contains($0) }) {
            return true
        }
        return plain.allSatisfy { $0.isUppercase || $0.isNumber || $0 == "…" }
    }
}
